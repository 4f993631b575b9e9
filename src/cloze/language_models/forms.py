"""One question in five forms: what did a language model know before it read?

    markers         the article and the question with markers for names, as the paper has them
    names           both with the real names
    swapped         both with other names of the same kind, each for one entity throughout
    markers-alone   the question with markers, and no article
    names-alone     the question with the real names, and no article

The id, the candidates and the right answer are the same in all five; only the wording differs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from cloze.document import Document, Point, Question
from cloze.errors import UserError
from cloze.language_models.other_names import NewName, other_names
from cloze.randomness import generator, key_of
from cloze.text import MARKER, PLACEHOLDER, THE_GAP, Text


class Form(StrEnum):
    MARKERS = "markers"
    NAMES = "names"
    SWAPPED = "swapped"
    MARKERS_ALONE = "markers-alone"
    NAMES_ALONE = "names-alone"

    @property
    def has_article(self) -> bool:
        return self not in (Form.MARKERS_ALONE, Form.NAMES_ALONE)

    @property
    def has_markers(self) -> bool:
        return self in (Form.MARKERS, Form.MARKERS_ALONE)

    @property
    def wording(self) -> str:
        """What tables call it; the paper's own form goes without saying."""
        return _WORDING[self]


_WORDING = {
    Form.MARKERS: "",
    Form.NAMES: "real names",
    Form.SWAPPED: "other names",
    Form.MARKERS_ALONE: "markers without the article",
    Form.NAMES_ALONE: "names without the article",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    marker: int  # in the corpus
    label: str  # in the prompt; no two candidates of a document share one
    letter: str
    spellings: tuple[str, ...] = ()  # other ways in which the article writes it


@dataclass(frozen=True, slots=True)
class Item:
    """A question as one form words it."""

    question_id: str
    document_id: str
    form: Form
    article: str  # empty where the form hides it
    question: str
    candidates: tuple[Candidate, ...]  # in an order drawn for the question
    named: frozenset[int]  # the candidates that the question itself names
    answer: int  # the marker


def parse_forms(words: Sequence[str]) -> list[Form]:
    """The forms of these names; "all" means every one, none means the paper's own."""
    if "all" in words:
        return list(Form)
    known = [str(form) for form in Form]
    for word in words:
        if word not in known:
            raise UserError(
                f"there is no form '{word}'", fix=f"choose from {', '.join(known)} or all"
            )
    return [Form(word) for word in dict.fromkeys(words)] or [Form.MARKERS]


Names = Callable[[int, str], str]  # (marker, surface) -> what stands in the text


@dataclass(frozen=True)
class _Words:
    """How a form words a document: its mentions, and a label for each candidate."""

    say: Names
    labels: dict[int, str]
    spellings: dict[int, tuple[str, ...]]


def items(point: Point, form: Form, seed: int = 0) -> list[Item]:
    """The questions of a document in one form; `seed` draws markers, other names and order."""
    document, questions = point
    words = _words(document, form, seed)
    article = shown(document.context, words.say) if form.has_article else ""
    return [_item(document, question, form, article, words, seed) for question in questions]


def shown(text: Text, say: Names) -> str:
    """The text as people read it, with each mention as `say` has it and the gap as a gap."""
    parts = []
    for surface, marker, after in text.words():
        word = PLACEHOLDER if marker == THE_GAP else surface if marker < 0 else say(marker, surface)
        parts.append(word + after)
    return "".join(parts).rstrip()


def letter(place: int) -> str:
    """A to Z, then AA, AB and so on.

    >>> [letter(place) for place in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    letters = ""
    while place >= 0:
        letters = chr(ord("A") + place % 26) + letters
        place = place // 26 - 1
    return letters


def _item(
    document: Document, question: Question, form: Form, article: str, words: _Words, seed: int
) -> Item:
    order = generator(seed, key_of(question.id)).permutation(document.candidates()).tolist()
    candidates = tuple(
        Candidate(marker, words.labels[marker], letter(place), words.spellings.get(marker, ()))
        for place, marker in enumerate(order)
    )
    named = frozenset(question.query.mentions())
    asked = shown(question.query, words.say)
    return Item(question.id, document.id, form, article, asked, candidates, named, question.answer)


def _words(document: Document, form: Form, seed: int) -> _Words:
    if form.has_markers:
        labels = marker_labels(document, seed)
        return _Words(lambda marker, _: labels.get(marker, f"{MARKER}{marker}"), labels, {})
    surfaces = {e.marker: e.surfaces for e in document.entities}
    if form is not Form.SWAPPED:
        names = {marker: document.name_of(marker) for marker in document.candidates()}
        _check_names(document, names)
        return _Words(lambda _, surface: surface, _distinct(names), surfaces)
    new = other_names(document, seed)
    spellings = {marker: tuple(name.forms.values()) for marker, name in new.items()}
    labels = {marker: name.full for marker, name in new.items()}
    return _Words(lambda marker, surface: _new_name(new, marker, surface), labels, spellings)


def marker_labels(document: Document, seed: int) -> dict[int, str]:
    """A label for each entity, its number drawn at random: that of the corpus tells the order.

    All have the same width, so that dividing a likelihood by the length of the answer treats them
    equally, and none is the beginning of another.
    """
    known = {*document.context.mentions(), *(e.marker for e in document.entities)}
    numbers = generator(seed, key_of(document.id)).permutation(len(known)).tolist()
    width = max(2, len(str(len(known) - 1)))
    return {
        marker: f"{MARKER}{number:0{width}d}"
        for marker, number in zip(sorted(known), numbers, strict=True)
    }


def _new_name(new: dict[int, NewName], marker: int, surface: str) -> str:
    return new[marker].form(surface) if marker in new else surface


def _check_names(document: Document, names: dict[int, str]) -> None:
    if names and all(name == f"{MARKER}{marker}" for marker, name in names.items()):
        raise UserError(
            "the corpus has markers but no names",
            where=f"document {document.id}",
            fix="ask with --form markers and --form markers-alone only",
        )


def _distinct(names: dict[int, str]) -> dict[int, str]:
    """If the builder found two entities of the same name, the later ones get a number."""
    seen: dict[str, int] = {}
    labels = {}
    for marker, name in names.items():
        count = seen[name.casefold()] = seen.get(name.casefold(), 0) + 1
        labels[marker] = name if count == 1 else f"{name} ({count})"
    return labels

"""Score the builder's names on texts marked by hand, and sort its errors into kinds.

    title glued       [Cllr Vennick] for Cllr [Vennick]: the name, and words in front of it
    cut short         a piece of a name: the [Night] of the Lanterns
    other edges       words after the name, or a mention that crosses its edge
    no name           [Appellant], [MINUTES]
    missed            a name that was not seen at all
    short form apart  a mention with another marker than most mentions of its entity
    type              a person taken for something else, a place for an organisation

An entity is split if its mentions have several markers, and entities are joined if one marker
stands for mentions of several.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cloze.builder.cleaning import clean_article
from cloze.builder.gold_scores import Range, clusters_in
from cloze.builder.marked_texts import MarkedText
from cloze.builder.prepare import prepare
from cloze.document import Document
from cloze.names.coreference.scores import NOTHING, Score, b_cubed, mention_score
from cloze.names.detection import Pipeline, annotate
from cloze.names.language import RULES, load_language
from cloze.stories import Story
from cloze.tables import Table

KINDS = (
    "title glued", "cut short", "other edges", "no name", "missed", "short form apart", "type",
)  # fmt: skip
NEWSWIRE = "newswire"

# Types that coreference rules distinguish. MISC is anything capitalised that is not a person.
_SORTS = {
    "PERSON": "person", "NORP": "people", "LANGUAGE": "people",
    "GPE": "place", "LOC": "place", "FAC": "place",
    "ORG": "thing", "PRODUCT": "thing", "EVENT": "thing", "WORK_OF_ART": "thing", "LAW": "thing",
}  # fmt: skip


@dataclass(slots=True)
class MarkedScore:
    """What adds up over texts."""

    texts: int = 0
    spans: Score = NOTHING
    b_cubed: Score = NOTHING
    entities: int = 0
    split: int = 0
    joined: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, other: "MarkedScore") -> None:
        self.texts += other.texts
        self.spans = self.spans.plus(other.spans)
        self.b_cubed = self.b_cubed.plus(other.b_cubed)
        self.entities += other.entities
        self.split += other.split
        self.joined += other.joined
        self.kinds += other.kinds


def score_texts(
    texts: Sequence[MarkedText],
    pipeline: Pipeline = None,
    language: str = "en",
    rules: int = RULES,
) -> list[MarkedScore]:
    """The score of each text, with names found as `cloze build` finds them."""
    stories = [Story(text.id, text.article.text, ()) for text in texts]
    spoken = load_language(language, rules)
    found = []
    for text, story, spans in zip(
        texts, stories, annotate(stories, pipeline, language), strict=True
    ):
        document = prepare(story, spans, spoken).document
        found.append(score_text(text, document, clean_article(story.article, spoken)))
    return found


def score_text(text: MarkedText, document: Document, article: str) -> MarkedScore:
    """Score the document that the builder made of a text; `article` is the cleaned text."""
    said = clusters_in(document, article)
    gold = {(mark.start, mark.end): mark.key for mark in text.article.marks}
    numbers = {key: number for number, key in enumerate(text.types)}
    truth = {place: numbers[key] for place, key in gold.items()}
    types = {entity.marker: entity.type for entity in document.entities}
    met = {place: _most_overlapping(place, said) for place in gold}
    markers = markers_of(text, said)
    keys = Counter(marker for own in markers.values() for marker in own)  # entities of each marker
    kinds = Counter(kind for place in gold if (kind := _kind_of_true(place, met[place])))
    kinds.update(kind for place in said if (kind := _kind_of_said(place, gold)))
    kinds["short form apart"] = sum(own.total() - max(own.values(), default=0)
                                    for own in markers.values())  # fmt: skip
    kinds["type"] = sum(
        not _same_sort(text.types[gold[place]], types[said[place]])
        for place in gold.keys() & said.keys()
    )
    return MarkedScore(
        1,
        mention_score(truth, said),
        b_cubed(truth, said),
        len(markers),
        sum(len(own) > 1 for own in markers.values()),
        sum(entities > 1 for entities in keys.values()),
        kinds,
    )


def markers_of(text: MarkedText, said: Mapping[Range, int]) -> dict[str, Counter[int]]:
    """The markers at the mentions of each entity of the article, by its key."""
    markers: dict[str, Counter[int]] = {mark.key: Counter() for mark in text.article.marks}
    for start, end, key in text.article.marks:
        if (met := _most_overlapping((start, end), said)) is not None:
            markers[key][said[met]] += 1
    return markers


def _most_overlapping(place: Range, others: Iterable[Range]) -> Range | None:
    best = max(others, key=lambda other: _overlap(place, other), default=None)
    return best if best is not None and _overlap(place, best) > 0 else None


def _overlap(one: Range, other: Range) -> int:
    return min(one[1], other[1]) - max(one[0], other[0])


def _kind_of_true(place: Range, met: Range | None) -> str:
    """What is wrong with a mention that was found instead of a true one."""
    if met is None:
        return "missed"
    if met == place:
        return ""
    if met[0] < place[0] and met[1] == place[1]:
        return "title glued"
    return "cut short" if place[0] <= met[0] and met[1] <= place[1] else "other edges"


def _kind_of_said(place: Range, gold: Iterable[Range]) -> str:
    return "no name" if _most_overlapping(place, gold) is None else ""


def _same_sort(true: str, said: str) -> bool:
    if said == "MISC":
        return true != "PERSON"
    return _SORTS[true] == _SORTS[said]


def table(texts: Sequence[MarkedText], scores: Sequence[MarkedScore]) -> Table:
    """A row for each kind of text, then newswire, all others, and all."""
    manners: dict[str, MarkedScore] = {}
    overall = {name: MarkedScore() for name in (NEWSWIRE, "other", "all")}
    for text, own in zip(texts, scores, strict=True):
        group = NEWSWIRE if text.manner == NEWSWIRE else "other"
        if group != NEWSWIRE:
            manners.setdefault(text.manner, MarkedScore()).add(own)
        overall[group].add(own)
        overall["all"].add(own)
    rows = [_row(manner, own) for manner, own in sorted(manners.items())]
    rows += [_row(name, own) for name, own in overall.items() if own.texts]
    heads = [
        "manner", "texts", "names", "P", "R", "F", "B³ P", "R", "F", "entities", "split", "joined",
        *KINDS,
    ]  # fmt: skip
    return Table(heads, rows, rules=[len(manners) - 1] if manners else ())


def _row(name: str, own: MarkedScore) -> list[str]:
    shares = [
        f"{100 * share:.1f}"
        for score in (own.spans, own.b_cubed)
        for share in (score.precision, score.recall, score.f1)
    ]
    counts = [own.entities, own.split, own.joined, *(own.kinds[kind] for kind in KINDS)]
    return [name, str(own.texts), f"{own.spans.true:.0f}", *shares, *map(str, counts)]

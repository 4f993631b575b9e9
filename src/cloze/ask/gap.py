"""The gap of a question, however it is written.

    Producer X resigned, producer ___ resigned     a sign or a letter
    Who resigned? Where was it sold?               the word that a question begins with

A sign counts before a letter, a capital X before a small one, and any of them before a word.
"""

import re
from dataclasses import dataclass

from cloze.errors import UserError
from cloze.names.language import Language, load_language

GAP = "___"
STAND_IN = "Kim"  # replaces the gap for the tagger: a name of the same length

# The OpenAPI description has these rules too, so they are written to mean the same in JSON Schema:
# without \w and \b, whose letters differ from one language to another.
_SPACE = " \t\n\r\u00a0"
_SIGN = "@placeholder|__+"
_BEFORE, _AFTER = f"{_SPACE}\"'(\\[{{“‘«„—–/-", f"{_SPACE}\"'.,;:!?)\\]}}’”»…—–/"
_GAP_SIGN = re.compile(_SIGN)
_GAP_LETTERS = [  # not SpaceX, not X-ray
    re.compile(f"(?:^|(?<=[{_BEFORE}])){letter}(?=$|[{_AFTER}])") for letter in "Xx"
]


class Refusal(UserError):
    """A text that cannot be asked about; `field` says which one, `code` why."""

    def __init__(self, code: str, field: str, what: str, fix: str | None = None) -> None:
        super().__init__(what, fix=fix)
        self.code = code
        self.field = field


@dataclass(frozen=True, slots=True)
class Gapped:
    """A question with GAP in place of the missing name."""

    text: str
    start: int

    @property
    def for_tagger(self) -> str:
        """The sentence with a name in the gap, which a tagger understands better."""
        return self.text[: self.start] + STAND_IN + self.text[self.start + len(GAP) :]

    @property
    def spaced(self) -> str:
        """The sentence with spaces around its gap, so that the gap is a token."""
        end = self.start + len(GAP)
        return f"{self.text[: self.start]} {GAP} {self.text[end:]}"

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a mention is in `spaced`; nowhere if it touches the gap."""
        if end <= self.start:
            return start, end
        return (start + 2, end + 2) if start >= self.start + len(GAP) else None


def find_gap(question: str, language: Language | None = None) -> Gapped:
    """Find the one gap of a question.

    >>> find_gap("Malcolm X met @placeholder's brother").text
    "Malcolm X met ___'s brother"
    >>> find_gap("Whose brother did Malcolm X meet?").text
    'Whose brother did Malcolm ___ meet?'
    >>> find_gap("Whose brother did they meet?").text
    "___'s brother did they meet"
    >>> find_gap("Where did they meet?").text
    'they meet in ___'
    """
    found = next((f for p in (_GAP_SIGN, *_GAP_LETTERS) if (f := list(p.finditer(question)))), [])
    if len(found) > 1:
        what = f"the question has {len(found)} gaps"
        raise Refusal("two_gaps", "question", what, "mark the one that is asked for with ___")
    if found:
        start, end = found[0].span()
        return _gapped(question[:start], question[end:])
    return _asked_by_word(question, language or load_language("en"))


def _asked_by_word(question: str, language: Language) -> Gapped:
    """The first word as the gap; with "which ship", both words."""
    first, then = _first_word(question)
    after = then.rstrip(f"{_SPACE}?")
    if first in language.asks_for_owner:
        return _gapped("", language.owner_ending + after)
    if first in language.asks_for_place and _first_word(after)[0] in language.no_nouns:
        return _at_the_end(after, language, language.before_place)
    if first in language.asks_which:
        noun, rest = _first_word(after)
        after = rest if rest and noun not in language.no_nouns else after
    elif first not in language.asks_for_name | language.asks_for_place:
        raise _no_gap(language)
    # "Whom did Lund meet?" asks for the object, "Who met Lund?" for the subject.
    is_object = _first_word(after)[0] in language.empty_verbs
    return _at_the_end(after, language) if is_object else _gapped("", after)


def _at_the_end(rest: str, language: Language, preposition: str = "") -> Gapped:
    """Where a statement has what is asked for: Where did she go? -> she go in ___"""
    verb, after = _first_word(rest)
    words = after if verb in language.empty_verbs else rest
    has_one = words.rpartition(" ")[2].lower() in language.where  # Where did she go to?
    return _gapped(f"{words} " if has_one or not preposition else f"{words} {preposition} ", "")


def _no_gap(language: Language) -> Refusal:
    fix = "put X, @placeholder or ___ in the place of the name that is asked for"
    words = sorted(language.asks_for_name | language.asks_for_place | language.asks_for_owner)
    more = f", or begin with {', '.join(words)}" if words else ""
    return Refusal("no_gap", "question", "the question has no gap", fix + more)


def _first_word(text: str) -> tuple[str, str]:
    """The first word in lower case, and what follows it with the space between them."""
    found = re.match(f"[{_SPACE}\"'“‘«„]*([^{_SPACE}{_AFTER}]+)", text)
    return (found[1].lower(), text[found.end() :]) if found else ("", text)


def _gapped(before: str, after: str) -> Gapped:
    before = re.sub(r"\s+", " ", before).lstrip()
    return Gapped(before + GAP + re.sub(r"\s+", " ", after).rstrip(), len(before))


def _letters(letter: str, others: str) -> str:
    """Two gaps that are letters, where none of the others is there."""
    no_other = f"^(?![^]*({others}))[^]*"
    return f"{no_other}(^|[{_BEFORE}]){letter}(?=[{_AFTER}])[^]*[{_BEFORE}]{letter}($|[{_AFTER}])"


def _word(words: frozenset[str]) -> str:
    """A question that begins with one of the words, in any case."""
    some = "|".join("".join(f"[{c}{c.upper()}]" for c in word) for word in sorted(words))
    return f"^[{_SPACE}\"'“‘«„]*({some})($|[{_AFTER}])"


_ENGLISH = load_language("en")
_ASKING = (
    _ENGLISH.asks_for_name | _ENGLISH.asks_for_place | _ENGLISH.asks_for_owner | _ENGLISH.asks_which
)
_ONE_X = f"(^|[{_BEFORE}])X($|[{_AFTER}])"
HAS_GAP = f"{_SIGN}|(^|[{_BEFORE}])[Xx]($|[{_AFTER}])|{_word(_ASKING)}"
HAS_TWO_GAPS = (
    "@placeholder[^]*(@placeholder|__)|__[^]*@placeholder|__[^_][^]*__"
    f"|{_letters('X', _SIGN)}|{_letters('x', f'{_SIGN}|{_ONE_X}')}"
).replace("[^]", r"[\s\S]")

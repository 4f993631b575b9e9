"""Named mentions of a data point: spans on its texts become names, names are found everywhere.

An entity tagger sees a sentence at a time and says one thing here and another there. Within one
data point a name that was found once is a name wherever it stands, in the article and in the
highlights alike, longest first:

    spans      [Jeremy Clarkson] ... Clarkson said ... dropped by the [BBC]
    mentions   [Jeremy Clarkson] ... [Clarkson] said ... dropped by the [BBC]
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cloze.corpus.document import Spacing
from cloze.corpus.tokens import Tokens

TYPES = frozenset("PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE".split())
Span = tuple[int, int, str]  # characters [start, end) and the type
LONGEST_NAME = 14  # words; what a tagger calls a name beyond this is a run-away sentence

_DROP_BEFORE = frozenset("the The THE a A an An this This".split())
_DROP_AFTER = frozenset(["'s", "’s", "'S", "’S", "'", "’"])
_MONTHS_AND_DAYS = frozenset(
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)
_SUFFIXES = frozenset("Jr Jr. Sr Sr. II III IV".split())
_SENTENCE_END = frozenset([".", "?", "!", '"', "“", "”", ":", "...", "•", "*", "--"])


@dataclass(slots=True)
class Name:
    """A spelling that stands for something, with how often a tagger gave it which type."""

    words: tuple[str, ...]
    votes: Counter[str] = field(default_factory=Counter)

    @property
    def type(self) -> str:
        """The type with most votes; of equals the alphabetically first, so that order is moot."""
        return min(self.votes, key=lambda label: (-self.votes[label], label), default="")


class Mention(NamedTuple):
    """Tokens [first, last) of a text, and which of the data point's names stands there."""

    first: int
    last: int
    name: int


def find_mentions(
    texts: Sequence[Tokens], spans: Sequence[Iterable[Span]]
) -> tuple[list[Name], list[list[Mention]]]:
    """The names of a data point and, for each of its texts, where they stand."""
    names: dict[tuple[str, ...], Name] = {}
    tagged: list[set[int]] = []
    for tokens, found in zip(texts, spans, strict=True):
        starts: set[int] = set()
        for start, end, label in found:
            if label in TYPES:
                first, last = _trim(tokens.words, *_word_range(tokens, start, end))
                words = tuple(tokens.words[first:last])
                if _is_name(words):
                    names.setdefault(words, Name(words)).votes[label] += 1
                    starts.add(first)
        tagged.append(starts)
    vocabulary = set().union(*(tokens.words for tokens in texts))
    _add_surnames(names, vocabulary)
    known = list(names.values())
    index = _index(known)
    doubtful = {n.words[0] for n in known if len(n.words) == 1 and n.words[0].lower() in vocabulary}
    return known, [
        _scan(tokens, index, doubtful, starts) for tokens, starts in zip(texts, tagged, strict=True)
    ]


def _word_range(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """The tokens that the characters [start, end) touch."""
    first = bisect_left(tokens.starts, start)
    if first and (first == len(tokens.starts) or tokens.starts[first] > start):
        before = first - 1
        if tokens.starts[before] + len(tokens.words[before]) > start:
            first = before
    return first, bisect_left(tokens.starts, end, lo=first)


def _trim(words: Sequence[str], first: int, last: int) -> tuple[int, int]:
    while first < last and (words[first] in _DROP_BEFORE or not _has_letter(words[first])):
        first += 1
    while first < last and (words[last - 1] in _DROP_AFTER or not _has_letter(words[last - 1])):
        last -= 1
    return first, last


def _has_letter(word: str) -> bool:
    return word[0].isalnum() or any(c.isalnum() for c in word)


def _is_name(words: tuple[str, ...]) -> bool:
    if not words or len(words) > LONGEST_NAME:
        return False
    if len(words) == 1 and (len(words[0]) < 2 or words[0] in _MONTHS_AND_DAYS):
        return False
    return any(c.isupper() for word in words for c in word)


def _add_surnames(names: dict[tuple[str, ...], Name], vocabulary: set[str]) -> None:
    """A person named in full is often named by the surname alone, where no tagger saw it."""
    for name in list(names.values()):
        if len(name.words) < 2 or name.type != "PERSON":
            continue
        surname = name.words[-2] if name.words[-1] in _SUFFIXES else name.words[-1]
        if (
            surname in vocabulary
            and (surname,) not in names
            and _is_name((surname,))
            and surname[0].isupper()
            and surname.lower() not in vocabulary
        ):
            names[(surname,)] = Name((surname,), Counter(PERSON=1))


Index = dict[str, list[tuple[tuple[str, ...], int]]]


def _index(names: Sequence[Name]) -> Index:
    """Names by their first word, the longest first."""
    index: Index = {}
    for number, name in enumerate(names):
        index.setdefault(name.words[0], []).append((name.words, number))
    for found in index.values():
        found.sort(key=lambda item: -len(item[0]))
    return index


def _scan(tokens: Tokens, index: Index, doubtful: set[str], tagged: set[int]) -> list[Mention]:
    words, spacing = tokens.words, tokens.spacing
    mentions: list[Mention] = []
    free = 0  # the first token after the last mention
    for first in [i for i, word in enumerate(words) if word in index]:
        if first < free:
            continue
        for name, number in index[words[first]]:
            last = first + len(name)
            if len(name) > 1:
                if tuple(words[first:last]) != name:
                    continue
                if Spacing.PARAGRAPH in spacing[first : last - 1]:
                    continue
            elif (
                words[first] in doubtful
                and first not in tagged
                and (first == 0 or words[first - 1] in _SENTENCE_END)
            ):
                continue  # "Will he go?" is not a mention of Will
            mentions.append(Mention(first, last, number))
            free = last
            break
    return mentions

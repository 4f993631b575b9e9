"""Names that a tagger missed or cut short, told by their capitals.

In a language that keeps capitals for names, a run of capitalised words in the middle of a sentence
is one: "tested for Ebola", "the band One Direction". Where the tagger saw a part, the run gives the
whole: "David [Giles]" is "David Giles". Words that are capitalised for another reason (the
beginning of a sentence, an office, a day, "TV") end a run. Capitals in quotation marks are a title:
a role in "Cabaret". Where capitals are all over the place, as in German or in headlines, they say
nothing, and nothing is added.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cloze.names.lexicon import (
    ABBREVIATED,
    ARTICLES,
    CAPITALISED_WORDS,
    DAYS_AND_MONTHS,
    OFFICES,
)
from cloze.names.tokens import Tokens
from cloze.text import Spacing

_NAME_LIKE = re.compile(r"[^\W\d_a-z].*\w.*|[^\W\d_a-z]\.")
_OPENS_SENTENCE = frozenset(". ? ! \" “ ” ‘ ' ’ : ; -- – — ... … • * ( [ / @ #".split())
_ALONE = OFFICES | DAYS_AND_MONTHS | ABBREVIATED
QUOTES = frozenset('"“”')
_SMALL = frozenset("of the and a an in on for to with at by from or & 's ’s - : ,".split())
_LONGEST_TITLE = 8
_TOO_MANY = 0.06  # of the words: here capitals stand for something other than names


class Run(NamedTuple):
    """Tokens [first, last) of a text that make one name."""

    first: int
    last: int


def opens_sentence(tokens: Tokens, place: int) -> bool:
    """Whether the capital of the word here may be owed to its place."""
    return (
        place == 0
        or tokens.words[place - 1] in _OPENS_SENTENCE
        or tokens.spacing[place - 1] == Spacing.PARAGRAPH
    )


def runs_of_capitals(
    texts: Sequence[Tokens], covered: Sequence[bytearray], vocabulary: set[str]
) -> list[list[Run]]:
    """In each text the runs that hold at least one word no mention covers.

    `covered` marks the tokens of known mentions; `vocabulary` holds all words of the texts.
    """
    found = [list(_runs(*both, vocabulary)) for both in zip(texts, covered, strict=True)]
    words = sum(len(tokens.words) for tokens in texts)
    return found if sum(map(len, found)) <= _TOO_MANY * words else [[] for _ in texts]


def _runs(tokens: Tokens, covered: bytearray, vocabulary: set[str]) -> Iterator[Run]:
    words, spacing = tokens.words, tokens.spacing
    done = 0
    for place in [i for i, word in enumerate(words) if not covered[i] and word[0].isupper()]:
        if place < done:
            continue
        if place and words[place - 1] in QUOTES and (title := _quoted(tokens, place, vocabulary)):
            done = title.last
            yield title
            continue
        if not _joins(words[place]):
            continue
        if opens_sentence(tokens, place) and not _strong(tokens, place, covered, vocabulary):
            continue
        first = place
        while first and covered[first - 1] and spacing[first - 1] == Spacing.SPACE:
            first -= 1
        done = last = _end(tokens, place + 1, covered)
        if last < len(words) and words[last] in OFFICES:
            while last > first and not covered[last - 1]:  # "[U.N.] High Commissioner"
                last -= 1
        while first < last and words[first] in ARTICLES:
            first += 1
        if last - first == 1 and not _stands_alone(words[first], vocabulary):
            continue
        if not all(covered[first:last]):
            yield Run(first, last)


def _strong(tokens: Tokens, place: int, covered: bytearray, vocabulary: set[str]) -> bool:
    """A name even at the beginning of a sentence: capitals throughout, or two words with them."""
    word = tokens.words[place]
    after = tokens.words[place + 1] if place + 1 < len(tokens.words) else ""
    if word in CAPITALISED_WORDS or word.lower() in vocabulary:
        return False
    if len(word) > 2 and word.isupper():
        return not after.isupper()  # or else it is SHOUTING
    return (
        after != ""
        and tokens.spacing[place] == Spacing.SPACE
        and not covered[place + 1]
        and after not in CAPITALISED_WORDS
        and _joins(after)
        and not after.isupper()
        and after.lower() not in vocabulary
    )


def _end(tokens: Tokens, last: int, covered: bytearray) -> int:
    """Where the run that has come up to `last` ends."""
    words, spacing = tokens.words, tokens.spacing
    while last < len(words) and spacing[last - 1] != Spacing.PARAGRAPH:
        if covered[last] or _joins(words[last]):
            last += 1
        elif (
            words[last] in ("-", "of")  # "Paris Saint-Germain", "Siege of Petersburg"
            and last + 1 < len(words)
            and spacing[last] != Spacing.PARAGRAPH
            and (covered[last + 1] or _joins(words[last + 1]))
        ):
            last += 2
        else:
            break
    return last


def _quoted(tokens: Tokens, first: int, vocabulary: set[str]) -> Run | None:
    """A title in quotation marks: capitals only, but for small words, and no stop at its end."""
    words, spacing = tokens.words, tokens.spacing
    if spacing[first - 1] != Spacing.NOTHING:
        return None
    for last in range(first, min(first + _LONGEST_TITLE + 1, len(words))):
        word = words[last]
        if word in QUOTES:
            comma = words[last - 1] == ","  # the comma of the sentence around the title
            end = last - comma
            if end <= first or words[end - 1] in _SMALL:
                return None
            if end - first == 1 and (comma or not _stands_alone(words[first], vocabulary)):
                return None  # "Suddenly," he said
            return Run(first, end)
        if not (word[0].isupper() or word[0].isdigit() or word in _SMALL):
            return None
        if spacing[last] == Spacing.PARAGRAPH:
            return None
    return None


def _stands_alone(word: str, vocabulary: set[str]) -> bool:
    return len(word) > 2 and word not in CAPITALISED_WORDS and word.lower() not in vocabulary


def _joins(word: str) -> bool:
    """Whether a capitalised word may be part of a name of several words."""
    return word not in _ALONE and _NAME_LIKE.fullmatch(word) is not None

"""Names that a tagger missed or cut short, recognised by their capitals.

In a language that keeps capitals for names, a run of capitalised words in the middle of a sentence
is a name: "tested for Ebola", "the band One Direction". If the tagger saw a part, the run gives the
whole: "David [Giles]" is "David Giles". Words that are capitalised for another reason (the
beginning of a sentence, an office, a day, "TV") end a run. Capitals in quotation marks are a title:
a role in "Cabaret". Where capitals are everywhere, as in headlines, they mean nothing, and no name
is added; nor is one in a language such as German, which capitalises every noun.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cloze.names.language import Language
from cloze.names.tokens import Tokens
from cloze.text import Spacing

_NAME_LIKE = re.compile(r"[^\W\d_a-z].*\w.*|[^\W\d_a-z]\.")
_LONGEST_TITLE = 8
_TOO_MANY = 0.06  # of the words: beyond this, capitals do not mean names


class Run(NamedTuple):
    """Tokens [first, last) of a text that make one name."""

    first: int
    last: int


def opens_sentence(tokens: Tokens, place: int, language: Language) -> bool:
    """Whether the word here may be capitalised only because of its position."""
    return (
        place == 0
        or tokens.words[place - 1] in language.opens_after
        or tokens.spacing[place - 1] == Spacing.PARAGRAPH
        or (language.rules >= 2 and _follows_dash(tokens, place))
    )


def _follows_dash(tokens: Tokens, place: int) -> bool:
    """LONDON, March 4 - Engineers"""
    return (
        place > 1
        and tokens.words[place - 1] == "-"
        and tokens.spacing[place - 1] == tokens.spacing[place - 2] == Spacing.SPACE
    )


def runs_of_capitals(
    texts: Sequence[Tokens],
    covered: Sequence[bytearray],
    vocabulary: set[str],
    language: Language,
) -> list[list[Run]]:
    """The runs in each text with at least one word that no mention covers.

    `covered` marks the tokens of known mentions; `vocabulary` holds all words of the texts.
    """
    if not language.capitals_are_names:
        return [[] for _ in texts]
    found = [list(_runs(*both, vocabulary, language)) for both in zip(texts, covered, strict=True)]
    words = sum(len(tokens.words) for tokens in texts)
    return found if sum(map(len, found)) <= _TOO_MANY * words else [[] for _ in texts]


def _runs(
    tokens: Tokens, covered: bytearray, vocabulary: set[str], language: Language
) -> Iterator[Run]:
    words, spacing = tokens.words, tokens.spacing
    quotes = language.around_titles
    done = 0
    for place in [i for i, word in enumerate(words) if not covered[i] and word[0].isupper()]:
        if place < done:
            continue
        if (
            place
            and words[place - 1] in quotes
            and (title := _quoted(tokens, place, vocabulary, language))
        ):
            done = title.last
            yield title
            continue
        if not _joins(words[place], language):
            continue
        if opens_sentence(tokens, place, language) and not _strong(
            tokens, place, covered, vocabulary, language
        ):
            continue
        first = place
        while first and covered[first - 1] and spacing[first - 1] == Spacing.SPACE:
            first -= 1
        done = last = _end(tokens, place + 1, covered, language)
        if last < len(words) and words[last] in language.offices:
            while last > first and not covered[last - 1]:  # "[U.N.] High Commissioner"
                last -= 1
        while first < last and words[first] in language.articles:
            first += 1
        if last - first == 1 and not _stands_alone(words[first], vocabulary, language):
            continue
        if not all(covered[first:last]):
            yield Run(first, last)


def _strong(
    tokens: Tokens, place: int, covered: bytearray, vocabulary: set[str], language: Language
) -> bool:
    """A name even at the beginning of a sentence: all capitals, or two capitalised words."""
    word = tokens.words[place]
    after = tokens.words[place + 1] if place + 1 < len(tokens.words) else ""
    if word in language.capitalised or word.lower() in vocabulary:
        return False
    if len(word) > 2 and word.isupper():
        return not after.isupper()  # otherwise it is SHOUTING
    return (
        after != ""
        and tokens.spacing[place] == Spacing.SPACE
        and not covered[place + 1]
        and after not in language.capitalised
        and _joins(after, language)
        and not after.isupper()
        and after.lower() not in vocabulary
    )


def _end(tokens: Tokens, last: int, covered: bytearray, language: Language) -> int:
    """Where a run that reaches at least to `last` ends."""
    words, spacing = tokens.words, tokens.spacing
    while last < len(words) and spacing[last - 1] != Spacing.PARAGRAPH:
        if covered[last] or _joins(words[last], language):
            last += 1
        elif (
            (
                words[last] == "-" or words[last] in language.linking
            )  # "Paris Saint-Germain", "Siege of Petersburg"
            and last + 1 < len(words)
            and spacing[last] != Spacing.PARAGRAPH
            and (covered[last + 1] or _joins(words[last + 1], language))
        ):
            last += 2
        else:
            break
    return last


def _quoted(tokens: Tokens, first: int, vocabulary: set[str], language: Language) -> Run | None:
    """A title in quotation marks: all words but small ones capitalised, and no full stop."""
    words, spacing, small = tokens.words, tokens.spacing, language.small_in_titles
    if spacing[first - 1] != Spacing.NOTHING:
        return None
    for last in range(first, min(first + _LONGEST_TITLE + 1, len(words))):
        word = words[last]
        if word in language.around_titles:
            comma = words[last - 1] == ","  # the comma of the sentence around the title
            end = last - comma
            if end <= first or words[end - 1] in small:
                return None
            if end - first == 1 and (
                comma or not _stands_alone(words[first], vocabulary, language)
            ):
                return None  # "Suddenly," he said
            return Run(first, end)
        if not (word[0].isupper() or word[0].isdigit() or word in small):
            return None
        if spacing[last] == Spacing.PARAGRAPH:
            return None
    return None


def _stands_alone(word: str, vocabulary: set[str], language: Language) -> bool:
    return len(word) > 2 and word not in language.capitalised and word.lower() not in vocabulary


def _joins(word: str, language: Language) -> bool:
    """Whether a capitalised word may be part of a name of several words."""
    return word not in language.alone and _NAME_LIKE.fullmatch(word) is not None

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
from cloze.names.plain_words import is_amount, is_numbered, is_symbol, may_be_person, stands_as_noun
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens
from cloze.text import Spacing

_NAME_LIKE = re.compile(r"[^\W\d_a-z].*\w.*|[^\W\d_a-z]\.")
_LONGEST_TITLE = 8
_SOME = frozenset(["a", "an", "A", "An", "any", "every", "each"])
_APOSTROPHES = frozenset("'’")
PERSON = b"\2"  # marks the words of people's names
_TOO_MANY = 0.06  # of the words: here capitals stand for something other than names


class Run(NamedTuple):
    """Tokens [first, last) of a text that make one name."""

    first: int
    last: int


def runs_of_capitals(
    texts: Sequence[Tokens],
    capitals: Sequence[Sequence[int]],
    covered: Sequence[bytearray],
    vocabulary: set[str],
    language: Language,
) -> list[list[Run]]:
    """The runs in each text with at least one word that no mention covers.

    `capitals` are the places of capitalised words; `covered` marks the tokens of known mentions;
    `vocabulary` holds all words of the texts.
    """
    if not language.capitals_are_names:
        return [[] for _ in texts]
    found = [
        list(_runs(*own, vocabulary, language))
        for own in zip(texts, capitals, covered, strict=True)
    ]
    words = sum(len(tokens.words) for tokens in texts)
    return found if sum(map(len, found)) <= _TOO_MANY * words else [[] for _ in texts]


def _runs(
    tokens: Tokens,
    capitals: Sequence[int],
    covered: bytearray,
    vocabulary: set[str],
    language: Language,
) -> Iterator[Run]:
    words, spacing = tokens.words, tokens.spacing
    quotes = language.around_titles
    done = 0
    for place in [place for place in capitals if not covered[place]]:
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
        if (
            language.lower_case
            and words[place].isupper()
            and _is_before_person(place, covered, words)
        ):
            continue
        if opens_sentence(tokens, place, language) and not _strong(
            tokens, place, covered, vocabulary, language
        ):
            after = words[place + 1] if place + 1 < len(words) else "."
            if after[0].isupper() and after.lower() in language.ordinary:
                done = _end(tokens, place, place + 1, covered, language)  # Current News
            continue
        first = place
        while first and covered[first - 1] and spacing[first - 1] == Spacing.SPACE:
            first -= 1
        done = last = _end(tokens, first, place + 1, covered, language)
        if last < len(words) and words[last] in language.offices:
            while last > first and not covered[last - 1]:  # "[U.N.] High Commissioner"
                last -= 1
        while first < last and (
            words[first] in language.articles or words[first] in language.determiners
        ):
            first += 1
        if language.lower_case:
            first = _without_lead(tokens, first, last, covered, language)
        if last - first == 1 and not (
            _stands_alone(words[first], vocabulary, language)
            and _is_no_noun(tokens, first, language)
        ):
            continue
        if (
            not all(covered[first:last])
            and not _is_some_thing(tokens, first, last, language)
            and not is_numbered(words[first:last], language)
            and not _has_number(words, first, last, language)
        ):
            yield Run(first, last)


def _has_number(words: Sequence[str], first: int, last: int, language: Language) -> bool:
    """ "Claims 1 and 9" """
    return (
        last == first + 1
        and words[first] in language.numbered
        and words[last : last + 1] != []
        and words[last].isdigit()
    )


def _is_before_person(place: int, covered: bytearray, words: Sequence[str]) -> bool:
    """ "MCA [Boniface Ouma]": letters in front of a person are an office."""
    return len(words[place]) > 1 and covered[place + 1 : place + 2] == PERSON


def _is_some_thing(tokens: Tokens, first: int, last: int, language: Language) -> bool:
    """ "a Point of Sale operator": plain words behind "a" name nothing."""
    before = tokens.words[first - 1] if first else ""
    return before in _SOME and all(
        word.lower() in language.ordinary for word in tokens.words[first:last]
    )


def _without_lead(
    tokens: Tokens, first: int, last: int, covered: bytearray, language: Language
) -> int:
    """Where a run begins, without what a tagger left out before a person: King [Osric]."""
    words = tokens.words
    if first and words[first - 1] in language.articles:
        return first  # a ship, the Queen Adelaide
    while first + 1 < last and not covered[first]:
        word = words[first]
        if not (
            (
                covered[first + 1] == PERSON[0]
                and (
                    word.lower() in language.lower_case
                    or f"{word}." in language.offices
                    or (word in language.plain and words[first - 1] in language.titles)
                )
            )
            or (
                word in language.titles_of_people
                and (
                    all(mark == PERSON[0] for mark in covered[first + 1 : last])
                    or may_be_person(words[first + 1 : last], language)
                )
            )
        ):
            break
        first += 1
    return first


def _strong(
    tokens: Tokens, place: int, covered: bytearray, vocabulary: set[str], language: Language
) -> bool:
    """A name even at the beginning of a sentence: all capitals, or two capitalised words."""
    word = tokens.words[place]
    after = tokens.words[place + 1] if place + 1 < len(tokens.words) else ""
    lower = word.lower()
    if word in language.capitalised or lower in vocabulary or lower in language.lower_case:
        return False
    if lower in language.either_case and after.lower() in language.ordinary:
        return False
    if len(word) > 2 and word.isupper():
        # or else it is SHOUTING, or says who speaks
        return not after.isupper() and not (language.lower_case and after == ":")
    return (
        after != ""
        and tokens.spacing[place] == Spacing.SPACE
        and not covered[place + 1]
        and after not in language.capitalised
        and _joins(after, language)
        and not after.isupper()
        and after.lower() not in vocabulary
    )


def _may_go_on(words: Sequence[str], first: int, last: int, language: Language) -> bool:
    """Whether "of" or a hyphen goes on with the name: Siege of Petersburg, but not Marques Pinto of
    Lisbon, nor Board of Directors of Orlen."""
    if not language.lower_case or words[last] == "-":
        return True
    before = words[last - 1]
    if last - first > 1 and before in language.divisions and before not in language.places_of:
        return False  # Orlen North LGA of Kuramo State
    return before not in language.posts and (
        last - first == 1 or before.lower() in language.ordinary
    )


def _end(tokens: Tokens, first: int, last: int, covered: bytearray, language: Language) -> int:
    """Where the run that has come up to `last` ends."""
    words, spacing = tokens.words, tokens.spacing
    while last < len(words) and spacing[last - 1] != Spacing.PARAGRAPH:
        if covered[last] or (
            _joins(words[last], language)
            and not (
                language.lower_case
                and words[last].isupper()
                and _is_before_person(last, covered, words)
            )
        ):
            last += 1
        elif (
            (
                words[last] == "-" or words[last] in language.linking
            )  # "Paris Saint-Germain", "Siege of Petersburg"
            and last + 1 < len(words)
            and _may_go_on(words, first, last, language)
            and spacing[last] != Spacing.PARAGRAPH
            and (covered[last + 1] or _joins(words[last + 1], language))
        ) or (
            words[last] in _APOSTROPHES  # Parents' Association
            and language.lower_case
            and words[last - 1].endswith("s")
            and last + 1 < len(words)
            and (words[last + 1].lower() in language.ordinary or words[last + 1] in language.bodies)
            and _joins(words[last + 1], language)
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
            if (
                comma
                and words[first].lower() in language.lower_case
                and language.openers.isdisjoint(words[first + 1 : end])
            ):
                return None  # "Go by Orsk," he said
            return Run(first, end)
        if not (word[0].isupper() or word[0].isdigit() or word in small):
            return None
        if spacing[last] == Spacing.PARAGRAPH:
            return None
    return None


def _stands_alone(word: str, vocabulary: set[str], language: Language) -> bool:
    return len(word) > 2 and word not in language.capitalised and word.lower() not in vocabulary


def _is_no_noun(tokens: Tokens, place: int, language: Language) -> bool:
    """A plain word that no tagger saw is a name only where it stands as one: "ask Tortoise"."""
    word = tokens.words[place]
    if not language.lower_case:
        return True
    if is_symbol(tokens, place):
        return False
    if word.isupper() and tokens.words[place + 1 : place + 2] == [":"]:
        return False  # SECOND CALLER:
    if word.lower() not in language.ordinary:
        return not is_amount(tokens, place, language)
    return not (
        (word.isupper() and word.lower() in language.lower_case)
        or stands_as_noun(tokens, place, language)
    )


def _joins(word: str, language: Language) -> bool:
    """Whether a capitalised word may be part of a name of several words."""
    return (
        word not in language.alone
        and _NAME_LIKE.fullmatch(word) is not None
        and not (language.millions and "." in word and word[1].isdigit())
    )

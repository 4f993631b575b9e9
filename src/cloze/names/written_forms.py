"""Names that are told by how they are written, of which taggers see a part: the second rules.

the Lok Pragati Manch (LPM)           the letters in brackets show how far the name goes
the Sale of Vessels Act 2016, Mvua-3  a law's year and a model's number are part of it
Orlen, Pell & Lund    Chico's Bar     partners and owners
William “Bill” Probert                somebody's nickname
"""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from cloze.names.coreference.organisations import initials
from cloze.names.headings import places_of
from cloze.names.language import Language
from cloze.names.tokens import Tokens
from cloze.text import Spacing

Form = tuple[tuple[str, ...], str]  # a name's words and its type
_BACK = 12  # words before a bracket that are searched for its expansion
_LONGEST_DEFINED = 4  # words of a short form that is given in quotation marks
_INSIDE = frozenset("' ’ - – &".split())
_STOPS = frozenset(", :".split())
OF_SHOPS = frozenset(["'s", "’s"])
_SINGLE_QUOTES = frozenset("' ‘ ’".split())


class Signs(NamedTuple):
    """What a data point has of the tokens that show names."""

    quotes: Set[str]
    roads: Sequence[str]
    acts: Sequence[str]
    shops: Sequence[str]


def signs_in(vocabulary: Set[str], language: Language) -> Signs:
    return Signs(
        (language.around_titles | _SINGLE_QUOTES) & vocabulary,
        sorted(language.roads & vocabulary),
        sorted(language.acts & vocabulary),
        sorted(language.shops & vocabulary),
    )


def written_forms(
    tokens: Tokens, known: Set[str], signs: Signs, language: Language
) -> Iterator[Form]:
    """The names of a text that brackets, quotation marks, numbers and the like show; `known` are
    the first words of names."""
    words = tokens.words
    if "(" in words:
        brackets = list(places_of("(", words))
        yield from _before_brackets(tokens, brackets, language)
        yield from _in_quotes(tokens, brackets, language)
        yield from _with_countries(tokens, brackets, language)
    if signs.quotes:
        yield from _with_nicknames(tokens, signs.quotes, language)
    yield from _with_numbers(tokens, known)
    yield from _of_partners(tokens, language)
    if signs.roads:
        yield from _of_roads(tokens, signs.roads)
    yield from _with_indefinite_articles(tokens, language)


def _before_brackets(tokens: Tokens, brackets: Sequence[int], language: Language) -> Iterator[Form]:
    """A name and the acronym in brackets after it."""
    words = tokens.words
    for place in brackets:
        if words[place + 2 : place + 3] != [")"]:
            continue
        acronym = words[place + 1]
        if not (1 < len(acronym) < 8 and acronym.isalpha() and sum(map(str.isupper, acronym)) > 1):
            continue
        letters = "".join(filter(str.isupper, acronym))
        for first in range(place - 2, max(place - _BACK, -1), -1):
            inside = words[first:place]
            if tokens.spacing[first] == Spacing.PARAGRAPH or not _may_be_inside(
                words[first], language
            ):
                break
            if inside[0][0].isupper() and letters in initials(inside, language):
                yield tuple(inside), "ORG"
                yield (acronym,), "ORG"
                break


def _may_be_inside(word: str, language: Language) -> bool:
    return word[0].isupper() or word in language.not_in_acronyms or word in _INSIDE


def _in_quotes(tokens: Tokens, brackets: Sequence[int], language: Language) -> Iterator[Form]:
    """What a name is called from then on: Lanmar Shipping Limited (the “Company”)."""
    words = tokens.words
    for place in brackets:
        inside = words[place + 1 : place + 2 + _LONGEST_DEFINED + 3]
        first = next(
            (at for at, word in enumerate(inside[:2]) if word in language.around_titles), -1
        )
        if first < 0 or (first == 1 and inside[0] not in language.articles):
            continue
        rest = inside[first + 1 :]
        if rest[:1] and rest[0] in language.articles:
            rest = rest[1:]
        last = next((at for at, word in enumerate(rest) if word in language.around_titles), 0)
        if (
            last
            and rest[last + 1 : last + 2] == [")"]
            and place
            and words[place - 1][0].isupper()
            and all(word[0].isupper() for word in rest[:last])
        ):
            yield tuple(rest[:last]), "ORG"


def _with_nicknames(tokens: Tokens, quotes: Set[str], language: Language) -> Iterator[Form]:
    """ "William “Bill” Probert", of whom taggers see William, Bill and Probert, and Bill, who may
    be called by a plain word: Mo “The Blade” Hussein."""
    words = tokens.words
    nothing = int(Spacing.NOTHING)
    for place in sorted(at for quote in quotes for at in places_of(quote, words)):
        if tokens.spacing[place] != nothing or not words[place - 1][0].isupper():
            continue  # a mark that closes, or behind no name
        end = place + 2
        while end < place + 4 and end < len(words) and words[end] not in quotes:
            end += 1
        if not (place > 0 and end + 1 < len(words) and words[end] in quotes):
            continue
        before, nickname, last = words[place - 1], words[place + 1 : end], end + 1
        while last < len(words) - 1 and words[last] in language.particles:
            last += 1  # Theodora “Teddy” van Orlen
        after = words[last]
        if (
            _may_be_given_name(before, language)
            and (len(nickname) == 1 or nickname[0] in language.articles)
            and all(word.istitle() for word in nickname)
            and after.istitle()
            and after.lower() not in language.ordinary
            and tokens.spacing[place - 1] == tokens.spacing[end] == Spacing.SPACE
            and tokens.spacing[place] == tokens.spacing[end - 1] == Spacing.NOTHING
        ):
            last += 1
            if words[last : last + 1] == ["-"] and tokens.spacing[last] == Spacing.NOTHING:
                last += 2  # Ferdinand “Ding” Alba-Lim
            if words[last : last + 1] and words[last] in language.suffixes:
                last += 1
            yield tuple(words[place - 1 : last]), "PERSON"
            if len(nickname) == 1 and any(
                word == nickname[0] and not place < at < end for at, word in enumerate(words)
            ):
                yield tuple(nickname), "PERSON"


def _may_be_given_name(word: str, language: Language) -> bool:
    return word in language.given_names or (
        word.istitle()
        and word.isalpha()
        and word.lower() not in language.ordinary
        and word not in language.capitalised
    )


def _with_numbers(tokens: Tokens, known: Set[str]) -> Iterator[Form]:
    """ "Mvua-3" if Mvua or Mvua-2 is a name."""
    words, spacing = tokens.words, tokens.spacing
    for place in places_of("-", words):
        after = words[place + 1 : place + 2]
        if (
            place
            and after
            and after[0].isdigit()
            and words[place - 1] in known
            and spacing[place - 1] == spacing[place] == Spacing.NOTHING
        ):
            yield (words[place - 1], "-", after[0]), "PRODUCT"


def _with_countries(tokens: Tokens, brackets: Sequence[int], language: Language) -> Iterator[Form]:
    """ "Orlen Freight (UK) Limited", of which taggers see what is before the bracket."""
    words = tokens.words
    for place in brackets:
        end = place + 2
        if words[end : end + 1] == [")"] and end + 1 < len(words):
            first = place
            while first and words[first - 1][0].isupper() and words[first - 1].isalpha():
                first -= 1
            if first < place and words[end + 1] in language.firms:
                yield tuple(words[first : end + 2]), "ORG"


def _of_partners(tokens: Tokens, language: Language) -> Iterator[Form]:
    """ "Orlen, Pell & Lund", of which taggers see a person and a firm."""
    words = tokens.words
    for place in places_of("&", words):
        first = place - 1
        while first > 1 and words[first - 1] == ",":
            first -= 2
        inside = (*words[first:place:2], *words[place + 1 : place + 2])
        if first < place - 1 and all(
            word.istitle() and word.lower() not in language.ordinary for word in inside
        ):
            yield tuple(words[first : place + 2]), "ORG"


def _of_roads(tokens: Tokens, roads: Sequence[str]) -> Iterator[Form]:
    """ "Route 9" """
    words = tokens.words
    for place in [place for road in roads for place in places_of(road, words)]:
        if words[place + 1 : place + 2] and words[place + 1].isdigit():
            yield (words[place], words[place + 1]), "FAC"


def _with_indefinite_articles(tokens: Tokens, language: Language) -> Iterator[Form]:
    """ "her A Winter Without Men": in the middle of a sentence only a title begins with "A"."""
    words = tokens.words
    for place in places_of("A", words):
        before = words[place - 1] if place else ""
        if not before or not (before.islower() or before in language.determiners):
            continue
        last = place + 1
        while last < len(words) and (
            (len(words[last]) > 1 and words[last][0].isupper())
            or (words[last] in language.small_in_titles and words[last] not in _STOPS)
        ):
            last += 1
        while words[last - 1] in language.small_in_titles:
            last -= 1
        if last > place + 2 and tokens.spacing[place] == Spacing.SPACE:
            yield tuple(words[place:last]), "WORK_OF_ART"


def called_after_owners(
    tokens: Tokens, shops: Sequence[str], language: Language
) -> Iterator[tuple[str, ...]]:
    """ "Chico's Bar" and "Quill's Folly", of which taggers see the owner."""
    words = tokens.words
    for place in [place for shop in shops for place in places_of(shop, words)]:
        if place < 2 or words[place - 1].lower() not in OF_SHOPS:
            continue
        owner = words[place - 2]
        if (
            owner.istitle()
            and owner.lower() not in language.ordinary
            and owner not in language.known_places
            and owner not in language.days_and_months
            and words[place + 1 : place + 2] != ["of"]
        ):
            yield tuple(words[place - 2 : place + 1])


def with_years(
    tokens: Tokens, acts: Sequence[str], language: Language
) -> Iterator[tuple[str, ...]]:
    """ "Sale of Vessels Act 2016", and "the 2016 Act"."""
    words = tokens.words
    for place in [place for act in acts for place in places_of(act, words)]:
        number = words[place + 1 : place + 2]  # Act 85 of 1993
        year = place + 1 + bool(number and number[0].isdigit() and not _is_year(number[0]))
        year += words[year : year + 1] in (["of"], [","])  # Land Act, 2016
        if place and _is_year(words[place - 1]):
            yield (words[place - 1], words[place])
        elif year < len(words) and _is_year(words[year]):
            first = place
            while first and _may_be_of_act(words[first - 1], language):
                first -= 1
            while first < place and not words[first][0].isupper():
                first += 1
            yield tuple(words[first : year + 1])


def _may_be_of_act(word: str, language: Language) -> bool:
    if word in language.articles:
        return False
    return word[0].isupper() or word in language.not_in_acronyms or word in ("(", ")")


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and word[:2] in ("18", "19", "20")

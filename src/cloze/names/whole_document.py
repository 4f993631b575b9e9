"""What the whole data point says about its names, where a tagger saw one sentence at a time.

Justice Whaanga … Whaanga said             the name is [Whaanga]
the Lok Pragati Manch (LPM)                the letters in brackets show how far the name goes
the Sale of Vessels Act 2016, Mvua-3       a law's year and a model's number are part of it
HARBOUR FEES RISE IN TOLLAN                in a heading, only names that occur elsewhere too
"""

from collections.abc import Iterable, Iterator, Sequence, Set

from cloze.names.coreference.organisations import initials
from cloze.names.headings import (
    act_in_heading,
    bodies_in_heading,
    headings,
    names_in_heading,
    places_of,
)
from cloze.names.language import Language
from cloze.names.name import Name, Names, Span, is_name, vote
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens
from cloze.text import Spacing

Headings = list[tuple[int, int]]
_BACK = 12  # words before a bracket that are searched for its expansion
_LONGEST_DEFINED = 4  # words of a short form that is given in quotation marks
_INSIDE = frozenset("' ’ - – &".split())
_STOPS = frozenset(", :".split())
_OF_SHOPS = frozenset(["'s", "’s"])
_SINGLE_QUOTES = frozenset("' ‘ ’".split())


def outside_headings(
    texts: Sequence[Tokens], spans: Sequence[Iterable[Span]], language: Language
) -> tuple[list[Iterable[Span]], list[Headings]]:
    """The spans that are not in headings, and the headings of each text."""
    kept: list[Iterable[Span]] = []
    found: list[Headings] = []
    for tokens, own in zip(texts, spans, strict=True):
        here = headings(tokens, language)
        places = [
            (tokens.starts[first], tokens.starts[last - 1] + len(tokens.words[last - 1]))
            for first, last in here
        ]
        for begin, end in places:
            own = [_behind(span, begin, end) for span in own if not begin <= span[1] - 1 <= end]
        kept.append(own)
        found.append(here)
    return kept, found


def _behind(span: Span, begin: int, end: int) -> Span:
    """The part of a span behind a heading that it began in."""
    return (end, *span[1:]) if begin <= span[0] <= end else span


def look_again(
    names: Names, texts: Sequence[Tokens], vocabulary: set[str], language: Language
) -> None:
    """Correct the taggers' names with the help of the whole data point."""
    _without_openers(names, texts, language)
    shops = sorted(language.shops & vocabulary)
    for tokens in texts:
        for words in _called_after_owners(tokens, shops, language):
            vote(names, words, "FAC", 2)
    _add_shops(names, texts, language)
    known = {name[0] for name in names if len(name) == 1 or name[1:2] == ("-",)}
    acts = sorted(language.acts & vocabulary)
    roads = sorted(language.roads & vocabulary)
    quotes = (language.around_titles | _SINGLE_QUOTES) & vocabulary
    for tokens in texts:
        brackets = list(places_of("(", tokens.words))
        for words, label in (
            *_before_brackets(tokens, brackets, language),
            *_in_quotes(tokens, brackets, language),
            *_with_nicknames(tokens, quotes, language),
            *_with_numbers(tokens, known),
            *_with_countries(tokens, brackets, language),
            *_of_partners(tokens, language),
            *_of_roads(tokens, roads),
            *_with_indefinite_articles(tokens, language),
        ):
            if is_name(words, language):
                vote(names, words, label, 2)
                _drop_overlapping(names, words, language)
        for words in _with_years(tokens, acts, language):
            vote(names, words, "LAW", 2)
    _without_offices(names, language)


def _without_offices(names: Names, language: Language) -> None:
    """ "Justice Whaanga", taken for a court, is the Whaanga who is named elsewhere."""
    for words in list(names):
        first = 0
        while first < len(words) - 1 and words[first] in language.titles:
            first += 1
        rest = words[first:]
        if first and (rest in names or rest[-1:] in names) and rest[0] not in language.linking:
            known = names[rest] if rest in names else names[rest[-1:]]
            if "PERSON" in known.votes:
                del names[words]
                vote(names, rest, "PERSON")


def _without_openers(names: Names, texts: Sequence[Tokens], language: Language) -> None:
    """ "Keeper Hart" at the beginning of a sentence is Hart, unless he is so called elsewhere."""
    for words in list(names):
        if (
            len(words) > 1
            and len(words[0]) > 2
            and words[0].lower() in language.lower_case
            and words[0] not in language.given_names
            and all(word.lower() not in language.ordinary for word in words[1:])
            and (words[1:] in names or "PERSON" in names[words].votes)
            and not any(_stands_inside(words, tokens, language) for tokens in texts)
        ):
            votes = names.pop(words).votes
            names.setdefault(words[1:], Name(words[1:])).votes.update(votes)


def _called_after_owners(
    tokens: Tokens, shops: Sequence[str], language: Language
) -> Iterator[tuple[str, ...]]:
    """ "Chico's Bar" and "Quill's Folly", of which taggers see the owner."""
    words = tokens.words
    for place in [place for shop in shops for place in places_of(shop, words)]:
        if place < 2 or words[place - 1].lower() not in _OF_SHOPS:
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


def _add_shops(names: Names, texts: Sequence[Tokens], language: Language) -> None:
    """ "Chico's" where there is a Chico's Bar, and nobody who is called Chico."""
    for words in list(names):
        if (
            len(words) > 2
            and words[1] in language.possessives
            and words[1].lower() in _OF_SHOPS
            and words[0].lower() not in language.ordinary
            and words[0] not in language.known_places
            and words[-1] not in language.bodies  # the Orlen's Syndrome Society
            and not {"PERSON", "EVENT", "GPE"} & names[words].votes.keys()
            and all(
                tokens.words[place + 1 : place + 2] == [words[1]]
                for tokens in texts
                for place in places_of(words[0], tokens.words)
            )
        ):
            names.setdefault(words[:2], Name(words[:2])).votes.update(names[words].votes)


def _stands_inside(words: tuple[str, ...], tokens: Tokens, language: Language) -> bool:
    """Whether the words stand anywhere but at the beginning of a sentence."""
    return any(
        tuple(tokens.words[place : place + len(words)]) == words
        and not opens_sentence(tokens, place, language)
        for place in places_of(words[0], tokens.words)
    )


def _before_brackets(
    tokens: Tokens, brackets: Sequence[int], language: Language
) -> Iterator[tuple[tuple[str, ...], str]]:
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


def _in_quotes(
    tokens: Tokens, brackets: Sequence[int], language: Language
) -> Iterator[tuple[tuple[str, ...], str]]:
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


def _with_nicknames(
    tokens: Tokens, quotes: Set[str], language: Language
) -> Iterator[tuple[tuple[str, ...], str]]:
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


def _with_countries(
    tokens: Tokens, brackets: Sequence[int], language: Language
) -> Iterator[tuple[tuple[str, ...], str]]:
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


def _of_partners(tokens: Tokens, language: Language) -> Iterator[tuple[tuple[str, ...], str]]:
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


def _of_roads(tokens: Tokens, roads: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """ "Route 9" """
    words = tokens.words
    for place in [place for road in roads for place in places_of(road, words)]:
        if words[place + 1 : place + 2] and words[place + 1].isdigit():
            yield (words[place], words[place + 1]), "FAC"


def _with_indefinite_articles(
    tokens: Tokens, language: Language
) -> Iterator[tuple[tuple[str, ...], str]]:
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


def _drop_overlapping(names: Names, words: tuple[str, ...], language: Language) -> None:
    """ "Opposition Bharatiya" was cut out of the Bharatiya Kisan Samaj."""
    begins = {words[:cut] for cut in range(1, len(words))}
    for name in list(names):
        if name[0] in language.offices and name[1:] in begins:
            del names[name]


def _may_be_inside(word: str, language: Language) -> bool:
    return word[0].isupper() or word in language.not_in_acronyms or word in _INSIDE


def _with_numbers(tokens: Tokens, known: set[str]) -> Iterator[tuple[tuple[str, ...], str]]:
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


def _with_years(
    tokens: Tokens, acts: Sequence[str], language: Language
) -> Iterator[tuple[str, ...]]:
    """ "Sale of Vessels Act 2016", and "the 2016 Act"."""
    words = tokens.words
    for place in [place for act in acts for place in places_of(act, words)]:
        number = words[place + 1 : place + 2]  # Act 85 of 1993
        year = place + 1 + bool(number and number[0].isdigit() and not is_year(number[0]))
        year += words[year : year + 1] in (["of"], [","])  # Land Act, 2016
        if place and is_year(words[place - 1]):
            yield (words[place - 1], words[place])
        elif year < len(words) and is_year(words[year]):
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


def is_year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and word[:2] in ("18", "19", "20")


def add_bodies_of_headings(
    names: Names, texts: Sequence[Tokens], found: Sequence[Headings], language: Language
) -> None:
    """ "DUNMERE TOWN COUNCIL", "MINUTES OF THE PLANNING COMMITTEE"."""
    if not any(found):
        return
    for tokens, places in zip(texts, found, strict=True):
        for begin, end in places:
            heading = tokens.words[begin:end]
            if act_in_heading(heading, language):
                vote(names, tuple(heading[heading[0] == "THE" :]), "LAW")
            for words in bodies_in_heading(heading, language):
                vote(names, words, "ORG")


def add_names_of_headings(
    names: Names, texts: Sequence[Tokens], found: Sequence[Headings], language: Language
) -> None:
    """The names in headings, in capitals, each with the type that it has elsewhere."""
    if not any(found):
        return
    known = list(names.values())
    index: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for number, name in enumerate(known):
        capitals = tuple(word.upper() for word in name.words)
        index.setdefault(capitals[0], []).append((capitals, number))
    for own in index.values():
        own.sort(key=lambda item: -len(item[0]))
    endings = {word.upper() for word in language.designators}
    for tokens, places in zip(texts, found, strict=True):
        for begin, end in places:
            words = tokens.words[begin:end]
            for first, last, number in names_in_heading(words, index):
                if last < len(words) and words[last] in endings:
                    last += 1
                form = tuple(words[first:last])
                if form not in names:
                    names[form] = Name(form, known[number].votes.copy())

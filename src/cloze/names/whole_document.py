"""What the whole data point says about its names, where a tagger saw one sentence at a time.

Justice Whaanga … Whaanga said             the name is [Whaanga]
HARBOUR FEES RISE IN TOLLAN                in a heading, only names that occur elsewhere too

`names/written_forms.py` has the names that are told by how they are written.
"""

from collections.abc import Iterable, Sequence

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
from cloze.names.written_forms import (
    OF_SHOPS,
    called_after_owners,
    signs_in,
    with_years,
    written_forms,
)

Headings = list[tuple[int, int]]


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
    signs = signs_in(vocabulary, language)
    if signs.shops:
        for tokens in texts:
            for words in called_after_owners(tokens, signs.shops, language):
                vote(names, words, "FAC", 2)
    _add_shops(names, texts, language)
    known = {name[0] for name in names if len(name) == 1 or name[1:2] == ("-",)}
    for tokens in texts:
        for words, label in list(written_forms(tokens, known, signs, language)):
            if is_name(words, language):
                vote(names, words, label, 2)
                _drop_overlapping(names, words, language)
        if signs.acts:
            for words in with_years(tokens, signs.acts, language):
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


def _add_shops(names: Names, texts: Sequence[Tokens], language: Language) -> None:
    """ "Chico's" where there is a Chico's Bar, and nobody who is called Chico."""
    for words in list(names):
        if (
            len(words) > 2
            and words[1] in language.possessives
            and words[1].lower() in OF_SHOPS
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


def _drop_overlapping(names: Names, words: tuple[str, ...], language: Language) -> None:
    """ "Opposition Bharatiya" was cut out of the Bharatiya Kisan Samaj."""
    begins = {words[:cut] for cut in range(1, len(words))}
    for name in list(names):
        if name[0] in language.offices and name[1:] in begins:
            del names[name]


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

"""Sieve for short forms that taggers give another type than the full name: the second rules.

    Halden Launch AS … Halden        Department for Transport … the Department
    Ottakar Bridge … the Ottakar     Sale of Vessels Act 2016 … the Act
    Kagiso Mokoena … Mokoena         Club Atlético Rentistas del Sur … Rentistas

The full name comes first and its short form later. A short form that fits two names, or that is
already joined to something, is left alone, and so is a place: London is not London Bridge.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise

from cloze.names.coreference.clusters import Clusters
from cloze.names.coreference.spelling import letters
from cloze.names.heads import as_in_text, head_of, is_plain_head
from cloze.names.language import Language
from cloze.names.name import OTHER, Mention, Name

_PLACES = frozenset(["GPE", "LOC", "NORP", "LANGUAGE"])
_MADE = frozenset(["PRODUCT", "WORK_OF_ART", "EVENT"])  # by somebody who may be part of the name
_NEVER_AFTER = frozenset(["-", "and", "&"])
_LAST = range(2, 5)  # words of a name that its last word alone may stand for
Words = tuple[str, ...]


class Part(Enum):
    """Which words of the longer name the short form has; the first is the surest."""

    FIRST = 1
    LAST = 2
    MIDDLE = 3


def short_forms(
    names: Sequence[Name],
    mentions: Sequence[Sequence[Mention]],
    clusters: Clusters,
    language: Language,
    open_names: Collection[int] = (),
) -> None:
    """Join each short form to the one longer name that it fits. `open_names` fit several people and
    are settled elsewhere."""
    order: dict[int, int] = {}
    for found in mentions:
        for mention in found:
            order.setdefault(mention.name, len(order))
    members: dict[int, list[int]] = {}  # of each cluster, as they are mentioned
    for number in order:
        members.setdefault(clusters.root(number), []).append(number)
    index = _index(order, names, language)
    for number in order:
        short = names[number]
        if (
            short.words not in index
            or number in open_names
            or _is_a_people(short, language)
            or not _is_alone(number, members[clusters.root(number)], names, language)
        ):
            continue
        begun = order[members[clusters.root(number)][0]]
        for part in Part:
            fitting = {
                clusters.root(longer)
                for longer in index[short.words].get(part, ())
                if (order[longer] < begun or _may_follow(names[longer], part, language))
                and _FITS[part](short, names[longer], language)
            } - {clusters.root(number)}
            if len(fitting) > 1:
                fitting = _firms(fitting, names, clusters, language)
            if len(fitting) == 1:
                clusters.join(number, fitting.pop(), "short form")
                break


def _index(
    numbers: Iterable[int], names: Sequence[Name], language: Language
) -> Mapping[Words, dict[Part, list[int]]]:
    """The names that each of the names may be short for."""
    spelt = {names[number].words for number in numbers}
    index: dict[Words, dict[Part, list[int]]] = {}
    for number in numbers:
        if len(names[number].words) > 1:
            for part, form in _forms(names[number], language):
                if form in spelt and form != names[number].words:
                    index.setdefault(form, {}).setdefault(part, []).append(number)
    return index


def _forms(name: Name, language: Language) -> Iterator[tuple[Part, Words]]:
    words = as_in_text(name.words)
    for cut in range(1, len(words)):
        yield Part.FIRST, words[:cut]
    for form in _last_words(words, language):
        yield Part.LAST, form
    if name.type == "ORG":
        for word in words[1:-1]:
            if word[0].isupper() and word.lower() not in language.ordinary:
                yield Part.MIDDLE, (word,)


def _last_words(words: Words, language: Language) -> list[Words]:
    """The last words that a name may be shortened to."""
    if len(words) > 2 and words[-1].isdigit():
        act = next((word for word in reversed(words) if word in language.acts), "")
        return [(act,), (words[-1], act)] if act else []
    head = head_of(words)
    if head != words[-1] or len(words) not in _LAST:
        return [(head,)] if is_plain_head(head, language) else []
    return [words[-3:] if words[-2] == "-" else words[-1:]]


def _is_alone(
    number: int, cluster: Sequence[int], names: Sequence[Name], language: Language
) -> bool:
    """Whether the name was joined to nothing but other spellings of it."""
    if len(cluster) == 1:
        return True
    own = letters(names[number].words, language)
    return all(letters(names[other].words, language) == own for other in cluster)


def _is_a_people(name: Name, language: Language) -> bool:
    """Taggers take a short form for a people, but no people is called Akademie."""
    return name.type in ("NORP", "LANGUAGE") and (
        not language.people_endings or name.words[-1].endswith(language.people_endings)
    )


def _may_follow(longer: Name, part: Part, language: Language) -> bool:
    """People are named by their surnames before their full names in tickers and headlines."""
    return part == Part.LAST and is_full_name(longer, language)


def is_full_name(name: Name, language: Language) -> bool:
    """Whether the words may be somebody's given name and surname: none is a plain one."""
    return (
        len(name.words) in (2, 3)
        and name.type != "NORP"
        and all(word.lower() not in language.ordinary for word in name.words[1:])
        and (
            name.words[0] in language.given_names or name.words[0].lower() not in language.ordinary
        )
        and name.words[-1] not in language.bodies
        and name.words[-1] not in language.sites
    )


def _firms(
    fitting: Collection[int], names: Sequence[Name], clusters: Clusters, language: Language
) -> set[int]:
    """Of several that a short form fits, those that are firms: Nordvik is Nordvik Analytics ASA
    and not its Nordvik Horizon."""
    return {
        root
        for number, name in enumerate(names)
        if name.words[-1] in language.firms and (root := clusters.root(number)) in fitting
    }


def _has_first_words(short: Name, longer: Name, language: Language) -> bool:
    """Sub-bodies are bodies of their own: the Senate is no Senate Judiciary Committee."""
    words = as_in_text(longer.words)
    after, *more = words[len(short.words) :]
    if short.located or after in _NEVER_AFTER or after in language.possessives:
        return False
    if longer.type == "NORP" or (short.type == "PERSON" and len(short.words) > 1):
        return False  # Berit Lunde is not the Berit Lunde Wing
    if words[-1] in language.firms:
        return True
    if short.type == "GPE":
        return (
            len(words) == len(short.words) + 1
            and (words[-1] in language.sites or _is_no_town(short, longer, language))
            and short.words[0] not in language.known_places
        )
    if words[-1] in language.designators or after.isdigit():
        return True
    if short.type == "LOC":
        return words[-1] in language.sites
    if short.type == "PERSON":
        return short.words[0] not in language.given_names
    if after in language.not_in_acronyms or after.islower():
        return True  # Patto per la Montagna … the Patto
    return not (
        (more and short.type != OTHER)  # types that a tagger gets right by itself
        or short.words[-1].isupper()
        or short.words[-1] in language.too_plain
        or (short.type == "ORG" and longer.type in _MADE)
    )


def _has_last_words(short: Name, longer: Name, language: Language) -> bool:
    words = as_in_text(longer.words)
    if longer.type in ("NORP", "WORK_OF_ART") or len(words) <= len(short.words):
        return False
    if short.type in _PLACES:
        return _is_place_of_kind(short, longer, language) or (
            not short.located and longer.type not in _PLACES and is_full_name(longer, language)
        )
    if short.located:
        return False
    if short.words == (head_of(words),) and longer.type != "PERSON":
        return short.words[0] not in language.no_heads
    return short.words[-1] not in language.too_plain and (
        words[-1].isdigit() or words[-1 - len(short.words)] not in language.not_in_acronyms
    )


def _is_place_of_kind(short: Name, longer: Name, language: Language) -> bool:
    """ "Calapi" and "Barangay Calapi", "Ligaya" and "Tropical Storm Ligaya"."""
    *kind, name = longer.words
    return (name,) == short.words and bool(kind) and kind[-1] in language.kinds_of_places


def _is_no_town(short: Name, longer: Name, language: Language) -> bool:
    """Northfell, if nobody is in it and Northfell Ferries came before; a council has a town."""
    return _has_inner_capital(short.words[0]) or (
        longer.type == "ORG"
        and len(short.words) == 1
        and longer.words[-1] not in language.bodies
        and longer.words[-1] not in language.too_plain
    )


def _has_inner_capital(word: str) -> bool:
    """GrainTech: taggers take such words for towns, which are not written so."""
    return any(a.islower() and b.isupper() for a, b in pairwise(word)) and word[:2] != "Mc"


def _has_middle_word(short: Name, longer: Name, language: Language) -> bool:
    return short.type not in _PLACES and not short.located


_FITS = {
    Part.FIRST: _has_first_words,
    Part.LAST: _has_last_words,
    Part.MIDDLE: _has_middle_word,
}

"""Sieves for short forms whose type, for the tagger, is not that of the full name: rules 2.

    Halden Launch AS … Halden        Department for Transport … the Department
    Ottakar Bridge … the Ottakar     Sale of Vessels Act 2016 … the Act
    Kagiso Mokoena … Mokoena         PENROSE SLIPWAYS LTD … Penrose Slipways

The full name comes first and its short form later. A short form that fits two names, or that is
already joined to something, is left alone, and so is a place: London is not London Bridge.
"""

from collections.abc import Collection, Iterable, Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.coreference.spelling import letters
from cloze.names.language import Language
from cloze.names.name import OTHER, Mention, Name

_PLACES = frozenset(["GPE", "LOC", "NORP", "LANGUAGE"])
_MADE = frozenset(["PRODUCT", "WORK_OF_ART", "EVENT"])  # by somebody who may be part of the name
_NEVER_AFTER = frozenset(["-", "and", "&"])
_LAST = range(2, 5)  # the most words of a name that may be shortened to its last one


def short_forms(
    names: Sequence[Name],
    mentions: Sequence[Sequence[Mention]],
    clusters: Clusters,
    language: Language,
    open_names: Collection[int] = (),
) -> None:
    """Join each short form to the one longer name before it that begins or ends with its words.
    `open_names` fit several people and are settled elsewhere."""
    order: dict[int, int] = {}
    for found in mentions:
        for mention in found:
            order.setdefault(mention.name, len(order))
    spelt = {names[number].words for number in order}
    begins: dict[tuple[str, ...], list[int]] = {}
    ends: dict[tuple[str, ...], list[int]] = {}
    for number in order:
        words = names[number].words
        for cut in range(1, len(words)):
            if words[:cut] in spelt:
                begins.setdefault(words[:cut], []).append(number)
        for form in _ends_of(words, language) if len(words) > 1 else ():
            if form in spelt:
                ends.setdefault(form, []).append(number)
    for number in order:
        short = names[number]
        if (
            (short.words not in begins and short.words not in ends)
            or number in open_names
            or short.type in ("NORP", "LANGUAGE")
            or short.located
            or not _is_alone(number, order, names, clusters, language)
        ):
            continue
        fitting = {
            clusters.root(longer)
            for longer in begins.get(short.words, ())
            if order[longer] < order[number] and _begins(short, names[longer], language)
        } or {
            clusters.root(longer)
            for longer in ends.get(short.words, ())
            if order[longer] < order[number] and _ends(short, names[longer], language)
        }
        if len(fitting - {clusters.root(number)}) == 1:
            clusters.join(number, fitting.pop(), "short form")


def _is_alone(
    number: int,
    others: Iterable[int],
    names: Sequence[Name],
    clusters: Clusters,
    language: Language,
) -> bool:
    """Whether the name was joined only to other spellings of itself."""
    own, root = letters(names[number].words, language), clusters.root(number)
    return all(
        letters(names[other].words, language) == own
        for other in others
        if clusters.root(other) == root
    )


def _ends_of(words: tuple[str, ...], language: Language) -> list[tuple[str, ...]]:
    """The last words that a name may be shortened to."""
    if len(words) > 2 and words[-1].isdigit():
        act = words[-3] if words[-2] == "of" else words[-2]
        return [(act,), (words[-1], act)] if act in language.acts else []
    if len(words) not in _LAST:
        return []
    return [words[-3:] if words[-2] == "-" else words[-1:]]


def companies(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "PENROSE SLIPWAYS LTD" and "Penrose Slipways", of any type but a town."""
    ending = [
        number
        for number, name in enumerate(names)
        if len(name.words) > 1 and name.words[-1].lower() in language.lower_designators
    ]
    if not ending:
        return
    seen: dict[tuple[str, ...], int] = {}
    for number, name in enumerate(names):
        if name.type not in _PLACES:
            seen.setdefault(_lower(name.words), number)
    for number in ending:
        words = _lower(names[number].words)
        short = words[:-2] if words[-2] == "," else words[:-1]
        if short in seen:
            clusters.join(number, seen[short], "designator")


def _lower(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _begins(short: Name, longer: Name, language: Language) -> bool:
    """Sub-bodies are bodies of their own: the Senate is not the Senate Judiciary Committee."""
    after, *more = longer.words[len(short.words) :]
    if after in _NEVER_AFTER or after in language.possessives or longer.type == "NORP":
        return False
    if short.type == "GPE":
        return False
    if longer.words[-1] in language.designators or after.isdigit():
        return True
    if short.type == "LOC":
        return longer.words[-1] in language.sites
    if short.type == "PERSON":
        return len(short.words) == 1 and short.words[0] not in language.given_names
    if after in language.not_in_acronyms:
        return True
    return not (
        (more and short.type != OTHER)  # types that a tagger gets right by itself
        or short.words[-1].isupper()
        or short.words[-1] in language.too_plain
        or (short.type == "ORG" and longer.type in _MADE)
    )


def _ends(short: Name, longer: Name, language: Language) -> bool:
    return (
        short.type not in _PLACES
        and longer.type not in ("NORP", "WORK_OF_ART")
        and short.words[-1] not in language.too_plain
        and (
            longer.words[-1].isdigit()
            or longer.words[-1 - len(short.words)] not in language.not_in_acronyms
        )
    )

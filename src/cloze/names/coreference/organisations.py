"""Sieves for organisations and places: acronyms, designators, heads."""

from collections.abc import Iterator, Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.language import Language
from cloze.names.name import Name

_PLACES = frozenset(["GPE", "LOC", "NORP", "LANGUAGE"])
_HEADED = frozenset("ORG FAC EVENT LAW PRODUCT MISC".split())


def initials(words: Sequence[str], language: Language) -> Iterator[str]:
    """The acronyms a name may have.

    >>> from cloze.names.language import load_language
    >>> sorted(initials(["Federal", "Bureau", "of", "Investigation"], load_language("en")))
    ['FBI', 'FBOI']
    """
    parts = [word for word in words if word[0].isalnum()]
    yield "".join(word[0] for word in parts if word.lower() not in language.not_in_acronyms).upper()
    yield "".join(word[0] for word in parts).upper()


def longer_initials(words: Sequence[str], language: Language) -> Iterator[str]:
    """Acronyms that take more letters of the last word.

    >>> from cloze.names.language import load_language
    >>> list(longer_initials(["Zambezi", "Mines", "Corporation"], load_language("en")))
    ['ZMCO', 'ZMCOR']
    """
    first = next(iter(initials(words, language)))[:-1]
    return (first + words[-1][:length].upper() for length in (2, 3))


def acronyms(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "FBI" and "Federal Bureau of Investigation", "SAE" and "Sigma Alpha Epsilon"."""
    short = [
        (number, acronym)
        for number, name in enumerate(names)
        if len(name.words) == 1 and (acronym := _acronym(name.words[0], language))
    ]
    if not short:
        return
    expansions: dict[str, set[int]] = {}
    for number, name in enumerate(names):
        if len(name.words) > 1 and name.type not in ("PERSON", "NORP", "WORK_OF_ART"):
            for acronym in initials(name.words, language):
                expansions.setdefault(acronym, set()).add(clusters.root(number))
            if language.rules >= 2 and len(name.words) > 2:
                for acronym in longer_initials(name.words, language):
                    expansions.setdefault(acronym, set()).add(clusters.root(number))
    for number, acronym in short:
        found = {clusters.root(r) for r in expansions.get(acronym, ())}
        if len(found) == 1:
            clusters.join(number, found.pop(), "acronym")


def _acronym(word: str, language: Language) -> str:
    """The capitals by which a word may be short for a name, or nothing."""
    acronym = word.replace(".", "")
    if language.rules >= 2 and not acronym.istitle():
        acronym = _capitals_of(acronym)
    return acronym if len(acronym) > 1 and acronym.isupper() else ""


def _capitals_of(word: str) -> str:
    """The capitals of "DOTr", for which the Department of Transportation is known."""
    capitals = "".join(filter(str.isupper, word))
    return capitals if len(capitals) > 1 and len(word) - len(capitals) < 3 else word


def designators(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "Apple" and "Apple Inc.", "Yale" and "Yale University"; never a town and its university."""
    seen: dict[tuple[str, ...], int] = {}
    for number, name in enumerate(names):
        if name.type == "ORG" and name.words[-1] not in language.designators:
            seen.setdefault(name.words, number)
    for number, name in enumerate(names):
        words = name.words
        if len(words) > 1 and words[-1] in language.designators and name.type == "ORG":
            short = words[:-2] if words[-2] == "," else words[:-1]
            if short in seen:
                clusters.join(number, seen[short], "designator")


def heads(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "United" and "Manchester United", "Senate" and "U.S. Senate", "Real" and "Real Madrid"
    (Madrid is a place of its own), if only one fits."""
    small = language.not_in_acronyms
    places = {name.words for name in names if name.type == "GPE"}
    longer: dict[tuple[str, ...], set[int]] = {}
    spelt = {name.words for name in names}
    headed = [_may_be_headed(name, language) for name in names]
    for number, name in enumerate(names):
        if (
            language.rules >= 2
            and len(name.words) > 2
            and not headed[number]
            and not (name.type == "PERSON" and name.words[0] in language.given_names)
        ):
            for cut in range(1, len(name.words) - 1):
                if (
                    name.words[cut:] in spelt
                    and name.words[cut - 1] not in small
                    and _is_plain(name.words[cut:], language)
                ):
                    longer.setdefault(name.words[cut:], set()).add(number)
        if len(name.words) > 1 and headed[number] and not _is_dated(name, language):
            if name.words[1:] in places and name.words[:1] not in places:
                longer.setdefault(name.words[:1], set()).add(number)
            for cut in range(1, len(name.words)):
                if (name.words[cut - 1] not in small and name.words[cut - 1] != ",") or (
                    language.rules >= 2 and _is_what_for(name.words, cut, language)
                ):
                    longer.setdefault(name.words[cut:], set()).add(number)
    for number, name in enumerate(names):
        if name.words not in longer:
            continue
        is_plain = language.rules >= 2 and _is_plain(name.words, language)
        if (headed[number] or is_plain) and (
            name.words[0] not in language.too_plain
            or is_plain
            or (language.rules >= 2 and len(name.words) > 1)  # the County Council
        ):
            found = {
                clusters.root(n)
                for n in longer.get(name.words, ())
                if (headed[number] and headed[n]) or not _may_be_town(name)
            }
            found.discard(clusters.root(number))
            if len(found) == 1:
                clusters.join(number, found.pop(), "head")


def _is_plain(words: Sequence[str], language: Language) -> bool:
    """Whatever taggers take the "Light Infantry" for, it is short for the Orlen Light Infantry."""
    return len(words) > 1 and all(word.lower() in language.ordinary for word in words)


def _may_be_town(name: Name) -> bool:
    """Palm Beach is not West Palm Beach; but no town is called "the Light Infantry"."""
    return name.type in _PLACES and (name.located or not name.articled)


def _is_what_for(words: Sequence[str], cut: int, language: Language) -> bool:
    """Department of Public Works … Public Works, Battle of the Two Wells … Two Wells"""
    return (
        len(words) > cut + 1
        and (
            (cut == 2 and words[0] in language.bodies_of)
            or (cut == 3 and words[1] == "of" and words[2] in language.articles)
        )
        and all(word.lower() in language.ordinary for word in words[cut:])
    )


def _may_be_headed(name: Name, language: Language) -> bool:
    """Whatever taggers take a "Ladies' Choir" for, it is a body."""
    return name.type in _HEADED or (
        language.rules >= 2 and len(name.words) > 1 and name.words[-1] in language.bodies
    )


def _is_dated(name: Name, language: Language) -> bool:
    """ "the 1988 Act", which is itself short for another name"""
    return language.rules >= 2 and name.words[0].isdigit() and name.words[1] in language.acts


def contractions(names: Sequence[Name], clusters: Clusters) -> None:
    """ "Unity Bank" for "Unity Microfinance Bank", "Elan Valley Company" for "Elan Valley Slate
    Railway Company"."""
    longer: dict[tuple[str, str], list[int]] = {}
    for number, name in enumerate(names):
        if len(name.words) > 2 and name.type in _HEADED:
            longer.setdefault((name.words[0], name.words[-1]), []).append(number)
    for number, name in enumerate(names):
        ends = (name.words[0], name.words[-1])
        if len(name.words) > 1 and name.type in _HEADED and ends in longer:
            found = {
                clusters.root(other)
                for other in longer[ends]
                if len(names[other].words) > len(name.words)
                and _are_among(name.words, names[other].words)
            }
            if len(found) == 1:
                clusters.join(number, found.pop(), "contraction")


def _are_among(some: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the words hold these, in the same order."""
    coming = iter(words)
    return all(word in coming for word in some)


def companies(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "PENROSE SLIPWAYS LTD" and "Penrose Slipways", "Blyth Kramer Accountants" and
    "Blyth Kramer", of whatever type; but never a town."""
    ends = language.lower_designators
    trades = language.lower_trades
    ending = [
        number
        for number, name in enumerate(names)
        if len(name.words) > 1 and ((last := name.words[-1].lower()) in ends or last in trades)
    ]
    if not ending:
        return
    seen: dict[tuple[str, ...], int] = {}
    for number, name in enumerate(names):
        if name.type not in _PLACES or _is_no_town(name, language):
            seen.setdefault(_lower(name.words), number)
    owners = {
        clusters.root(number)
        for number, name in enumerate(names)
        if name.type == "PERSON" and len(name.words) > 1
    }
    for number in ending:
        short = _lower(names[number].words)
        if len(short) > 2 and short[0].endswith(".") and short[0].count(".") == len(short[0]) // 2:
            bare = seen.get(short[1:], seen.get(short[1:-1]))  # J.B. Orlen Builders Inc.
            if bare is not None and len(names[bare].words) > 1:
                clusters.join(number, bare, "designator")
        while len(short) > 1 and (short[-1] in ends or short[-1] in trades):
            is_trade = short[-1] in trades
            short = short[:-2] if short[-2] == "," else short[:-1]
            if short[-1] == ")" and "(" in short[1:]:
                short = short[: short.index("(")]
            if short in seen and not (
                is_trade
                and (
                    _is_owner(names[seen[short]], language)
                    or (len(short) == 1 and clusters.root(seen[short]) in owners)
                    or not _goes_on_once(short, names)
                )
            ):
                clusters.join(number, seen[short], "designator")
                break


def _is_no_town(name: Name, language: Language) -> bool:
    """Taggers take Tamso Brewing for a town; but Kuramo State is no university."""
    return (
        len(name.words) > 1
        and name.type != "NORP"
        and not name.located
        and name.words[-1].lower() in language.ordinary
        and name.words[-1] not in language.divisions
        and name.words[-1] not in language.sites
    )


def _is_owner(name: Name, language: Language) -> bool:
    """Anna Kramer is not Anna Kramer Productions, nor is Kramer, if she is meant by it."""
    return name.type == "PERSON" and name.words[0] in language.given_names


def _goes_on_once(short: Sequence[str], names: Sequence[Name]) -> bool:
    """Duke is neither Duke Energy nor Duke Recycling where there are both."""
    length = len(short)
    after = {
        words[length]
        for name in names
        if len(words := _lower(name.words)) > length and words[:length] == tuple(short)
    }
    return len(after) == 1


def _lower(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)

"""Whether a short form fits a longer name: what `short_forms` asks, part by part."""

from enum import IntEnum
from itertools import pairwise

from cloze.names.coreference.place_names import is_same_place
from cloze.names.heads import as_in_text, head_of, is_plain_head, second_head
from cloze.names.language import Language
from cloze.names.name import OTHER, Name

_PLACES = frozenset(["GPE", "LOC", "NORP", "LANGUAGE"])
_TOWNS = frozenset(["GPE", "LOC"])  # a short form taken for a people has proved to be none
_MADE = frozenset(["PRODUCT", "WORK_OF_ART", "EVENT"])  # by somebody who may be part of the name
_CALLED_BY_ONE = frozenset(["ORG", "FAC"])
_FIRMS = _CALLED_BY_ONE | {OTHER}
_THINGS = _MADE | _CALLED_BY_ONE
_NEVER_AFTER = frozenset(["-", "and", "&"])


class Part(IntEnum):
    """Which words of the longer name the short form has; the first is the surest."""

    PLACE = 0  # all but the word for its kind
    FIRST = 1
    LAST = 2
    MIDDLE = 3


def fits(short: Name, longer: Name, part: Part, language: Language) -> bool:
    return _FITS[part](short, longer, language)


def is_a_people(name: Name, language: Language) -> bool:
    """Taggers take a short form for a people, but no people is called Akademie."""
    return name.type in ("NORP", "LANGUAGE") and (
        not language.people_endings or name.words[-1].endswith(language.people_endings)
    )


def may_follow(longer: Name, part: Part, language: Language) -> bool:
    """People are named by their surnames before their full names in tickers and headlines."""
    return part == Part.LAST and is_full_name(longer, language)


def is_full_name(name: Name, language: Language) -> bool:
    """Whether the words may be somebody's given name and surname: none is a plain one."""
    return (
        (len(name.words) in (2, 3) or name.words[-2] in language.between_surnames)
        and name.type != "NORP"
        and all(
            word.lower() not in language.ordinary or word in language.between_surnames
            for word in name.words[1:]
        )
        and (
            name.words[0] in language.given_names or name.words[0].lower() not in language.ordinary
        )
        and name.words[-1] not in language.bodies
        and name.words[-1] not in language.sites
    )


def _has_first_words(short: Name, longer: Name, language: Language) -> bool:
    """Sub-bodies are bodies of their own: the Senate is no Senate Judiciary Committee."""
    words = as_in_text(longer.words)
    after, *more = words[len(short.words) :]
    if short.located or longer.type == "NORP":
        return False
    if short.words[-1] in language.possessives:
        return True  # Chico's, which whole_document found to be Chico's Bar
    if len(short.words) == 1 and short.words[0] in language.bodies and after in language.bodies:
        return False  # the Trust has a Trust Board
    if "&" in short.words and {short.type, longer.type} <= _FIRMS:
        return True  # Orlen & Pell Fine Art Auctioneers … Orlen & Pell
    if after in language.possessives:  # Chico's Bar … Chico's, which is no person there
        return (
            short.type == "ORG"
            and longer.type != "PERSON"
            and short.words[-1] not in language.bodies  # the Council's Judicial Board
        )
    if after == "and" and len(more) == 1 and short.articled and longer.type in _FIRMS:
        return (  # a pub: the Plough and Stars … the Plough
            more[0].lower() in language.ordinary
            and short.words[0] not in language.known_places
            and short.words[0] not in language.bodies
        )
    if after in _NEVER_AFTER:  # Harcourt & Pell … Harcourt, Lumen-4 … the Lumen
        return (after == "&" and {short.type, longer.type} <= _FIRMS) or (
            after == "-" and len(more) == 1 and more[0].isdigit()
        )
    if short.type == "PERSON" and len(short.words) > 1:  # not the Berit Lunde Wing
        return short.words[0] in language.saints or (
            words[-1] in language.firms
            and (short.words[0] not in language.given_names or short.words[0] in language.particles)
        )
    if words[-1] in language.firms:
        return True
    if (
        short.articled
        and words[-1] in language.occasions
        and len(short.words) == 1
        and short.type not in _TOWNS
        and short.words[0].lower() not in language.ordinary
    ):
        return True  # the Orlen Memorial Trophy … the Orlen
    if words[-1] in language.trades and len(short.words) == 1 and short.type == "GPE":
        return short.words[0].lower() not in language.ordinary and (
            short.words[0] not in language.known_places
        )
    if words[-1] == "Club" and after in language.sports and len(more) == 1:
        return short.type == "ORG"  # Orlen United Football Club … Orlen United
    if len(short.words) > 1 and short.words[-1] in language.sites:
        return False  # a bridge's committee is not the bridge
    if short.type == "GPE":
        return (
            len(words) == len(short.words) + 1
            and (words[-1] in language.sites or _is_no_town(short, longer, language))
            and short.words[0] not in language.known_places
        )
    if words[-1] in language.designators or after.isdigit():
        return True
    if short.type == "LOC":
        return (
            words[-1] in language.sites
            or after in language.occasions  # the Orlen Festival … the Orlen
            or (longer.type == "PRODUCT" and short.articled)  # the ship Anna Orlen … the Anna
        ) and short.words[0] not in language.known_places
    if short.type == "PERSON":
        return short.words[0] not in language.given_names
    if after in language.not_in_acronyms or after.islower():
        return True  # Patto per la Montagna … the Patto
    is_body = short.type == longer.type == "ORG" and words[-1] in language.bodies
    if (
        short.articled
        and longer.type in _CALLED_BY_ONE
        and _names_only_one(short, after, is_body, language)
    ):
        return True  # Halvorsen Museum of Glass … the Halvorsen
    return not (
        (more and short.type != OTHER and not _means_nothing_else(short, longer, language))
        or short.words[-1].isupper()
        or short.words[-1] in language.too_plain
        or (short.type == "ORG" and longer.type in _MADE)
    )


def _means_nothing_else(short: Name, longer: Name, language: Language) -> bool:
    """Konark Infra Projects … Konark. But the Senate is no committee of its own, nor is Paris."""
    word = short.words[0]
    return (
        len(short.words) == 1
        and not short.articled
        and (
            short.type == longer.type
            or (longer.words[-1] in language.bodies and longer.words[-1] not in language.too_plain)
        )
        and longer.type in _CALLED_BY_ONE
        and short.type in _THINGS
        and word.lower() not in language.ordinary
        and word not in language.known_places
        and word not in language.given_names
    )


def _names_only_one(short: Name, after: str, is_body: bool, language: Language) -> bool:
    """Whether a word before the word for a building is nothing else: no person, place or plain
    word."""
    word = short.words[0]
    return (
        len(short.words) == 1
        and (
            after in language.sites
            or after in language.bodies_of
            or (is_body and word.isalpha() and word not in language.bodies)  # not the Senate
        )
        and word.lower() not in language.ordinary
        and word not in language.known_places
    )


def _has_last_words(short: Name, longer: Name, language: Language) -> bool:
    words = as_in_text(longer.words)
    if longer.type == "NORP" or len(words) <= len(short.words):
        return False
    is_head = len(short.words) == 1 and short.words[0] in (
        head_of(words),
        second_head(words, language),
    )
    if len(short.words) == 2 and short.words[-1] in language.sites:
        return short.articled and all(word.lower() in language.ordinary for word in short.words)
    if short.type in _TOWNS:
        if is_head and short.articled and _is_plain(short.words[0], language):
            return short.words[0] not in language.no_heads  # the Almagro Trench … the Trench
        if short.type == longer.type == "LOC" and short.articled and len(words) == 2:
            return (  # the Periya Anicut … the Anicut
                words[0] not in language.parts_of_places
                and short.words[0] not in language.known_places
                and short.words[0] not in language.named_twice
                and (  # the South is not the Deep South
                    short.words[0] not in language.parts_of_places
                    or words[0] in language.given_names
                )
            )
        if short.articled and not short.located and words[0] in language.sites:
            return short.words[0] not in language.known_places  # the Hotel Orlen … the Orlen
        return not short.located and longer.type not in _PLACES and is_full_name(longer, language)
    if short.located or short.words[0] in language.known_places:
        return False
    if longer.type == "WORK_OF_ART":
        return short.type != "PERSON" and (
            (short.articled and is_head)
            or short.type == longer.type  # Kitchen Carnage … Carnage
            or short.words[0].lower() not in language.ordinary
        )
    if is_head and longer.type != "PERSON":
        if short.articled and "EVENT" in (short.type, longer.type):
            return True  # the Orlen Prize … the Prize
        return _may_be_head(short.words[0], words, language)
    return short.words[-1] not in language.too_plain and (
        words[-1].isdigit() or words[-1 - len(short.words)] not in language.not_in_acronyms
    )


def _is_plain(head: str, language: Language) -> bool:
    return is_plain_head(head, language) or head in language.sites


def _may_be_head(head: str, words: tuple[str, ...], language: Language) -> bool:
    """The House is no White House, but it is the House of Assembly."""
    return head not in language.no_heads or (head in language.houses and head != words[-1])


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
    """ "Indochine" for the Hotel Indochine Palace, "Valdora" for the University of Valdora."""
    if short.located or short.words[0] in language.known_places:
        return False
    if short.words[0].lower() in language.ordinary:
        return _is_called_by(short, longer, language)
    if short.words[-1:] == longer.words[-1:]:
        return short.type == "ORG" and longer.words[-3] in language.bodies_of
    if longer.type == "EVENT":  # the Dilys Pugh Prize … the Pugh money
        return short.articled and short.type not in _TOWNS and not short.words[0].isupper()
    if short.type == "PERSON":  # the Ana Orlen Synchrotron … the Orlen
        return longer.type == "ORG" or (short.articled and longer.words[-1] in language.sites)
    if short.articled and short.type == "LOC" and longer.type in _CALLED_BY_ONE:
        return True  # the Elena Orlen Library … the Orlen
    return short.type not in _TOWNS or longer.words[0] in language.sites


def _is_called_by(short: Name, longer: Name, language: Language) -> bool:
    """The Orlen Royal Infirmary … the Royal; but the City is no City Council."""
    return (
        short.articled
        and short.type in _THINGS
        and longer.type in _CALLED_BY_ONE
        and short.words[0] not in language.too_plain
        and short.words[0] not in language.no_heads
        and short.words[0] not in language.bodies
    )


_FITS = {
    Part.PLACE: is_same_place,
    Part.FIRST: _has_first_words,
    Part.LAST: _has_last_words,
    Part.MIDDLE: _has_middle_word,
}

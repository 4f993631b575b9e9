"""Where the name in a span begins and ends: taggers take in too much, or run on.

anti-[U.S.]    [Obama]'s    President [Ann Tillow]    When [Walter Pim]    [Kassim], [Pardew]
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from cloze.names.language import Language
from cloze.names.plain_words import may_be_person
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens
from cloze.text import Spacing

_TITLED = frozenset(["WORK_OF_ART", "EVENT", "LAW", "PRODUCT"])  # may begin with any word
_CAPITALISED = frozenset(["PERSON", "GPE", "NORP"])  # end in words with a capital
_AMOUNT = re.compile(r"[A-Z][A-Za-z]{0,2}\d+\.\d+(?:m|bn|k)?")
_PARAGRAPH = int(Spacing.PARAGRAPH)
_CUTS = frozenset(", ( ) [ ] / ; --".split())
_HYPHENS = frozenset("-–")
_SMALL = 4  # letters of the longest words that titles of works leave without a capital


def word_range(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """The tokens that the characters [start, end) touch."""
    first = bisect_left(tokens.starts, start)
    if first and (first == len(tokens.starts) or tokens.starts[first] > start):
        before = first - 1
        if tokens.starts[before] + len(tokens.words[before]) > start:
            first = before
    return first, bisect_left(tokens.starts, end, lo=first)


def name_range(tokens: Tokens, start: int, end: int, language: Language) -> tuple[int, int]:
    """The tokens of the name in the characters [start, end), without title or article."""
    return trim(tokens, *word_range(tokens, start, end), "PERSON", language)


def pieces(
    tokens: Tokens, first: int, last: int, label: str, language: Language
) -> list[tuple[int, int]]:
    """Taggers run on over lists and brackets: "Kassig, Henning", "Pharrell (Williams"."""
    words = tokens.words
    if language.rules >= 2 and (
        last <= first + 1
        or (  # two words, as most names: nothing stands between them
            last == first + 2
            and words[first].isalpha()
            and words[first + 1].isalpha()
            and tokens.spacing[first] != _PARAGRAPH
        )
    ):
        return [(first, last)]
    cuts = [
        place
        for place in range(first, last)
        if (
            words[place] in _CUTS
            or words[place] in language.around_titles
            or (words[place] == ":" and language.rules >= 2 and label not in _TITLED)
        )
        and not _belongs(words, place, label, language)
    ]
    if language.rules < 2:
        return _between(cuts, first, last)
    marks = [place for place in range(first, last) if words[place] in language.around_titles]
    if len(marks) == 1:
        cuts += marks  # Ann "[Skip" Orlen]
    owner = first + (words[first] in language.articles)
    if (
        last > owner + 2
        and words[owner + 1] in language.possessives
        and words[owner] in language.bodies
    ):
        cuts.append(owner + 1)  # the [University]'s [Department of Mills]
    cuts = sorted({*cuts, *_parts(tokens, first, last, label, language)})
    return [
        part
        for whole in _between(cuts, first, last)
        for part in _paragraphs(tokens, *whole, language)
    ]


def _between(cuts: Sequence[int], first: int, last: int) -> list[tuple[int, int]]:
    return list(zip([first, *(cut + 1 for cut in cuts)], [*cuts, last], strict=True))


def _paragraphs(
    tokens: Tokens, first: int, last: int, language: Language
) -> Iterator[tuple[int, int]]:
    """ "[West Pier] / The Harbourmaster", and "the [Feast of Yams] Mother [Nneka]"."""
    words = tokens.words
    begin = first
    for place in range(first + 1, last):
        if tokens.spacing[place - 1] == Spacing.PARAGRAPH or (
            words[place] in language.titles_of_people
            and place + 1 < last
            and words[place - 1] not in language.small_in_titles
            and words[place + 1].lower() not in language.ordinary
            and words[place - 1] not in language.titles
            and words[place - 1] not in language.ships
            and words[place + 1] not in language.small_in_titles
        ):
            yield begin, place
            begin = place + words[place][0].isdigit()  # 1. Minutes
    yield begin, last


def _parts(tokens: Tokens, first: int, last: int, label: str, language: Language) -> Iterator[int]:
    """ "[Brightlow] nightspot [Ocean Rooms]", "[Rovers] 1-0 [Albion]", from "[Orsk] to [Pim]"."""
    words = tokens.words
    for place in range(first, last):
        word = words[place]
        if word.isdigit() or word in _HYPHENS:
            is_between = _is_score(words, place) or _is_behind_dateline(tokens, first, place)
        elif not first < place < last - 1:
            is_between = False
        elif label in _TITLED:
            is_between = (  # wrote to [Orlen] before the June meeting
                len(word) > _SMALL
                and word in language.lower_case
                and words[first - 1] not in language.around_titles
            )
        else:
            is_between = (
                (word == "to" and words[first - 1] == "from")
                or (
                    word == "of"
                    and place > first + 1
                    and words[place - 1] in language.divisions
                    and words[place - 1] not in language.places_of
                    and words[place - 2][0].isupper()
                    and words[place - 2] not in language.articles
                )
            ) or (
                len(word) > 3
                and word in language.lower_case
                and word not in language.small_in_titles
                and word not in language.particles
                and words[place - 1] not in _HYPHENS
            )
        if is_between:
            yield place


def _is_behind_dateline(tokens: Tokens, first: int, place: int) -> bool:
    """ "OSLO - [Vestmarine Engines]" """
    words = tokens.words
    return (
        words[place] in _HYPHENS
        and tokens.spacing[place] == Spacing.SPACE
        and all(len(word) > 2 and word.isupper() for word in words[first:place])
        and words[place + 1 : place + 2] != []
        and words[place + 1].istitle()
    )


def _is_score(words: Sequence[str], place: int) -> bool:
    """Whether the token is one of the three of "1-0"."""
    around = range(max(place - 2, 0), place + 1)
    return any(
        words[first].isdigit()
        and words[first + 1 : first + 2] in (["-"], ["–"])
        and words[first + 2 : first + 3] != []
        and words[first + 2].isdigit()
        for first in around
    )


def _belongs(words: Sequence[str], place: int, label: str, language: Language) -> bool:
    """Titles hold commas, and so do "September 11, 2001", "Washington, D.C." and "Apple, Inc."."""
    if words[place] == ",":
        after = words[place + 1] if place + 1 < len(words) else ""
        return label in _TITLED or after in language.after_comma
    # Marion "Suge" Knight
    quoted = label == "PERSON" and words[place] in language.around_titles
    return quoted and words[place + 2 : place + 3] != []


def trim(tokens: Tokens, first: int, last: int, label: str, language: Language) -> tuple[int, int]:
    """Without articles, offices and punctuation around the name: "anti-[U.S.]", "[Obama]'s"."""
    words = tokens.words
    if last == first + 1 and words[first].istitle() and words[first].isalpha():
        return first, last - (words[first] in language.articles)
    while last > first and (
        words[last - 1] in language.possessives or not _has_letter(words[last - 1])
    ):
        last -= 1
    while last > first and words[last - 1] in language.hanging:
        last -= 1
    if (
        language.rules >= 2
        and last > first + 2
        and words[last - 2] in language.possessives
        and words[last - 1] in language.ordinary
    ):
        last -= 2  # Orlen Freight's depot
    while last > first + 1 and (
        (words[last - 1] in language.after_names and label not in _TITLED)
        or (words[last - 1] == "J" and last == first + 2 and language.after_names)
        or _is_amount(tokens, last - 1, language)
    ):
        last -= 1
    while (
        last > first + 1
        and label in _CAPITALISED
        and words[last - 1] in language.ordinary
        and words[last - 1] not in language.particles
        and words[last - 2][-1].isalpha()  # neither U.S.-led nor E. coli
    ):
        last -= 1  # Orlen mustard
    if last - first > 2 and words[last - 2] in _HYPHENS and words[last - 1] in language.compounded:
        last -= 2
    while first < last:
        word = words[first]
        if word in language.articles and _is_of_title(words, first, last, label, language):
            break
        if (
            word in language.articles
            or not _has_letter(word)
            or (word in language.determiners and word.islower())  # this [Orlen Bypass]
        ):
            first += 1
        elif first + 2 < last and words[first + 1] in _HYPHENS and word in language.prefixes:
            first += 2
        elif (
            first + 1 < last
            and label not in _TITLED
            and _leads(tokens, first, last, label, language)
        ):
            first += 1
        else:
            break
    return first, last


def extend(tokens: Tokens, first: int, last: int, label: str, language: Language) -> int:
    """Where the name that ends before `last` really ends: the [Harbour Authority] of Tollan,
    the vicar of [St Anne]'s, [Sizwe Mbeki]-Long, King [Osbert] the Mild."""
    words = tokens.words
    after_name = words[last] if last < len(words) else ""
    if after_name == "of" and words[last - 1] in language.bodies_of:
        end = last + 1 + (words[last + 1 : last + 2] == ["the"])
        while (
            end < len(words)
            and tokens.spacing[end - 1] == Spacing.SPACE
            and _is_part(words[end], language)
        ):
            last = end = end + 1
    elif after_name in language.inside_foreign:
        end = last
        while end < len(words) and words[end] in language.inside_foreign:
            end += 1
        if (
            end < len(words)
            and _is_part(words[end], language)
            and all(gap == Spacing.SPACE for gap in tokens.spacing[last - 1 : end])
        ):
            last = end + 1  # the [Posada] del Molino
    elif words[first] in language.saints and after_name in language.possessives:
        after = words[last + 1 : last + 2]
        if not after or not after[0][0].isalpha() or after[0] in language.common:
            last += 1
        elif label != "GPE":  # but St. Louis' Orlen Hospital
            last = _end_of_church(words, last, language)
    elif (
        after_name == "-"
        and last - first == 2
        and (label == "PERSON" or words[first] in language.given_names)
    ):
        after = words[last + 1 : last + 2]
        if after and tokens.spacing[last - 1] == tokens.spacing[last] == Spacing.NOTHING:
            last += 2 * (after[0].istitle() and after[0].lower() not in language.ordinary)
    elif after_name == "the" and last == first + 1 and label == "PERSON":
        after = words[last + 1 : last + 3]
        if (
            after
            and after[0].istitle()  # King Osbert the Mild, but not Osbert the Duke of Orlen
            and after[0].lower() in language.ordinary
            and after[0] not in language.capitalised
            and not (len(after) == 2 and (after[1][0].isalnum() and not after[1].islower()))
            and after[1:] != ["of"]
        ):
            last += 2
    return last


def _end_of_church(words: Sequence[str], last: int, language: Language) -> int:
    """Where the name goes on to behind a saint's: the pupils of [St Anne]'s Primary School."""
    end = last + 1
    while end < len(words) and words[end][0].isupper() and _is_part(words[end], language):
        end += 1
    is_whole = words[end - 1] in language.bodies or words[end - 1] in language.sites
    return end if end > last + 1 and is_whole else last


def _is_part(word: str, language: Language) -> bool:
    return word[0].isupper() and word not in language.days_and_months and word not in language.posts


def _is_of_title(
    words: Sequence[str], place: int, last: int, label: str, language: Language
) -> bool:
    """The article of "The Sound of Music" is part of it."""
    if label != "WORK_OF_ART" or place == 0 or words[place - 1] not in language.around_titles:
        return False
    return language.rules < 2 or (words[last : last + 1] != [] and not words[last][0].isalpha())


def _leads(tokens: Tokens, place: int, last: int, label: str, language: Language) -> bool:
    """Whether the word only precedes a name: "When [Walter Isaacson]", "Producer [Tymon]"."""
    word = tokens.words[place]
    if language.rules >= 2 and tokens.words[place + 1] in language.linking:
        return False  # Duke of Cambridge
    if word in language.honorifics:
        after = tokens.words[place + 1]  # M. K. Orlen is no Monsieur
        return not (len(word) == len(after) == 2 and word[1] == after[1] == ".")
    if language.rules >= 2 and label == "PERSON" and f"{word}." in language.offices:
        return word not in language.given_names  # Col Hector Orlen
    if label == "PERSON" and word in language.lower_case and word not in language.particles:
        return tokens.words[place + 1][0].isupper()  # nan [Maureen Ashby]
    if language.rules >= 2 and label == "PERSON" and word in language.plain:
        # Secretary of State [Ann Tillow]; but Grandma [Tillow]
        return place + 2 < last or word in language.offices
    if word in language.offices and (label == "PERSON" or opens_sentence(tokens, place, language)):
        return True
    if word in language.titles_of_people and tokens.words[place - 1] not in language.articles:
        return may_be_person(tokens.words[place + 1 : last], language)
    return word in language.openers and opens_sentence(tokens, place, language)


def _is_amount(tokens: Tokens, place: int, language: Language) -> bool:
    """The "R1.2 million" of [Dlamini] R1.2 million."""
    word = tokens.words[place]
    return bool(language.millions) and (
        word in language.millions or _AMOUNT.fullmatch(word) is not None
    )


def _has_letter(word: str) -> bool:
    return word[0].isalnum() or any(c.isalnum() for c in word)

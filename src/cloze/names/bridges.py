"""Names that small words hold together, of which taggers see one side: the second rules.

Giro of the Lakes    Notes on a Grounded Fleet    Muck and Magic    Iker Salgado y Vega

A plain word with a capital in the middle of a sentence is part of a name, and so is what a small
word joins to it. "Mayor of Orsk" and "Hanna Orlen of the Liberal Party" are no such names.
"""

from collections.abc import Iterator, Sequence

from cloze.names.language import Language
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens
from cloze.text import Spacing

_SOME = frozenset(["a", "an"])
_APOSTROPHES = frozenset("'’")
PEOPLES = b"\3"  # marks the words of peoples and languages


def bridged(
    tokens: Tokens, capitals: Sequence[int], covered: Sequence[int], language: Language
) -> Iterator[tuple[int, int]]:
    """The tokens [first, last) of each such name. `capitals` are the places of capitalised words,
    `covered` marks the words of known names."""
    words = tokens.words
    final = len(words) - 1
    links = language.links
    for left in capitals:
        if left >= final or words[left + 1] not in links:
            continue
        if words[left + 1] in language.inside_foreign:
            if not covered[left + 1] and (right := _behind_links(tokens, left + 1, language)):
                yield _first_abroad(tokens, left, language), _last(tokens, right, language)
        else:
            place = left + 1
            right = place + 1
            if right < final and words[right] in language.lower_articles:
                right += 1
            if right <= final and _is_with_others(words, place, language):
                yield _first_abroad(tokens, left, language), _last(tokens, right, language)
            elif right <= final and _joins(tokens, place, right, covered, language):
                first = _first(tokens, left, language)
                is_some = words[first - 1] in _SOME  # a Point of Sale operator
                if not is_some and not opens_sentence(tokens, first, language):
                    yield first, _last(tokens, right, language)


def _behind_links(tokens: Tokens, place: int, language: Language) -> int:
    """The word that "de la" joins to the one before it: Valle de la Luna, Val de l'Orne; or 0."""
    words = tokens.words
    right = place
    while right < len(words) and words[right] in language.inside_foreign:
        right += 1
    if right == len(words) or Spacing.PARAGRAPH in tokens.spacing[place - 1 : right]:
        return 0
    elided = words[right][1:2] in _APOSTROPHES and words[right][2:3].isupper()
    is_foreign = words[place - 1].lower() not in language.ordinary
    both = _is_part(words[place - 1], language) and _is_part(words[right], language)
    return right if is_foreign and (elided or both) else 0


def _first_abroad(tokens: Tokens, place: int, language: Language) -> int:
    """Where a foreign name begins, even at the head of a sentence: its words are no plain ones."""
    while (
        place
        and tokens.spacing[place - 1] == Spacing.SPACE
        and _is_part(tokens.words[place - 1], language)
        and tokens.words[place - 1].lower() not in language.ordinary
    ):
        place -= 1
    return place


def _is_with_others(words: Sequence[str], place: int, language: Language) -> bool:
    """Orlen and District Trust, Orlen and Sons"""
    left = words[place - 1]
    return (
        words[place] == "and"
        and words[place + 1] in language.others
        and _is_part(left, language)
        and left.lower() not in language.ordinary
    )


def _joins(
    tokens: Tokens, place: int, right: int, covered: Sequence[int], language: Language
) -> bool:
    words = tokens.words
    left, link = words[place - 1], words[place]
    if not (_is_part(left, language) and _is_part(words[right], language)):
        return _is_of_committee(tokens, place, language)
    if Spacing.PARAGRAPH in tokens.spacing[place - 1 : right]:
        return False
    has_article = right > place + 1
    if link == "y":
        return not has_article
    if covered[right] == PEOPLES[0] or (covered[place - 1] and covered[place - 2]):
        return False  # the [United States] of Afghan troubles
    is_plain = left.lower() in language.ordinary
    if link == "of":
        is_new = has_article or not covered[right]
        return is_new and (is_plain or words[place - 2] in language.articles)
    if words[right].lower() not in language.ordinary:
        return False
    if link == "and":
        # The Commerce Department and Federal Reserve are two.
        return is_plain and not has_article and not words[place - 2][0].isupper()
    return left.lower() in language.lower_case and (has_article or not covered[right])


def _is_of_committee(tokens: Tokens, place: int, language: Language) -> bool:
    """The Finance and Estates Committee, though "Finance" is what ministers have as a title."""
    words = tokens.words
    return (
        words[place] == "and"
        and words[place - 2] in language.articles
        and words[place - 1].lower() in language.ordinary
        and words[place + 1].lower() in language.ordinary
        and words[place + 1][0].isupper()
        and words[place + 2 : place + 3] != []
        and words[place + 2] in language.bodies
    )


def _is_part(word: str, language: Language) -> bool:
    return (
        word[0].isupper()
        and not word.isupper()
        and word not in language.articles
        and word not in language.alone
        and word not in language.posts
        and word not in language.openers
    )


def _first(tokens: Tokens, place: int, language: Language) -> int:
    while (
        place
        and tokens.spacing[place - 1] == Spacing.SPACE
        and _is_part(tokens.words[place - 1], language)
        and not opens_sentence(tokens, place - 1, language)
    ):
        place -= 1
    return place


def _last(tokens: Tokens, place: int, language: Language) -> int:
    words = tokens.words
    last = place + 1
    while (
        last < len(words)
        and tokens.spacing[last - 1] != Spacing.PARAGRAPH
        and (words[last] == "-" or _is_part(words[last], language))
    ):
        last += 1
    return _end_of_body(words, last - (words[last - 1] == "-"), language)


def _end_of_body(words: Sequence[str], last: int, language: Language) -> int:
    """Behind the words that are titles elsewhere: Casa de Orlen Municipal Police Station"""
    end = last
    while end < len(words) and words[end][0].isupper() and words[end].isalpha():
        end += 1
    is_body = end > last and (
        words[end - 1] in language.bodies
        or words[end - 1] in language.sites
        or words[end - 1] in language.divisions
    )
    return end if is_body else last

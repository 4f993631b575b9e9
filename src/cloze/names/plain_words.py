"""Capitalised words that are no names, told by how words are mostly written: the second rules.

the Second Respondent    Education Minister    GOAL!    Commissioner for Works    Stone anchors lay

What is mostly written without a capital is a name only where something speaks for it.
"""

import re
from collections.abc import Sequence

from cloze.names.language import Language
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens

_AMOUNT = re.compile(r"[A-Z][A-Za-z]{0,2}\d+(?:\.\d+)?(?:m|bn|k)?")
_OF = frozenset(["of", "for", "and"])
_SHORT_KINDS = frozenset(["PERSON", "ORG", "GPE", "NORP"])  # whose words have capitals
_SHORT = 4  # letters; shorter words in capitals are acronyms: US, WHO


def is_plain(tokens: Tokens, first: int, last: int, label: str, language: Language) -> bool:
    """Whether the tokens [first, last), which a tagger took for a name, are plain words."""
    if last == first + 1:
        return _is_plain_word(tokens, first, label, language)
    words = tokens.words
    if words[first] in language.given_names and label == "PERSON":
        return False  # Bill Bishop
    if last == first + 2 and words[first + 1].isdigit():
        return words[first] in language.numbered
    if is_numbered(words[first:last], language):
        return True
    inside = words[first:last]
    if _is_office(tokens, first, last, language):
        return all(
            word.lower() in language.ordinary or word in language.openers or word == "-"
            for word in inside
        )
    return label in _SHORT_KINDS and sum(map(str.islower, inside)) > len(inside) // 2


def is_numbered(words: Sequence[str], language: Language) -> bool:
    """Act Two, Part IV"""
    return (
        len(words) == 2
        and words[0] in language.numbered_in_words
        and (words[1].lower() in language.numerals or words[1] in language.suffixes)
    )


def _is_office(tokens: Tokens, first: int, last: int, language: Language) -> bool:
    """Second Respondent, Urban Development [Minister], Global Head of Transport"""
    words = tokens.words
    head = next((place for place in range(first + 1, last) if words[place] in _OF), 0)
    if head:
        return words[head - 1] in language.posts
    if words[last - 1] in language.posts:
        return True
    return words[last - 1].lower() in language.lower_case and _stands_before_post(
        tokens, last - 1, language
    )


def _is_plain_word(tokens: Tokens, place: int, label: str, language: Language) -> bool:
    word = tokens.words[place]
    lower = word.lower()
    if word.isupper() and is_symbol(tokens, place):
        return True
    if lower not in language.ordinary:
        return not word.isalpha() and is_amount(tokens, place, language)
    if len(word) < _SHORT and word.isupper():
        return False
    if (label == "PERSON" and word in language.given_names) or _is_quoted(tokens, place, language):
        return False
    if _stands_before_quoted(tokens, place, language):
        return True
    opens = opens_sentence(tokens, place, language)
    if lower in language.either_case:
        return opens or (
            _stands_before_post(tokens, place, language) and word not in language.too_plain
        )
    if word.isupper():
        return is_shouted(tokens, place)
    return opens or stands_as_noun(tokens, place, language)


def is_shouted(tokens: Tokens, place: int) -> bool:
    """Whether a word in capitals stands among others, or alone: GOAL! PRESENT: FULL TIME"""
    before = tokens.words[place - 1] if place else ""
    after = tokens.words[place + 1 : place + 2]
    return (
        (len(before) > 1 and before.isupper())
        or not after
        or after[0].isupper()
        or after[0] in "!:"
    )


def stands_as_noun(tokens: Tokens, place: int, language: Language) -> bool:
    """Whether the words around one say that it is a noun: the Clerk, Education Minister."""
    words = tokens.words
    before = words[place - 1] if place else ""
    if before in language.determiners:
        # the band The Stands
        return before[0].islower() or opens_sentence(tokens, place - 1, language)
    if _stands_before_post(tokens, place, language):
        return True
    return before in _OF and words[place - 2] in language.posts


def _stands_before_post(tokens: Tokens, place: int, language: Language) -> bool:
    after = tokens.words[place + 1 : place + 2]
    return bool(after) and after[0] in language.posts


def _stands_before_quoted(tokens: Tokens, place: int, language: Language) -> bool:
    """Typhoon "Ising" """
    after = tokens.words[place + 1 : place + 3]
    return len(after) == 2 and after[0] in language.around_titles and after[1][0].isupper()


def _is_quoted(tokens: Tokens, place: int, language: Language) -> bool:
    """a role in "Arena," """
    words = tokens.words
    after = place + 1 + (words[place + 1 : place + 2] == [","])
    return (
        place > 0
        and words[place - 1] in language.around_titles
        and after < len(words)
        and words[after] in language.around_titles
    )


def is_symbol(tokens: Tokens, place: int) -> bool:
    """(NYSE: ORL)"""
    words = tokens.words
    return (
        words[place].isupper()
        and place > 2
        and words[place - 1] == ":"
        and words[place - 2].isupper()
        and words[place - 3] == "("
        and words[place + 1 : place + 2] == [")"]
    )


def is_amount(tokens: Tokens, place: int, language: Language) -> bool:
    """P48.2 million, P1,200, N1.4m, Sh420 million"""
    words = tokens.words
    if words[place].isalpha() or _AMOUNT.fullmatch(words[place]) is None:
        return False
    after = words[place + 1 : place + 3]
    return (
        "." in words[place]
        or (after[:1] != [] and after[0] in language.millions)
        or (len(after) == 2 and after[0] == "," and after[1].isdigit())
    )


def may_be_person(words: Sequence[str], language: Language) -> bool:
    """Whether no word says that it is a thing: King Osric, but not King Street or King v. Orlen."""
    return all(
        word[0].isupper() and word.lower() not in language.ordinary and word not in language.bodies
        for word in words
    )

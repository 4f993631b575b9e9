"""The word that a long name is about, where it stands for the whole: the second rules.

Tollan Harbour Board … the Board      Linnaean Society of Uppsala … the Society
"""

from collections import Counter
from collections.abc import Sequence

from cloze.names.headings import places_of
from cloze.names.language import Language
from cloze.names.name import Name, Names
from cloze.names.tokens import Tokens

_APOSTROPHES = frozenset("'’")
_NOT_FOR = frozenset(["PERSON", "NORP", "GPE", "LANGUAGE"])
_LINKS = frozenset(["OF", "THE", "AND", "FOR", "IN"])
_AFTER_HEAD = frozenset(["of", "for", "at", "on", "in"])


def head_of(words: Sequence[str]) -> str:
    """
    >>> head_of(["Linnaean", "Society", "of", "Uppsala"])
    'Society'
    >>> head_of(["Sale", "of", "Vessels", "Act", "2016"])
    'Act'
    """
    if words[-1].isdigit() and words[-2][0].isupper():
        return words[-2]
    for place, word in enumerate(words):
        if place and word in _AFTER_HEAD:
            return words[place - 1]
    return words[-1]


def second_head(words: Sequence[str], language: Language) -> str:
    """Another word that may stand for the whole, if there is one.

    >>> from cloze.names.language import load_language
    >>> english = load_language("en", 2)
    >>> second_head(["Elan", "Slate", "Railway", "Company"], english)
    'Railway'
    >>> second_head(["National", "Slate", "Museum", "and", "Archive"], english)
    'Museum'
    >>> second_head(["Col", "de", "Merlat"], english)
    'Col'
    >>> second_head(["Loch", "Orlen"], english)
    'Loch'
    """
    if len(words) > 1 and (
        words[0] in language.bodies_abroad
        or (
            words[0] in language.sites_abroad
            and (words[1] in language.inside_places or words[1][1:2] in _APOSTROPHES)  # d'Orlen
        )
    ):
        return words[0]
    if len(words) in (2, 3) and words[0] in language.kinds_of_places and words[1][0].isupper():
        return words[0]
    last = len(words) - 1
    while last > 1 and (words[last] in language.firms or words[last] in language.companies):
        last -= 1
    if 0 < last < len(words) - 1:
        return words[last]
    if last > 2 and words[last - 1] == "and" and words[last - 2] in language.bodies:
        return words[last - 2]
    return ""


def as_in_text(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a heading as they are written below it.

    >>> as_in_text(("COURT", "OF", "APPEAL"))
    ('Court', 'of', 'Appeal')
    """
    if len(words) > 1 and words[0].isupper() and words[-1].isupper() and len(words[-1]) > 3:
        return tuple(word.lower() if word in _LINKS else word.title() for word in words)
    return words


def is_plain_head(head: str, language: Language) -> bool:
    """Whether a head may stand for the whole behind an article."""
    return (
        head.lower() in language.ordinary
        or head in language.bodies
        or head in language.bodies_abroad
        or head in language.sites_abroad
    )


def add_heads(
    names: Names, texts: Sequence[Tokens], capitals: Sequence[Sequence[int]], language: Language
) -> None:
    """A name for each head that stands alone behind an article: no tagger takes it for one.
    `capitals` are the places of capitalised words."""
    nouns = {
        tokens.words[place]
        for tokens, places in zip(texts, capitals, strict=True)
        for place in places
        if place and tokens.words[place - 1] in language.determiners
    }
    heads = {
        head: name.type or "ORG"
        for words, name in names.items()
        if len(words) > 1 and (words[0].isupper() or not nouns.isdisjoint(words))
        for head in _heads_of(as_in_text(words), language)
        if head in nouns
        and is_plain_head(head, language)
        and (name.type not in _NOT_FOR or head.lower() in language.lower_case)
        and head[0].isupper()
        and not head.isupper()
    }
    for head, label in heads.items():
        if head not in language.no_heads and any(_stands(head, text, language) for text in texts):
            names.setdefault((head,), Name((head,), Counter({label: 1})))


def _heads_of(words: tuple[str, ...], language: Language) -> tuple[str, ...]:
    if words[0] in language.bodies_abroad or words[0] in language.sites_abroad:
        return head_of(words), second_head(words, language)
    return (head_of(words),)


def _stands(head: str, tokens: Tokens, language: Language) -> bool:
    words = tokens.words
    for place in places_of(head, words):
        if (
            place
            and words[place - 1] in language.determiners
            and not _goes_on(words[place + 1 : place + 4], language)
        ):
            return True
    return False


def _goes_on(after: Sequence[str], language: Language) -> bool:
    """Whether the head has a longer name here: the Department for Transport, but not "ask the
    Friends for a bun"."""
    if not after or after[0] not in _AFTER_HEAD:
        return bool(after) and after[0][0].isupper()
    link, *rest = after
    if rest and rest[0] in language.articles:
        rest = rest[1:]
    return link == "of" or not rest or rest[0][0].isupper()

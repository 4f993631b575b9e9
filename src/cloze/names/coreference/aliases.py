"""Sieve for two names that a text says are one: the second rules.

Pappu Yadav alias Guruji      Nordic Maritime Exchange (NMX)      Corrie Wind Limited (“Corrie”)
"""

from collections.abc import Sequence
from itertools import pairwise

from cloze.names.coreference.clusters import Clusters
from cloze.names.language import Language
from cloze.names.name import Mention
from cloze.names.tokens import Tokens

_PRONOUNCED = 4  # letters of an acronym that is written like a word: the Election Board (Elbor)
_FARTHEST = 6  # words, commas and quotation marks between the two


def aliases(
    texts: Sequence[Tokens],
    mentions: Sequence[Sequence[Mention]],
    clusters: Clusters,
    language: Language,
) -> None:
    said = {tuple(alias.split()) for alias in language.aliases}
    last = {words[-1] for words in said}
    for tokens, found in zip(texts, mentions, strict=True):
        words = tokens.words
        for left, right in pairwise(found):
            if words[left.last : left.last + 1] == ["("] and _is_in_brackets(
                words, left, right, language
            ):
                clusters.join(right.name, left.name, "in brackets")
            if words[right.first - 1] in last or (
                words[right.first - 1] in language.around_titles and words[right.first - 2] in last
            ):
                between = words[left.last : right.first]
                located = clusters.names[left.name].located  # in China known as Brother Orange
                if 0 < len(between) <= _FARTHEST and _words(between) in said and not located:
                    clusters.join(right.name, left.name, "alias")


def _is_in_brackets(
    words: Sequence[str], left: Mention, right: Mention, language: Language
) -> bool:
    """Whether a name is given in brackets as short for the one before: with quotation marks, or if
    its capitals are among the other's letters."""
    quotes = language.around_titles
    before = words[left.last + 1 : right.first]
    after = words[right.last : right.last + 2]
    if before and all(word in quotes or word in language.articles for word in before):
        return any(word in quotes for word in before) and bool(after) and after[0] in quotes
    short = words[right.first]
    return (
        not before
        and after[:1] == [")"]
        and right.last == right.first + 1
        and (len(short) > 1 if short.isupper() else len(short) > _PRONOUNCED)
        and left.last > left.first + 1
        and _are_letters_of(short, words[left.first : left.last])
    )


def _are_letters_of(short: str, words: Sequence[str]) -> bool:
    """
    >>> _are_letters_of("NMX", ["Nordic", "Maritime", "Exchange"])
    True
    """
    coming = iter("".join(words).upper())
    return short[0] == words[0][0] and all(letter in coming for letter in short.upper())


def _words(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(token for token in tokens if token[0].isalpha())

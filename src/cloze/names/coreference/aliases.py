"""Sieve for two names that a text says are one: "Pappu Yadav alias Guruji". The second rules."""

from collections.abc import Sequence
from itertools import pairwise

from cloze.names.coreference.clusters import Clusters
from cloze.names.language import Language
from cloze.names.name import Mention
from cloze.names.tokens import Tokens

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
            if words[right.first - 1] in last or (
                words[right.first - 1] in language.around_titles and words[right.first - 2] in last
            ):
                between = words[left.last : right.first]
                if 0 < len(between) <= _FARTHEST and _words(between) in said:
                    clusters.join(right.name, left.name, "alias")


def _words(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(token for token in tokens if token[0].isalpha())

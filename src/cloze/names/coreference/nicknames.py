"""Sieve for what friends call somebody: the second rules.

Ifeoma Chukwu … Ife      William Lund … Bill      Gareth Simms … Simmo
"""

from collections import Counter
from collections.abc import Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.coreference.people import bare, quoted_in
from cloze.names.language import Language
from cloze.names.name import Name

_NICKNAME = 3  # letters at least
_STEM = 4  # letters of a name that a fond ending leaves
_LONGER = 2  # letters of the given name behind it: Ann is not Anna


def nicknames(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "Ife" for Ifeoma Chukwu, if nobody else is called so, "Bill" for William “Bill” Probert and
    for William Lund."""
    people = [
        (number, bare(name.words, language))
        for number, name in enumerate(names)
        if name.type == "PERSON"
    ]
    full = [(number, words) for number, words in people if len(words) > 1]
    quoted = {
        nickname[-1]: number for number, words in full if (nickname := quoted_in(words, language))
    }
    known = {word for name in names if len(name.words) > 1 for word in name.words}
    alone = [
        (number, words)
        for number, words in people
        if len(words) == 1 and (words[0] in quoted or words[0] not in known)
    ]
    if not alone:
        return
    sizes = Counter(map(clusters.root, range(len(names))))
    for number, words in alone:
        if words[0] in quoted:
            clusters.join(number, quoted[words[0]], "nickname")
        elif len(words[0]) >= _NICKNAME and sizes[clusters.root(number)] == 1:
            found = {
                clusters.root(other)
                for other, (given, *_) in full
                if (given.startswith(words[0]) and len(given) - len(words[0]) >= _LONGER)
                # Whoever was Kate before a Catherine came is somebody else.
                or (
                    clusters.root(other) < number
                    and words[0] in language.pet_names_of.get(given, ())
                )
            } or _fondly_called(words[0], full, clusters, language)
            if len(found) == 1:
                clusters.join(number, found.pop(), "nickname")


def _fondly_called(
    word: str,
    people: Sequence[tuple[int, tuple[str, ...]]],
    clusters: Clusters,
    language: Language,
) -> set[int]:
    """Who is called "Simmo" or "Jonesy": Gareth Simms, Ann Jones."""
    ending = next(filter(word.endswith, language.fond_endings), "")
    stem = word.removesuffix(ending)
    if not ending or len(stem) < _STEM or word in language.given_names:
        return set()
    return {
        clusters.root(number)
        for number, words in people
        for own in words
        if own.startswith(stem) and len(own) - len(stem) < _STEM and own != word
    }

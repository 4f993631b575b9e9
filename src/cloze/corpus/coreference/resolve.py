"""The sieves in their order, the surest first, and the clusters of mentions they give."""

from collections import Counter
from collections.abc import Sequence

from cloze.corpus.coreference.clusters import Clusters
from cloze.corpus.coreference.organisations import acronyms, designators, heads
from cloze.corpus.coreference.people import MEN, TITLES, WOMEN, full_names, short_names
from cloze.corpus.coreference.spelling import known_twins, plural_peoples, same_spelling
from cloze.corpus.mentions import Mention, Name
from cloze.corpus.tokens import Tokens


def resolve(
    names: Sequence[Name], texts: Sequence[Tokens], mentions: Sequence[Sequence[Mention]]
) -> tuple[list[list[int]], Clusters]:
    """For each mention of each text the cluster it belongs to (a number with no meaning of its
    own), and the clusters of names with the reasons for every join."""
    clusters = Clusters(names)
    same_spelling(names, clusters)
    plural_peoples(names, clusters)
    known_twins(names, clusters)
    full_names(names, clusters)
    open_names = short_names(names, clusters)
    acronyms(names, clusters)
    designators(names, clusters)
    heads(names, clusters)
    root = [clusters.root(number) for number in range(len(names))]
    resolved = [[root[m.name] for m in found] for found in mentions]
    if open_names:
        _settle(open_names, root, texts, mentions, resolved)
    return resolved, clusters


def _settle(
    open_names: dict[int, list[int]],
    root: list[int],
    texts: Sequence[Tokens],
    mentions: Sequence[Sequence[Mention]],
    resolved: list[list[int]],
) -> None:
    """Give each mention of a name that fits several people to one of them, by title or renown."""
    counts = Counter(root[m.name] for found in mentions for m in found if m.name not in open_names)
    genders: dict[int, Counter[str]] = {}
    for tokens, found in zip(texts, mentions, strict=True):
        for mention in found:
            gender = gender_of(tokens, mention)
            if gender and mention.name not in open_names:
                genders.setdefault(root[mention.name], Counter())[gender] += 1
    for tokens, found, clusters in zip(texts, mentions, resolved, strict=True):
        for position, mention in enumerate(found):
            people = open_names.get(mention.name)
            if people is None:
                continue
            people = sorted({root[p] for p in people})
            gender = gender_of(tokens, mention)
            other = {"m": "f", "f": "m"}.get(gender)
            fitting = [p for p in people if not (other and genders.get(p, {}).get(other))]
            clusters[position] = max(fitting or people, key=lambda p: counts[p])


def gender_of(tokens: Tokens, mention: Mention) -> str:
    """ "m" or "f" from the title in front of a mention or at its head, or nothing."""
    word = tokens.words[mention.first]
    if word not in TITLES and mention.first:
        word = tokens.words[mention.first - 1]
    return "m" if word in MEN else "f" if word in WOMEN else ""

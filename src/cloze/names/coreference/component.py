"""The sieve of a full coreference component: names that the pipeline puts together are joined.

Its clusters hold pronouns and common nouns too ("the host", "he"); only those of its mentions that
are names count here, since only names become markers.
"""

from collections.abc import Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.edges import name_range
from cloze.names.language import Language
from cloze.names.name import Mention
from cloze.names.tokens import Tokens

Place = tuple[int, int, int]  # the number of a text, and characters [start, end) in it


def same_by_component(
    places: Sequence[Sequence[Place]],
    texts: Sequence[Tokens],
    mentions: Sequence[Sequence[Mention]],
    clusters: Clusters,
    language: Language,
) -> None:
    """Join the names of the mentions that the component put into one cluster."""
    at = {
        (number, mention.first, mention.last): mention.name
        for number, found in enumerate(mentions)
        for mention in found
    }
    for cluster in places:
        named = [
            at[key]
            for number, start, end in cluster
            if (key := (number, *name_range(texts[number], start, end, language))) in at
        ]
        for name in named[1:]:
            clusters.join(name, named[0], "component")

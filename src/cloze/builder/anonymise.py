"""Names become markers: one token for a whole mention, the same marker for a whole cluster."""

from collections.abc import Sequence

from cloze.document import Entity
from cloze.names.coreference.component import Place
from cloze.names.coreference.resolve import resolve
from cloze.names.mentions import Mention, Name, Span, find_mentions
from cloze.names.tokens import Tokens, lowered, piece, tokenise
from cloze.text import MARKER, Text

Anonymised = tuple[list[Text], list[list[int]], tuple[Entity, ...]]


def anonymise(
    texts: Sequence[str],
    spans: Sequence[Sequence[Span]],
    clusters: Sequence[Sequence[Place]] = (),
) -> Anonymised:
    """Anonymise the texts of one data point (the article first) together.

    Entities are numbered in the order of their first mention. Besides the texts and the entities
    this gives, for each text, at which tokens the markers stand. `clusters` are those of a full
    coreference component.
    """
    tokens = [tokenise(text) for text in texts]
    names, mentions = find_mentions(tokens, spans)
    resolved, _ = resolve(names, tokens, mentions, clusters)
    return replace(texts, tokens, names, mentions, resolved)


def replace(
    texts: Sequence[str],
    tokens: Sequence[Tokens],
    names: Sequence[Name],
    mentions: Sequence[Sequence[Mention]],
    clusters: Sequence[Sequence[int]],
) -> Anonymised:
    """Put a marker in the place of every mention."""
    marker_of_cluster: dict[int, int] = {}
    surfaces: list[dict[str, int]] = []  # of each entity: its forms and how often each stands
    types: list[dict[str, int]] = []
    anonymised, places = [], []
    for text, split, found, own in zip(texts, tokens, mentions, clusters, strict=True):
        lower = lowered(split)
        out = Text([], [], [])  # grows below; nothing looks at it before it is whole
        markers: list[int] = []
        done = 0
        for mention, cluster in zip(found, own, strict=True):
            marker = marker_of_cluster.setdefault(cluster, len(marker_of_cluster))
            if marker == len(surfaces):
                surfaces.append({})
                types.append({})
            first, last, number = mention
            surface = split.words[first] if last == first + 1 else piece(text, split, first, last)
            surfaces[marker][surface] = surfaces[marker].get(surface, 0) + 1
            kind = names[number].type
            types[marker][kind] = types[marker].get(kind, 0) + 1
            out.tokens.extend(lower[done:first])
            out.surfaces.extend(split.words[done:first])
            out.spacing.extend(split.spacing[done:first])
            markers.append(len(out.tokens))
            out.tokens.append(f"{MARKER}{marker}")
            out.surfaces.append(surface)
            out.spacing.append(split.spacing[last - 1])
            done = last
        out.tokens.extend(lower[done:])
        out.surfaces.extend(split.words[done:])
        out.spacing.extend(split.spacing[done:])
        anonymised.append(out)
        places.append(markers)
    entities = tuple(
        Entity(
            marker,
            name=max(forms, key=lambda form: (len(form), forms[form])),
            type=max(types[marker], key=lambda kind: types[marker][kind]),
            surfaces=tuple(forms),
        )
        for marker, forms in enumerate(surfaces)
    )
    return anonymised, places, entities

"""Names become markers: one token for a whole mention, the same marker for a whole cluster."""

from collections.abc import Sequence

from cloze.document import Entity
from cloze.names.language import Language
from cloze.names.name import Mention, Name
from cloze.names.tokens import Tokens, lowered, piece
from cloze.text import MARKER, Text


def anonymise(
    texts: Sequence[str],
    tokens: Sequence[Tokens],
    names: Sequence[Name],
    mentions: Sequence[Sequence[Mention]],
    clusters: Sequence[Sequence[int]],
    language: Language,
) -> tuple[list[Text], tuple[Entity, ...]]:
    """Replace every mention in a data point's texts (the article first) by a marker.

    `clusters` says which cluster each mention belongs to. Entities are numbered in the order of
    their first mention.
    """
    marker_of_cluster: dict[int, int] = {}
    surfaces: list[dict[str, int]] = []  # for each entity, how often each of its forms occurs
    types: list[dict[str, int]] = []
    anonymised = []
    for text, split, found, own in zip(texts, tokens, mentions, clusters, strict=True):
        lower = lowered(split, language)
        out = Text([], [], [])  # filled in below, before anything uses it
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
            out.tokens.append(f"{MARKER}{marker}")
            out.surfaces.append(surface)
            out.spacing.append(split.spacing[last - 1])
            done = last
        out.tokens.extend(lower[done:])
        out.surfaces.extend(split.words[done:])
        out.spacing.extend(split.spacing[done:])
        anonymised.append(out)
    entities = tuple(
        Entity(
            marker,
            name=_fullest(forms, language),
            type=max(types[marker], key=lambda kind: types[marker][kind]),
            surfaces=tuple(forms),
        )
        for marker, forms in enumerate(surfaces)
    )
    return anonymised, entities


def _fullest(forms: dict[str, int], language: Language) -> str:
    """The longest form of a name; if names are inflected, the most frequent of those with the most
    words, so that an entity is not called by its genitive."""
    if len(forms) == 1:
        return next(iter(forms))
    if language.inflects:
        return max(forms, key=lambda form: (len(form.split()), forms[form], -len(form)))
    return max(forms, key=lambda form: (len(form), forms[form]))

"""Kinds of entities: the label of each, and the patterns its names follow (`kinds.txt`)."""

from cloze.newsroom.word_lists import sections

PATTERNS: dict[str, tuple[str, str]] = {
    kind: (label, patterns)
    for heading, patterns in sections("kinds.txt").items()
    for kind, label in [heading.split()]
}

PLURAL = frozenset({"team", "band"})
"""They rather than it; the sentences of the desks agree with that."""

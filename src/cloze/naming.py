"""Marker permutation: a fresh random naming of a data point's entities each time it is loaded.

The paper permutes the markers "whenever a data point is loaded". Here the naming is a pure
function of (seed, epoch, example), so that a resumed run, another process or another order of
loading sees the very same markers.

    draw(seed=7, epoch=0, keys=[key_of("q1")], counts=[3], pool=600)  ->  [412, 9, 77]

says that in question q1 the entities 0, 1 and 2 are called @entity412, @entity9 and @entity77.
`draw` and `apply` name whole batches of encoded questions, for networks; `renamed` names one
document, for whatever reads its tokens. `blinded` leaves nothing of a document but its names.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cloze.document import Document, Point, Question
from cloze.errors import UserError
from cloze.randomness import generator, key_of, mix
from cloze.text import MARKER, Text


def draw(
    seed: int, epoch: int, keys: np.ndarray, counts: np.ndarray, pool: int | None = None
) -> np.ndarray:
    """For each example, as many distinct markers as it has entities, uniform over the pool.

    keys: uint64, one for each example (`cloze.randomness.key_of` its id); counts: how many entities
    each has. With `pool=None` each example permutes its own entities. Returns one flat int32 array:
    the markers of the first example, then those of the second, and so on.
    """
    keys = np.asarray(keys, dtype=np.uint64)
    counts = np.asarray(counts, dtype=np.int64)
    if not len(keys):
        return np.zeros(0, np.int32)
    widest = int(counts.max())
    if pool is not None and widest > pool:
        raise UserError(
            f"a document has {widest} entities but the marker pool has only {pool}",
            fix=f"give a pool of at least {widest}",
        )
    width = widest if pool is None else pool
    stream = mix(np.uint64(epoch) + mix(np.asarray([seed], np.uint64)))  # [1]
    slots = np.arange(width, dtype=np.uint64)
    # A random number for each (example, marker); sorting the markers by it permutes them uniformly.
    lots = mix(mix(keys ^ stream)[:, None] ^ mix(slots)[None, :])
    if pool is None:  # markers beyond an example's own count must never be drawn
        lots[np.arange(width)[None, :] >= counts[:, None]] = np.iinfo(np.uint64).max
    order = np.argsort(lots, axis=1, kind="stable").astype(np.int32)
    return order[np.arange(width)[None, :] < counts[:, None]]


def apply(
    tokens: np.ndarray, base: int, size: int, drawn: np.ndarray, starts: np.ndarray
) -> np.ndarray:
    """Rename the markers in a flat array of token ids.

    Ids in [base, base + size) are markers: base + k stands for the document's entity k. `starts`
    gives, for every token, where its example's markers begin in `drawn`.
    """
    is_marker = (tokens >= base) & (tokens < base + size)
    renamed = tokens.copy()
    renamed[is_marker] = base + drawn[starts[is_marker] + tokens[is_marker] - base]
    return renamed


def renamed(
    document: Document, questions: Sequence[Question], seed: int
) -> tuple[Point, dict[int, int]]:
    """Other markers for the same entities, and the old marker of each new one.

    The stored markers follow the order of mention, which a model could exploit. Networks draw names
    from a pool for each question; here the document's own names change places, in the same way for
    all its questions.
    """
    known = {*document.context.mentions(), *(e.marker for e in document.entities)}
    old = sorted(known | {q.answer for q in questions if q.answer >= 0})
    new = generator(seed, key_of(document.id)).permutation(old).tolist()
    names = dict(zip(old, new, strict=True))

    def rename(text: Text) -> Text:
        tokens = text.tokens.copy()
        for marker, places in text.mentions().items():
            for place in places:
                tokens[place] = f"{MARKER}{names.get(marker, marker)}"
        return replace(text, tokens=tokens)

    entities = tuple(replace(e, marker=names[e.marker]) for e in document.entities)
    shown = replace(document, context=rename(document.context), entities=entities)
    asked = [
        replace(q, query=rename(q.query), answer=names.get(q.answer, q.answer)) for q in questions
    ]
    return (shown, asked), dict(zip(new, old, strict=True))


def blinded(document: Document, seed: int) -> Document:
    """The document reduced to its markers, each once, in random order."""
    markers = generator(seed, key_of(document.id)).permutation(document.candidates()).tolist()
    tokens = [f"{MARKER}{marker}" for marker in markers]
    text = Text(tokens, [document.name_of(marker) for marker in markers], [1] * len(markers))
    return replace(document, context=text)

"""Random documents with questions, for the tests of encoding, batches and answers."""

import numpy as np
from hypothesis import strategies as st

from cloze.document import Document, Entity, Question
from cloze.readers.vocabulary import Vocabulary
from cloze.text import Text

WORDS = ("the", "train", "met", "a", "prize", "|||", "naïve", "”")
VOCABULARY = Vocabulary(dict.fromkeys(WORDS[:5], 9), pool=8)

Points = list[tuple[Document, list[Question]]]


def text(random: np.random.Generator, markers: list[int], length: int, gap: bool) -> Text:
    choices = [*WORDS, *(f"@entity{m}" for m in markers)]
    tokens = [choices[random.integers(len(choices))] for _ in range(length)]
    if gap:
        tokens[random.integers(length)] = "@placeholder"
    return Text(tokens, tokens, [1] * length)


def points_of(seed: int, documents: int = 6) -> Points:
    """Markers are arbitrary numbers, as in published files; some documents have no question."""
    random = np.random.default_rng(seed)
    points = []
    for d in range(documents):
        markers = random.choice(500, random.integers(1, 8), replace=False).tolist()
        context = text(random, markers, int(random.integers(1, 40)), gap=False)
        context.tokens[0] = f"@entity{markers[0]}"
        entities = tuple(Entity(m, f"name {m}") for m in markers)
        document = Document(f"d{seed}-{d}", context, entities)
        asked = [
            Question(
                f"{document.id}-{k}",
                document.id,
                text(random, markers, int(random.integers(1, 9)), gap=True),
                markers[0],
            )
            for k in range(int(random.integers(4)))
        ]
        points.append((document, asked))
    points[0][1].append(Question(f"{seed}", points[0][0].id, Text(["@placeholder"], ["x"], [0]), 0))
    first, asked = points[0]
    asked[-1] = Question(f"{seed}", first.id, asked[-1].query, first.entities[0].marker)
    return points


seeds = st.integers(0, 10_000)

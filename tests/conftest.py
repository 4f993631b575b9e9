"""Small documents of our own that many tests use."""

import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from cloze.corpus.store import write_manifest, write_shard
from cloze.document import Document, Entity, Question
from cloze.text import Spacing, Text, marker_of

# No clock in any test: a property must not fail because a machine is busy.
hypothesis.settings.register_profile(
    "no clock", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("no clock")

needs_signals = pytest.mark.skipif(
    os.name == "nt", reason="Windows ends a process without asking it, and does not fork"
)
needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")

NAMES = ("Mara Venn", "Ostrava Rail", "Tobias Lund", "Kestrel Bay", "the Lantern Prize")


def text_of(tokens: str, answer: int | None = None) -> Text:
    """'the @entity1 train' with our names as surfaces."""
    words = tokens.split(" ")
    surfaces = []
    for word in words:
        marker = answer if word == "@placeholder" and answer is not None else marker_of(word)
        surfaces.append(NAMES[marker % len(NAMES)] if marker >= 0 else word)
    return Text(words, surfaces, [int(Spacing.SPACE)] * len(words))


def document_of(tokens: str, id: str = "d0", url: str | None = "http://example.org/d0") -> Document:
    context = text_of(tokens)
    entities = tuple(
        Entity(m, NAMES[m % len(NAMES)], "", (NAMES[m % len(NAMES)],)) for m in context.mentions()
    )
    return Document(id, context, entities, url, "2015-03-01")


def question_of(tokens: str, answer: int, document: Document, number: int = 0) -> Question:
    return Question(f"{document.id}-{number}", document.id, text_of(tokens, answer), answer)


@pytest.fixture
def make_corpus(tmp_path: Path) -> Callable[..., Path]:
    """Write a corpus of `documents` small documents with two questions each."""

    def make(documents: int = 3, splits: tuple[str, ...] = ("train", "valid")) -> Path:
        directory = tmp_path / "corpus"
        for split in splits:
            points = []
            for k in range(documents):
                document = document_of(
                    f"the @entity0 train of @entity1 number {k} met @entity2 .", f"{split}{k}"
                )
                asked = [
                    question_of("@placeholder ran the train", 0, document, 0),
                    question_of("@entity0 met @placeholder", 2, document, 1),
                ]
                points.append((document, asked))
            write_shard(directory, split, 0, points)
        write_manifest(directory, name="little", options={"made": "by a test"}, seed=3)
        return directory

    return make

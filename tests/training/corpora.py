"""A tiny corpus of our own: "@entity3 bought the lamp", asked as "@placeholder bought the lamp"."""

from pathlib import Path

import numpy as np

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Document, Entity, Question
from cloze.readers.encode_corpus import encode_corpus
from cloze.text import Text

THINGS = ["lamp", "boat", "coat", "drum", "fork", "gate", "harp", "iron", "jar", "kite"]


def text(tokens: list[str]) -> Text:
    return Text(tokens, tokens, [1] * len(tokens))


def point(number: int, rng: np.random.Generator) -> tuple[Document, list[Question]]:
    count = int(rng.integers(3, 6))
    things = rng.permutation(THINGS)[:count]
    tokens: list[str] = []
    for entity in rng.permutation(count):
        tokens += [f"@entity{entity}", "bought", "the", str(things[entity]), "."]
        tokens += ["today", "."] * int(rng.integers(0, 4))
    entities = tuple(Entity(k, f"Name {k}") for k in range(count))
    document = Document(f"d{number}", text(tokens), entities)
    asked = [
        Question(
            f"d{number}q{k}",
            document.id,
            text(["@placeholder", "bought", "the", str(things[k])]),
            k,
        )
        for k in range(2)
    ]
    return document, asked


def write_corpus(path: Path, documents: int = 40, seed: int = 0) -> Corpus:
    rng = np.random.default_rng(seed)
    for split, count in (("train", documents), ("valid", max(8, documents // 4))):
        write_shard(path, split, 0, [point(k, rng) for k in range(count)])
    write_manifest(path, name="tiny", options={"seed": seed})
    return Corpus.open(path)


def write_encoded(path: Path, documents: int = 40, seed: int = 0) -> Path:
    write_corpus(path / "corpus", documents, seed)
    return encode_corpus(path / "corpus", path / "encoded")

"""How fast a corpus is counted, encoded and batched, against plain Python over the same texts.

    python benchmarks/encode.py                     synthetic documents of CNN lengths
    python benchmarks/encode.py --corpus corpora/cnn --split valid

The rivals do what most readers' code does: a dictionary lookup for each token, and lists padded
and renamed example by example.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Document, Entity, Question
from cloze.naming import draw
from cloze.readers.batch import collate
from cloze.readers.columns import token_columns
from cloze.readers.encode_split import encode_split
from cloze.readers.encoded import EncodedSplit
from cloze.readers.vocabulary import FIRST_MARKER, Vocabulary
from cloze.tables import Table, as_markdown, markdown_row
from cloze.text import Text, marker_of

T = TypeVar("T")


def timed(work: Callable[[], T], repeats: int = 3) -> tuple[T, float]:
    """The result and the least of several wall-clock times."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return result, best


def synthetic(directory: Path, documents: int) -> Corpus:
    """Zipf-distributed words; each document has 26 entities, 760 tokens and four questions."""
    random = np.random.default_rng(0)
    words = np.asarray([f"word{k}" for k in range(120_000)])

    def text(length: int, gap: bool = False) -> Text:
        tokens = words[np.minimum(random.zipf(1.3, length), len(words)) - 1].tolist()
        for place in random.choice(length, max(length // 9, 1), replace=False):
            tokens[place] = f"@entity{random.integers(26)}"
        if gap:
            tokens[length // 2] = "@placeholder"
        return Text(tokens, tokens, [1] * length)

    points = []
    for d in range(documents):
        lengths = int(np.clip(random.normal(760, 330), 50, 2000))
        entities = tuple(Entity(k, f"name {k}") for k in range(26))
        document = Document(f"document{d}", text(lengths), entities)
        answer = document.candidates()[0]
        asked = [
            Question(f"question{d}-{k}", document.id, text(14, gap=True), answer) for k in range(4)
        ]
        points.append((document, asked))
    write_shard(directory, "train", 0, points)
    write_manifest(directory, name="synthetic", options={})
    return Corpus.open(directory)


def plain_count(corpus: Corpus, split: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for document, asked in corpus.read(split):
        counts.update(document.context.tokens)
        for question in asked:
            counts.update(question.query.tokens)
    return counts


def plain_encode(texts: list[list[str]], vocabulary: Vocabulary) -> list[list[int]]:
    ids = {vocabulary.token(number): number for number in range(len(vocabulary))}
    return [[ids.get(token, 1) if marker_of(token) < 0 else 4 for token in t] for t in texts]


def column_codes(corpus: Corpus, split: str) -> int:
    """Only reading and splitting: the cost of tokenised text before it is encoded."""
    return sum(
        len(c.codes) for pair in corpus.shards(split) for p in pair for c in token_columns(p)
    )


def plain_collate(split: EncodedSplit, indices: np.ndarray, pool: int) -> np.ndarray:
    """Example by example, token by token, as plain Python does it."""
    rows = []
    for index in indices.tolist():
        owner = int(split.question_document[index])
        count = int(split.document_entities[owner])
        names = draw(0, 0, split.question_keys[[index]], np.asarray([count]), pool).tolist()
        start, stop = split.document_offsets[owner], split.document_offsets[owner + 1]
        tokens = split.document_tokens[start:stop].tolist()
        local = FIRST_MARKER + count
        rows.append([FIRST_MARKER + names[t - 4] if 4 <= t < local else t for t in tokens])
    longest = max(map(len, rows))
    return np.asarray([row + [0] * (longest - len(row)) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--split", default="train")
    parser.add_argument("--documents", type=int, default=2000, help="of the synthetic corpus")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.corpus:
            corpus = Corpus.open(options.corpus)
        else:
            corpus = synthetic(Path(folder) / "corpus", options.documents)
        report(corpus, options.split, Path(folder))


def report(corpus: Corpus, split: str, folder: Path) -> None:
    vocabulary, count_s = timed(lambda: Vocabulary.from_corpus(corpus, split, pool=600))
    _, plain_count_s = timed(lambda: plain_count(corpus, split), 1)
    tokens, split_s = timed(lambda: column_codes(corpus, split))
    encoded, encode_s = timed(lambda: encode_split(corpus, split, vocabulary, folder / "encoded"))
    texts = [t for d, own in corpus.read(split) for t in [d.context.tokens]]
    texts += [q.query.tokens for _, own in corpus.read(split) for q in own]
    _, plain_encode_s = timed(lambda: plain_encode(texts, vocabulary), 1)
    print(f"{tokens:,} tokens, {len(encoded):,} questions, {len(vocabulary):,} types, one core\n")
    print(as_markdown(Table(["work", "tokens/s", "plain Python, tokens/s", "ratio"])))
    line("vocabulary, from Parquet", tokens / count_s, tokens / plain_count_s)
    line(
        "encode, from Parquet to .npy", tokens / encode_s, tokens / (plain_encode_s + plain_count_s)
    )
    line("encode, once tokenised", tokens / max(encode_s - split_s, 1e-9), tokens / plain_encode_s)
    random = np.random.default_rng(0)
    for size in (32, 256):
        some = random.permutation(len(encoded))[:size]
        read = int(encoded.document_lengths[some].sum() + encoded.question_lengths[some].sum())
        _, s = timed(partial(collate, encoded, some, seed=0, epoch=0, pool=600), 20)
        _, plain_s = timed(partial(plain_collate, encoded, some, 600), 5)
        line(f"collate {size} questions", read / s, read / plain_s)


def line(work: str, ours: float, rival: float) -> None:
    print(markdown_row([work, f"{ours:,.0f}", f"{rival:,.0f}", f"{ours / rival:.1f}"]))


if __name__ == "__main__":
    main()

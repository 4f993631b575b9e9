"""What a reader of word pieces loses when it is stored in 8 or 4 bits, and with fewer pieces.

    python experiments/smaller.py MODEL CORPUS ENCODED --questions 200
    python experiments/smaller.py runs/encoder/model cnn cnn-pieces --pieces 30522 16000 12000
    python experiments/smaller.py runs/encoder/model cnn cnn-pieces --bits 4

ENCODED is a corpus encoded with the model's word pieces, in which they are counted. The same
questions, one each about documents drawn from the valid split, are answered by the model as it is
and by each smaller one: how many are right, how many answered as before, and by how much the
probability of the first answer changes on average.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from cloze.answering import Ranking
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.progress import track
from cloze.readers.pruning import prune
from cloze.readers.reader import Reader
from cloze.readers.stored_weights import Bits
from cloze.tables import Table, as_markdown


def drawn(corpus: Path, questions: int, seed: int) -> list[Point]:
    points = [point for point in Corpus.open(corpus).read("valid") if point[1]]
    random = np.random.default_rng(seed)
    chosen = random.choice(len(points), min(questions, len(points)), replace=False)
    return [
        (document, [asked[random.integers(len(asked))]])
        for document, asked in (points[k] for k in sorted(chosen))
    ]


def smaller(reader: Reader, pieces: int, encoded: Path, bits: Bits) -> tuple[Reader, float]:
    """The reader with fewer bits and pieces, as it is when loaded, and its size in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        prune(reader, pieces, encoded=encoded).save_pretrained(path, bits=bits)
        size = sum(file.stat().st_size for file in path.iterdir())
        return Reader.from_pretrained(path, reader.device, batch_size=reader.batch_size), size / 1e6


def answered(reader: Reader, points: list[Point], name: str) -> list[Ranking]:
    return [own[0] for own in track(reader.answer(points), name, total=len(points))]


def row(name: str, size: str, now: list[Ranking], before: list[Ranking], right: list[int]) -> list:
    changes = [
        abs(float(a.scores[0]) - float(b.scores[0])) for a, b in zip(now, before, strict=True)
    ]
    same = np.mean([a.answer == b.answer for a, b in zip(now, before, strict=True)])
    correct = np.mean([a.answer == wanted for a, wanted in zip(now, right, strict=True)])
    return [name, size, f"{correct:.1%}", f"{same:.1%}", f"{np.mean(changes):.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("encoded", type=Path)
    parser.add_argument(
        "--pieces", type=int, nargs="+", default=[1_000_000, 20_000, 16_000, 12_000]
    )
    parser.add_argument("--bits", type=int, choices=[8, 4], default=8, help="of a weight")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    reader = Reader.from_pretrained(options.model, options.device, batch_size=4)
    points = drawn(options.corpus, options.questions, options.seed)
    right = [asked[0].answer for _, asked in points]
    before = answered(reader, points, "as it is")
    rows = [row("as it is", "", before, before, right)]
    for pieces in options.pieces:
        small, size = smaller(reader, pieces, options.encoded, options.bits)
        name = f"{options.bits} bits, {small.vocabulary.described}"
        rows.append(row(name, f"{size:.1f}", answered(small, points, name), before, right))
    print(f"{len(points)} questions of {options.corpus}")
    print(as_markdown(Table(["", "MB", "right", "as before", "change"], rows, align="lrrrr")))


if __name__ == "__main__":
    main()

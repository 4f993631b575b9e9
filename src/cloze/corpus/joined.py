"""One table with all that a question needs, in Parquet files with a card.

    README.md                   the card: what `load_dataset(FOLDER)` of Hugging Face goes by
    data/train.parquet          a row for each question, with its context
    data/validation.parquet

It is larger than a corpus, where each document is stored once, and needs no joining.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cloze.corpus.splits import renamed
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.files import check_apart, whole_directory
from cloze.progress import track
from cloze.templating import render
from cloze.text import MARKER

SPLITS = {"valid": "validation"}  # as others call it
ROWS_A_GROUP = 1_000  # about 5 MB at CNN lengths
TABLE = pa.schema(
    [
        ("id", pa.string()),
        ("context", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("candidates", pa.list_(pa.string())),
        ("names", pa.list_(pa.string())),
        ("document_id", pa.string()),
        ("url", pa.string()),
        ("date", pa.string()),
    ]
)


def export_joined(
    corpus: Corpus, out: Path, splits: Iterable[str], *, overwrite: bool = False
) -> Counter[str]:
    check_apart(out, corpus.path)
    rows: dict[str, int] = {}
    with whole_directory(out, overwrite=overwrite) as directory:
        (directory / "data").mkdir()
        for split, name in renamed(splits, SPLITS).items():
            rows[name] = _write(corpus, split, directory / "data" / f"{name}.parquet")
        card = render("corpus", "joined.md", corpus=corpus, rows=rows)
        (directory / "README.md").write_text(card, encoding="utf-8", newline="\n")
    return Counter(questions=sum(rows.values()))


def _write(corpus: Corpus, split: str, path: Path) -> int:
    """Write a split's file; returns the rows in it."""
    total = corpus.count(split, "documents")
    points = track(corpus.read(split), f"writing {split}", total=total, unit="documents")
    rows, count = _rows(points), 0
    with pq.ParquetWriter(path, TABLE, compression="zstd") as file:
        while group := list(islice(rows, ROWS_A_GROUP)):
            file.write_table(pa.Table.from_pylist(group, TABLE))
            count += len(group)
    return count


def _rows(points: Iterable[Point]) -> Iterator[dict[str, Any]]:
    for document, questions in points:
        candidates = document.candidates()
        shared = {
            "context": document.context.anonymised,
            "candidates": [f"{MARKER}{marker}" for marker in candidates],
            "names": [document.name_of(marker) for marker in candidates],
            "document_id": document.id,
            "url": document.url,
            "date": document.date,
        }
        for question in questions:
            asked = {"id": question.id, "question": question.query.anonymised}
            yield asked | shared | {"answer": f"{MARKER}{question.answer}"}

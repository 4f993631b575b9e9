import json
from pathlib import Path

import pyarrow as pa
import pytest

from cloze.errors import UserError
from cloze.propbank.frame import Argument, Frame
from cloze.propbank.score import Score, compare
from cloze.propbank.treebank import read

RECORD = {
    "split": "dev",
    "tokens": ["Kim", "slept"],
    "xpos": ["NNP", "VBD"],
    "frames": [{"i": 1, "roleset": "sleep.01", "args": [[0, 1, "ARG0"]]}],
}


@pytest.mark.parametrize("name", ["bank.jsonl", "bank.jsonl.zst"])
def test_sentences_are_read_plain_and_compressed(tmp_path: Path, name: str):
    raw = (json.dumps(RECORD) + "\n").encode() * 2
    path = tmp_path / name
    path.write_bytes(pa.compress(raw, "zstd", asbytes=True) if name.endswith("zst") else raw)
    sentences = list(read(path))
    assert len(sentences) == 2
    assert sentences[0].verbs == {1}
    assert sentences[0].frames == (Frame(1, "sleep.01", (Argument("ARG0", 0, 1),)),)


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        "[]",
        json.dumps({k: v for k, v in RECORD.items() if k != "frames"}),
        json.dumps(RECORD | {"frames": [{"i": 9, "roleset": "sleep.01", "args": []}]}),
        json.dumps(RECORD | {"frames": ["sleep.01"]}),
    ],
)
def test_a_broken_record_is_told_with_its_line(tmp_path: Path, broken: str):
    path = tmp_path / "bank.jsonl"
    path.write_text(json.dumps(RECORD) + "\n" + broken + "\n")
    with pytest.raises(UserError, match=r"bank\.jsonl, line 2: is not a PropBank record"):
        list(read(path))


def test_a_missing_or_damaged_file_is_told(tmp_path: Path):
    with pytest.raises(UserError, match="no such file"):
        list(read(tmp_path / "none.jsonl"))
    (tmp_path / "bad.zst").write_bytes(b"not compressed")
    with pytest.raises(UserError, match="truncated or damaged"):
        list(read(tmp_path / "bad.zst"))


def test_what_was_said_is_counted_against_what_is_true():
    score = compare([({1, 2}, {2, 3, 4}), (set(), {5})])
    assert score == Score(right=1, said=2, true=4)
    assert str(score) == "P 0.5000  R 0.2500  F 0.3333"

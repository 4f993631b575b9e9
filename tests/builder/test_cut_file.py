"""A file cut into parts: every line is there, once, and in order."""

import gzip
import json
from pathlib import Path

import pytest

from cloze.builder.build import build
from cloze.builder.build_input import parse_sources
from cloze.builder.cut_file import PARTS, cut_file
from cloze.builder.sources import Columns
from cloze.compressed import lines
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.files import sha256
from tests.builder.newsroom_source import write_source


def packed(folder: Path) -> tuple[Path, Path]:
    """25 stories with other things between them, and their spans."""
    stories, spans = write_source(folder, 25)
    kept = stories.read_text().splitlines()
    text = "\n".join(["{", *kept[:10], "", '{"id": 7}', *kept[10:], "[]"])
    path = folder / "packed.jsonl.gz"
    path.write_bytes(gzip.compress(text.encode()))
    return path, spans


def test_parts_hold_every_line_and_build_the_same_documents(tmp_path: Path) -> None:
    source, spans = packed(tmp_path / "in")
    out = tmp_path / "parts"
    made = cut_file(source, out, stories=10, columns=Columns(), spans=spans)
    assert [part["stories"] for part in made.values()] == [10, 10, 5]
    assert sum(part["records"] for part in made.values()) == 28
    again = [line for name in made for line in lines(out / name)]
    assert again == [line for line in lines(source) if line.strip()]
    assert [line for n in made for line in lines(out / "spans" / n)] == list(lines(spans))
    told = json.loads((out / PARTS).read_text())
    assert told["sha256"] == sha256(source)
    for name, part in told["parts"].items():
        assert part["sha256"] == sha256(out / name)
    parts = [str(out / name) for name in made]
    build(parse_sources(parts, [out / "spans"]), tmp_path / "a", name="n", workers=1)
    build(parse_sources([str(source)], [spans]), tmp_path / "b", name="n", workers=1)
    for split in ("train", "valid"):
        points = [list(Corpus.open(tmp_path / corpus).read(split)) for corpus in "ab"]
        assert points[0] == points[1]


def test_spans_that_are_too_few_and_files_that_are_no_lines(tmp_path: Path) -> None:
    source, spans = packed(tmp_path / "in")
    spans.write_text("".join(spans.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(UserError, match="ends before the stories do"):
        cut_file(source, tmp_path / "out", stories=10, columns=Columns(), spans=spans)
    with pytest.raises(UserError, match=r"is not a \.jsonl file"):
        cut_file(tmp_path / "news.csv", tmp_path / "out", stories=10, columns=Columns())
    assert [path.name for path in tmp_path.iterdir()] == ["in"]

"""Small files that unpack to large ones: one error line, and memory within the limits."""

import gzip
import json
import lzma
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze import compressed
from cloze.builder.sources import Columns, read_stories
from cloze.compressed import lines
from cloze.corpus.exchange import import_questions
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.evaluation.run import Options, run
from cloze.files import MOST_BYTES
from cloze.finding import find
from cloze.names.spans import read_spans
from cloze.stories import Reason, Reject, Story

LIMITED = """
import resource, sys
from pathlib import Path
from cloze.builder.sources import Columns, read_stories
from cloze.errors import UserError

import pyarrow
import pyarrow.parquet

used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30),) * 2)
try:
    for found in read_stories(Path(sys.argv[1]), Columns()):
        print(getattr(found, "reason", "story"))
except UserError as problem:
    print(problem)
"""


def read_in_a_gibibyte(path: Path) -> list[str]:
    """What reading the source gives in a process that may use one GiB."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)],
        env=os.environ | {"OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def zeros(count: int, step: int = 1 << 24) -> Iterator[bytes]:
    for _ in range(count // step):
        yield b"0" * step


def write_bomb(path: Path, size: int) -> None:
    with open(path, "wb") as file:
        if path.suffix != ".zst":
            file.writelines(zeros(size))
            return
        with pa.CompressedOutputStream(file, "zstd") as stream:
            for block in zeros(size):
                stream.write(block)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits memory as Linux does")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("n.jsonl.zst", "unpacks to more than 200 times its size"),
        ("n.csv.zst", "is longer than 64 MiB"),
        ("n.tar.zst", "is not a whole tar"),
        ("n.jsonl", "over 64 MiB"),
        ("n.csv", "is longer than 64 MiB"),
    ],
)
def test_a_line_without_an_end(tmp_path: Path, name: str, said: str) -> None:
    write_bomb(tmp_path / name, 2 << 30 if name.endswith(".zst") else 1 << 28)
    (line,) = read_in_a_gibibyte(tmp_path / name)
    assert said in line


def test_a_long_line_is_cut_and_the_next_is_whole(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_bytes(b"x" * (3 * MOST_BYTES) + b"\nnext\n\nlast")
    first, *rest = lines(tmp_path / "n.jsonl")
    assert len(first) == MOST_BYTES + 1
    assert rest == [b"next", b"", b"last"]


def test_a_quotation_mark_that_is_never_closed(tmp_path: Path) -> None:
    with open(tmp_path / "n.csv", "w") as file:
        file.write('id,article,highlights\n1,"')
        for _ in range(70):
            file.write("\n".join(["x" * 1023] * 1024) + "\n")
    with pytest.raises(UserError, match=r"n.csv: the record that begins in line 2 is longer than"):
        list(read_stories(tmp_path / "n.csv", Columns()))


def test_repetitive_news_is_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = json.dumps({"id": "a", "article": "x" * 10_000, "highlights": ["y"]}).encode()
    (tmp_path / "n.jsonl.gz").write_bytes(gzip.compress(b"\n".join([record] * 100)))
    assert len(list(read_stories(tmp_path / "n.jsonl.gz", Columns()))) == 100
    monkeypatch.setattr(compressed, "_SMALL", 1 << 18)
    with pytest.raises(UserError, match="unpacks to more than 200 times"):
        list(read_stories(tmp_path / "n.jsonl.gz", Columns()))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits memory as Linux does")
def test_a_parquet_that_repeats_one_long_text(tmp_path: Path) -> None:
    text = "x" * (8 << 20)
    same = pa.DictionaryArray.from_arrays(pa.array([0] * 160, pa.int32()), pa.array([text]))
    columns = {"article": same, "highlights": pa.array(["y"] * 160)}
    pq.write_table(pa.table(columns), tmp_path / "n.parquet", compression="zstd")
    assert (tmp_path / "n.parquet").stat().st_size < 1 << 20
    found = read_in_a_gibibyte(tmp_path / "n.parquet")
    assert set(found) == {"story"}
    assert len(found) == 160


def test_a_marker_of_nine_digits_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "q" / "valid"
    folder.mkdir(parents=True)
    (folder / "x.question").write_text(
        "u\n\n@entity999999999 met @entity1 .\n\n@placeholder met @entity1\n\n@entity999999999"
        "\n\n@entity999999999:Ann\n@entity1:Bob"
    )
    import_questions(tmp_path / "q", tmp_path / "c", name="c")
    import numpy as np

    full = np.full

    def modest(shape: int, *arguments: object) -> object:
        assert np.prod(shape) < 1 << 20
        return full(shape, *arguments)  # type: ignore[call-overload]

    monkeypatch.setattr(np, "full", modest)
    run(find("question-only"), Corpus.open(tmp_path / "c"), "valid", tmp_path, Options(seed=1))


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"id": "a", "article": [[0, 1e0, "ORG"]], "highlights": [[]]}',
        '{"id": "a", "article": [[0, 1, "\\ud800"]], "highlights": [[]]}',
        '{"id": "a", "article": 5, "highlights": [[]]}',
        '{"id": "a", "article": [], "highlights": [[]], "clusters": [[[7, 0, 1]]]}',
        '{"id": "a", "article": [], "highlights": [[]], "clusters": [[[0, -1, 1]]]}',
        "9" * 5000,
    ],
)
def test_spans_that_are_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.jsonl").write_text(line)
    with pytest.raises(UserError, match="line 1 does not hold the spans"):
        list(read_spans(tmp_path / "x.jsonl"))


def test_a_story_of_the_largest_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "a.story").write_bytes(b"x" * (MOST_BYTES))
    (tmp_path / "n" / "b.story").write_bytes(b"x" * (MOST_BYTES + 1))
    first, second = read_stories(tmp_path / "n", Columns())
    assert isinstance(first, Story)
    assert second == Reject("b.story", Reason.TOO_BIG)


def test_the_dictionary_of_an_xz_file_is_limited(tmp_path: Path) -> None:
    content = lzma.compress(b"rain\n" * 1000, preset=1)
    path = tmp_path / "n.jsonl.xz"
    path.write_bytes(_with_dictionary(content, 64 << 20))
    assert list(lines(path)) == [b"rain"] * 1000
    path.write_bytes(_with_dictionary(content, 1 << 30))
    with pytest.raises(UserError, match="Memory usage limit exceeded"):
        list(lines(path))


def _with_dictionary(content: bytes, size: int) -> bytes:
    """An .xz file whose block header says that its dictionary is of another size."""
    header = bytearray(content[12 : 12 + 4 * (content[12] + 1)])
    at = header.index(bytes([0x21, 1])) + 2  # LZMA2, one byte of properties
    header[at] = 2 * (size.bit_length() - 1) - 24
    header[-4:] = zlib.crc32(header[:-4]).to_bytes(4, "little")
    return content[:12] + bytes(header) + content[12 + len(header) :]


@pytest.mark.parametrize("step", [1, 7, 1 << 20])
def test_an_xz_file_is_unpacked_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Several streams, padding between them, and blocks that end anywhere."""
    monkeypatch.setattr(compressed, "_BLOCK", step)
    rain, sun = b"Rain.\n" * 50, b"Sun.\n"
    one, two = lzma.compress(rain), lzma.compress(sun)
    path = tmp_path / "x.xz"
    for content, expected in (
        (one, rain),
        (one + two, rain + sun),
        (one + bytes(8) + two + bytes(4), rain + sun),
        (lzma.compress(b""), b""),
    ):
        path.write_bytes(content)
        with compressed.opened(path) as stream:
            assert stream.read() == expected
    for content in (one[:-1], one[:40], one + b"garbage", one[:30] + b"?" + one[31:]):
        path.write_bytes(content)
        with pytest.raises(UserError, match="is truncated or damaged"):
            list(lines(path))

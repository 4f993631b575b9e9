"""Tars: whole, or an error; a damaged one never just ends early."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cloze.builder.sources import Columns, read_stories
from cloze.cli.main import app
from cloze.corpus.exchange import import_questions
from cloze.errors import UserError
from cloze.stories import Reason, Reject, Story

CONTENT = {
    ".story": b"So Ann Tillow left.\n\n@highlight\n\nAnn Tillow leaves\n" + b"x" * 700,
    ".question": b"http://x.org/%d\n\n@entity3 left .\n\n@placeholder left\n\n@entity3\n\n@entity3:Ann",
}
FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def tar(ending: str, count: int = 20, form: int = tarfile.PAX_FORMAT, long: str = "") -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=form) as archive:
        folder = tarfile.TarInfo("valid")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for number in range(count):
            content = CONTENT[ending]
            content = content % number if b"%d" in content else content
            member = tarfile.TarInfo(f"valid/{long}{number:03d}{ending}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return whole.getvalue()


def headers(content: bytes) -> list[int]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return [member.offset for member in archive]


def flipped(content: bytes) -> bytes:
    """One bit of the eighth story's header is flipped."""
    damaged = bytearray(content)
    damaged[headers(content)[8] + 5] ^= 4
    return bytes(damaged)


def flipped_inside_gzip(content: bytes) -> bytes:
    damaged = bytearray(gzip.compress(content, 0))  # stored, so that the tar's blocks are found
    damaged[len(damaged) // 2] ^= 4
    return bytes(damaged)


def without_end(content: bytes) -> bytes:
    filled = len(content.rstrip(b"\0"))
    return content[: filled + -filled % 512]


DAMAGE: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "a bit flipped in a header": (".tar", flipped),
    "cut where a member begins": (".tar", lambda tar: tar[: headers(tar)[8]]),
    "cut inside a header": (".tar", lambda tar: tar[: headers(tar)[8] + 100]),
    "cut inside a member": (".tar", lambda tar: tar[: headers(tar)[8] + 600]),
    "no end": (".tar", lambda tar: without_end(tar)),
    "half of the end": (".tar", lambda tar: without_end(tar) + bytes(512)),
    "garbage after the end": (".tar", lambda tar: tar + b"garbage"),
    "a second tar after the end": (".tar", lambda tar: tar + tar),
    "a bit flipped inside gzip": (".tar.gz", flipped_inside_gzip),
    "a header flipped inside gzip": (".tar.gz", lambda tar: gzip.compress(flipped(tar))),
    "gzip cut": (".tar.gz", lambda tar: gzip.compress(tar)[:-40]),
    "gzip without its last byte": (".tar.gz", lambda tar: gzip.compress(tar)[:-1]),
    "xz cut": (".tar.xz", lambda tar: lzma.compress(tar)[:-40]),
    "tgz cut": (".tgz", lambda tar: gzip.compress(tar)[:-40]),
    "nothing at all": (".tar", lambda tar: b""),
}


def write(folder: Path, damage: str, ending: str) -> Path:
    name, harm = DAMAGE[damage]
    path = folder / f"n{name}"
    path.write_bytes(harm(tar(ending)))
    return path


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_tar_of_stories_is_an_error(tmp_path: Path, damage: str) -> None:
    path = write(tmp_path, damage, ".story")
    with pytest.raises(UserError, match=r"truncated|damaged|whole tar"):
        list(read_stories(path, Columns()))


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_tar_of_questions_is_one_line_and_exit_2(tmp_path: Path, damage: str) -> None:
    path = write(tmp_path, damage, ".question")
    with pytest.raises(UserError, match=r"truncated|damaged|whole tar"):
        import_questions(path, tmp_path / "out", name="n")
    # Typer would turn an EOFError into "Aborted", like an interrupt.
    result = CliRunner().invoke(app, ["import", str(path), str(tmp_path / "out")])
    assert isinstance(result.exception, UserError)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("long", ["", "n" * 80, "é"])
@pytest.mark.parametrize(
    ("ending", "compress"),
    [
        (".tar", bytes),
        (".tar.gz", gzip.compress),
        (".tgz", gzip.compress),
        (".tar.xz", lzma.compress),
        (".tar.bz2", bz2.compress),
    ],
)
def test_every_form_of_tar_is_read(
    tmp_path: Path, form: int, long: str, ending: str, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"n{ending}"
    path.write_bytes(compress(tar(".story", 3, form, long)))
    stories = list(read_stories(path, Columns()))
    assert [story.id for story in stories if isinstance(story, Story)] == [
        f"{long}{number:03d}" for number in range(3)
    ]
    path.write_bytes(compress(tar(".question", 3, form, long)))
    counts, _ = import_questions(path, tmp_path / "out", name="n")
    assert counts["questions"] == 3


def test_names_of_any_length(tmp_path: Path) -> None:
    path = tmp_path / "n.tar"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        path.write_bytes(tar(".story", 2, form, "n" * 400))
        first, _ = read_stories(path, Columns())
        assert isinstance(first, Story)
        assert first.id == "n" * 400 + "000"


def test_a_member_that_is_no_story_for_its_size_is_stepped_over(tmp_path: Path) -> None:
    whole = io.BytesIO()
    huge = 65 << 20
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name, size in (("a.story", huge), ("b.story", 5)):
            member = tarfile.TarInfo(name)
            member.size = size
            archive.addfile(member, io.BytesIO(b"x" * size))
    (tmp_path / "n.tar.gz").write_bytes(gzip.compress(whole.getvalue(), 1))
    first, second = read_stories(tmp_path / "n.tar.gz", Columns())
    assert first == Reject("a.story", Reason.TOO_BIG)
    assert isinstance(second, Story)

"""Whole or not there: a failure while writing leaves nothing behind, and the old file untouched."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cloze import files
from cloze.errors import UserError
from cloze.files import read_json, whole_directory, whole_file, write_json, write_text
from tests.conftest import needs_modes, needs_signals


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(RuntimeError), whole_file(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("writer", [whole_file, whole_directory])
def test_disk_full_is_one_line_and_leaves_nothing(tmp_path: Path, writer) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UserError, match="the disk is full"), writer(tmp_path / "out") as temporary:
        if writer is whole_file:
            temporary.write_text("half")
        else:
            (temporary / "part").write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert names(tmp_path) == []


def test_a_really_full_disk(tmp_path: Path) -> None:
    """/dev/full refuses every byte, like a full disk."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with (
        pytest.raises(UserError, match="the disk is full"),
        whole_file(tmp_path / "out") as temporary,
    ):
        temporary.symlink_to("/dev/full")
        with open(temporary, "w") as file:
            file.write("x" * 100_000)
    assert names(tmp_path) == []


def test_a_directory_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with whole_directory(tmp_path / "d") as temporary:
        (temporary / "a").write_text("1")
        assert not (tmp_path / "d").exists()
    assert (tmp_path / "d" / "a").read_text() == "1"
    with pytest.raises(UserError, match="already exists"), whole_directory(tmp_path / "d"):
        pass
    with whole_directory(tmp_path / "d", overwrite=True) as temporary:
        (temporary / "b").write_text("2")
    assert names(tmp_path / "d") == ["b"]
    assert names(tmp_path) == ["d"]


@pytest.mark.parametrize("rename_fails", [False, True])
@pytest.mark.parametrize("writer", [whole_file, whole_directory])
def test_a_name_that_the_disk_cannot_keep_is_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Any, rename_fails: bool
) -> None:
    """The last write of all fails: a second run must not find the place taken."""
    flush, replace = files._flush_to_disk, os.replace

    def fail(path: Path) -> None:
        if path == tmp_path:
            if rename_fails:
                monkeypatch.setattr(os, "replace", no_room)
            raise OSError(errno.ENOSPC, "no room")
        flush(path)

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(files, "_flush_to_disk", fail)
    with pytest.raises(UserError, match="disk is full"), writer(tmp_path / "out") as temporary:
        if writer is whole_directory:
            temporary /= "inside"
        temporary.write_text("all of it")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(os, "replace", replace)


@needs_signals
def test_a_killed_writer_leaves_the_old_file_readable(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    write_json(target, {"old": True})
    script = f"""
import os, signal
from pathlib import Path
from cloze.files import whole_file
with whole_file(Path({str(target)!r})) as temporary:
    temporary.write_text('{{"new": tr')
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", script]).returncode == -9
    assert read_json(target) == {"old": True}


def test_no_permission(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no permission"), whole_file(tmp_path / "a"):
        raise PermissionError


@needs_modes
def test_what_a_library_wrote_for_itself_alone_can_be_read_as_usual(tmp_path: Path) -> None:
    def private(path: Path) -> None:
        path.touch(mode=0o600)
        path.chmod(0o600)

    (tmp_path / "usual").touch()
    with whole_file(tmp_path / "file") as temporary:
        private(temporary)
    with whole_directory(tmp_path / "folder") as temporary:
        (temporary / "inner").mkdir()
        private(temporary / "inner" / "file")
    usual = (tmp_path / "usual").stat().st_mode
    assert (tmp_path / "file").stat().st_mode == usual
    assert (tmp_path / "folder" / "inner" / "file").stat().st_mode == usual


def test_a_folder_that_another_process_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match="already exists"),
        whole_directory(tmp_path / "d") as temporary,
    ):
        (temporary / "a").write_text("1")
        (tmp_path / "d").mkdir()
        (tmp_path / "d" / "b").write_text("2")
    assert names(tmp_path) == ["d"]
    assert names(tmp_path / "d") == ["b"]


def test_a_file_may_be_replaced_by_a_folder(tmp_path: Path) -> None:
    (tmp_path / "d").write_text("old")
    with whole_directory(tmp_path / "d", overwrite=True) as temporary:
        (temporary / "a").write_text("1")
    assert names(tmp_path) == ["d"]
    assert names(tmp_path / "d") == ["a"]


def test_a_mistake_is_told_in_one_line() -> None:
    assert str(UserError("bad\n  file", where="a\nb", fix="c\n")) == "a b: bad file; c"

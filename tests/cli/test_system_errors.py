"""Which complaints of the operating system are one line for the user, and which are faults of ours."""

import errno
import os
import sys
from pathlib import Path

import pytest

from cloze.cli import main as command


def ends_with(
    problem: OSError, arguments: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> int:
    """The exit code of a command in which this happens."""

    def fail(**_: object) -> None:
        raise problem

    monkeypatch.setattr(command, "app", fail)
    monkeypatch.setattr(sys, "argv", ["cloze", *arguments])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def error(number: int, name: str | None) -> OSError:
    return OSError(number, os.strerror(number), name)


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (error(errno.ENOENT, "news.txt"), 2),  # named by the user
        (error(errno.ENOENT, "./corpus"), 2),
        (error(errno.EEXIST, "corpus"), 2),
        (error(errno.ENOENT, "corpus/documents/x"), command.UNFORESEEN),  # lost by us
        (error(errno.ENOENT, "/usr/lib/cloze/page.html"), command.UNFORESEEN),
        (error(errno.EEXIST, "runs/a/.building"), command.UNFORESEEN),
        (error(errno.EINVAL, "runs/a"), command.UNFORESEEN),
        (error(errno.EBADF, None), command.UNFORESEEN),
        (error(errno.EACCES, "/etc/secret"), 2),  # the system's affair wherever it is
        (error(errno.EROFS, "runs/a/x"), 2),
        (error(errno.ENOSPC, None), 2),
    ],
)
def test_an_error_of_the_system(
    problem: OSError,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["train", "some.yaml", "corpus=corpus", "--article", "news.txt"]
    monkeypatch.setattr(command, "_drop_stdout", lambda: None)
    assert ends_with(problem, arguments, monkeypatch, tmp_path) == code
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert ("fault of cloze" in said) == (code == command.UNFORESEEN)

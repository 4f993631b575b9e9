"""One run at a time writes to a folder, and what a dead run left there is no obstacle."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze.cli import main as command
from cloze.files import one_writer
from tests.conftest import needs_signals
from tests.training.test_run import CONFIG

Cloze = Callable[..., tuple[int, str]]
HOLD = """
import os, signal, sys
from pathlib import Path
from cloze.files import one_writer
with one_writer(Path(sys.argv[1]), fix=""):
    print("held", flush=True)
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def cloze(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cloze:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(CONFIG)

    def run(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["cloze", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            command.main()
        return int(end.value.code or 0), capsys.readouterr().err

    return run


@pytest.mark.parametrize("resume", [[], ["--resume"]], ids=["fresh", "resumed"])
def test_a_second_run_is_refused_in_one_line(
    cloze: Cloze, encoded: Path, tmp_path: Path, resume: list[str]
) -> None:
    run = ("train", "config.yaml", f"encoded={encoded}", "out=run", *resume)
    with one_writer(tmp_path / "run", fix=""):
        before = sorted((tmp_path / "run").iterdir())
        code, said = cloze(*run)
        assert (code, said) == (
            2,
            "error: run: another run is writing here; wait for it, or give another out=\n",
        )
        assert sorted((tmp_path / "run").iterdir()) == before
    assert cloze(*run)[0] == 0


@needs_signals
def test_the_lock_of_a_killed_process_is_free(cloze: Cloze, encoded: Path, tmp_path: Path) -> None:
    run = ("train", "config.yaml", f"encoded={encoded}", "out=run")
    command = [sys.executable, "-c", HOLD, tmp_path / "run"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as held:
        assert held.stdout is not None
        assert held.stdout.readline() == "held\n"
        assert cloze(*run)[0] == 2
        held.communicate("")
    assert held.returncode == -9
    assert cloze(*run)[0] == 0


def test_leftovers_of_a_process_with_our_number(
    cloze: Cloze, encoded: Path, tmp_path: Path
) -> None:
    """In a container, a new process may have the same number as the one that was killed."""
    for name in ("questions", "again"):
        left = tmp_path / f".{name}.{os.getpid()}.partial"
        left.mkdir()
        (left / "half").write_text("a wri")
    corpus = encoded.parent / "corpus"
    code, said = cloze("export", corpus, "questions")
    assert code == 0, said
    code, said = cloze("import", "questions", "again")
    assert code == 0, said

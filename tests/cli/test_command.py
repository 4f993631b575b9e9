"""The command as people type it: real processes, real exit codes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import needs_signals

Make = Callable[..., Path]


def cloze(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cloze", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def test_bare_command_and_help() -> None:
    shown = cloze("--help")
    assert shown.returncode == 0
    for verb in ("stats", "import", "export", "newsroom", "demo"):
        assert verb in shown.stdout
    assert "Usage" in cloze().stdout + cloze().stderr


def test_help_does_not_load_what_is_heavy() -> None:
    script = (
        "import sys; import cloze.cli.main; "
        "print([m for m in ('torch', 'spacy', 'pyarrow', 'matplotlib', 'numba') if m in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert loaded.stdout.strip() == "[]"


def test_every_verb_has_a_worked_example() -> None:
    listing = cloze("--help").stdout.split("Commands:")[1]
    verbs = [
        line.split()[0] for line in listing.splitlines() if line[:2] == "  " and line[2:3].strip()
    ]
    assert len(verbs) >= 5
    for verb in verbs:
        shown = cloze(verb, "--help").stdout
        assert (
            f"cloze {verb} " in shown.split("Options:")[0].split("Usage:")[1].split("\n", 1)[1]
        ), verb


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stats", "nowhere"], "error: nowhere: no such corpus folder"),
        (["stats", "."], "error: .: this folder is empty"),
        (["nonsense"], "error: No such command 'nonsense'"),
        (["stats", "--nonsense"], "error: No such option: --nonsense"),
        (["stats"], "error: Missing argument"),
        (["import", "nowhere", "out"], "error: nowhere: no such folder or tar"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    failed = cloze(*arguments, cwd=tmp_path)
    assert failed.returncode == 2
    assert failed.stderr.startswith(message), failed.stderr
    assert failed.stderr.count("\n") == 1
    assert failed.stdout == ""


def test_stats_prints_the_papers_tables(make_corpus: Make) -> None:
    path = make_corpus()
    shown = cloze("stats", path, "--compare", "cnn")
    assert shown.returncode == 0, shown.stderr
    assert "# queries" in shown.stdout
    assert "3,924" in shown.stdout
    assert "Top N" in shown.stdout
    import json

    machine = json.loads(cloze("stats", path, "--json").stdout)
    assert machine["splits"]["valid"]["queries"] == 6
    assert machine["splits"]["valid"]["avg_entities"] == 3
    assert machine["splits"]["valid"]["top"]["1"] == 50
    assert cloze("stats", path, "--compare", "bbc").returncode == 2


def test_import_and_export_through_the_command(make_corpus: Make, tmp_path: Path) -> None:
    done = cloze("export", make_corpus(), tmp_path / "q.tar", "--split", "valid")
    assert done.returncode == 0, done.stderr
    assert "6 questions" in done.stdout
    done = cloze("import", tmp_path / "q.tar", tmp_path / "back", "--strict")
    assert "6 questions over 3 documents" in done.stdout
    assert cloze("stats", tmp_path / "back").returncode == 0


def hear_ctrl_c() -> None:
    """A shell starts its background jobs, perhaps these tests, with interrupts ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@needs_signals
def test_ctrl_c_is_a_clean_line(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "cloze",
        "newsroom",
        str(tmp_path / "out"),
        "--stories",
        "200000",
    ]
    running = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hear_ctrl_c
    )
    while not any(tmp_path.iterdir()):  # it has begun to write
        assert running.poll() is None
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate()
    assert running.returncode == 130, said
    assert said.strip().splitlines()[-1].startswith("interrupted")
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()

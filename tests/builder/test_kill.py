"""Killed at any moment and started again, a build ends with the same bytes."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze.builder.build import build
from cloze.builder.build_input import Source
from tests.builder.newsroom_source import all_bytes, write_source

BUILD = """
import os
import sys
import time
from pathlib import Path

from cloze.builder import chunks
from cloze.builder.build import build
from cloze.builder.build_input import Source

write = chunks.write_json
MOST = int(os.environ["MOST"])


def write_at_most(path, value):  # in the workers too, which import this file
    done = path.parent
    while done.name == "chunks" and done.is_dir() and len(os.listdir(done)) >= MOST:
        time.sleep(0.001)
    write(path, value)


chunks.write_json = write_at_most

if __name__ == "__main__":
    stories, spans, out, workers = sys.argv[1:]
    build([Source(Path(stories), None, Path(spans))], Path(out), name="news",
          workers=int(workers), stories_a_shard=4)
"""


def start(script: Path, *arguments: object, most: int = 1000) -> "subprocess.Popen[bytes]":
    """A build that pauses after `most` chunks, so that no kill comes too late."""
    return subprocess.Popen(
        [sys.executable, str(script), *map(str, arguments)], env=os.environ | {"MOST": str(most)}
    )


def test_kill_9_at_ten_random_moments(tmp_path: Path) -> None:
    workers = 2
    stories, spans = write_source(tmp_path / "in", 400)
    script = tmp_path / "build.py"
    script.write_text(BUILD)
    assert start(script, stories, spans, tmp_path / "calm" / "c", workers).wait() == 0
    out = tmp_path / "hard" / "c"
    finished = out.with_name(".c.building") / "chunks"

    def count() -> int:
        return len(os.listdir(finished)) if finished.is_dir() else 0

    moments = random.Random(workers)
    for _ in range(10):
        enough = count() + moments.randint(0, 9)
        process = start(script, stories, spans, out, workers, most=enough + 2)
        while count() <= enough:
            assert process.poll() is None
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.02))
        process.kill()
        process.wait()
    assert start(script, stories, spans, out, workers).wait() == 0
    assert all_bytes(out) == all_bytes(tmp_path / "calm" / "c")
    assert [path.name for path in out.parent.iterdir()] == ["c"]


class Killed(BaseException):
    pass


def test_broken_off_before_every_single_change_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill leaves no chance to clean up: after it, every further change fails too."""
    # A flush counts as a change. Here it does nothing: no process sees the difference.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    stories, spans = write_source(tmp_path / "in", 3)
    source = Source(stories, "train", spans)

    def run(out: Path) -> None:
        build([source], out, name="news", workers=1, stories_a_shard=2)

    run(tmp_path / "calm" / "c")
    expected = all_bytes(tmp_path / "calm" / "c")
    changes = 0

    def mortal(change: Callable[..., Any], last: int) -> Callable[..., Any]:
        def do(*arguments: Any, **options: Any) -> Any:
            nonlocal changes
            changes += 1
            if changes > last:
                raise Killed
            return change(*arguments, **options)

        return do

    survived = 0
    for last in range(1000):
        out = tmp_path / str(last) / "c"
        changes = 0
        with monkeypatch.context() as patch:
            for name in ("replace", "rename", "unlink", "remove", "rmdir", "mkdir", "fsync"):
                patch.setattr(os, name, mortal(getattr(os, name), last))
            try:
                run(out)
                survived = last
            except Killed:
                pass
        if survived:
            break
        run(out)
        assert all_bytes(out) == expected, f"killed before change {last}"
        assert [path.name for path in out.parent.iterdir()] == ["c"], f"before change {last}"
    assert survived > 30

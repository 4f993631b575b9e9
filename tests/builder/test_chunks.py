"""The lock on a build: one writer at a time, and a dead one is no obstacle."""

import subprocess
import sys
from pathlib import Path

import pytest

from cloze.builder.chunks import work_folder
from cloze.errors import UserError

HOLDER = """
import sys
from pathlib import Path
from cloze.builder.chunks import work_folder

with work_folder(Path(sys.argv[1]), {"made": "by a test"}):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_runs_do_not_write_in_one_place_and_a_dead_one_lets_go(tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    command = [sys.executable, "-c", HOLDER, str(out)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=r"corpus: another run is writing here; wait for it"):
            with work_folder(out, {"made": "by a test"}):
                pass
        holder.kill()
    assert (out.with_name(".corpus.building") / "lock").is_file()  # left by the dead process
    with work_folder(out, {"made": "by a test"}) as work:
        assert (work / "lock").is_file()
    assert list(tmp_path.iterdir()) == []

"""What GNU OpenMP itself says about how long its threads spin, in processes of their own."""

import os
import re
import subprocess
import sys

import pytest
import torch

from cloze.waiting import SPINS

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or "OpenMP" not in torch.__config__.parallel_info(),
    reason="PyTorch uses GNU OpenMP on Linux only",
)


def spins(script: str, **environment: str) -> str:
    """GOMP_SPINCOUNT as the loaded library has it."""
    clean = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=clean | {"OMP_DISPLAY_ENV": "VERBOSE"} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr)
    assert found, done.stderr
    return found[1]


def test_threads_soon_sleep_while_they_wait() -> None:
    assert spins("import cloze, torch") == SPINS


@pytest.mark.parametrize(
    "chosen", [{"GOMP_SPINCOUNT": "12345"}, {"OMP_WAIT_POLICY": "passive"}], ids=str
)
def test_what_the_user_chose_stays(chosen: dict[str, str]) -> None:
    assert spins("import cloze, torch", **chosen) == spins("import torch", **chosen) != SPINS

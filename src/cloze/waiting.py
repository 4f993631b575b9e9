"""How PyTorch's threads wait for each other: they soon sleep instead of spinning.

GNU OpenMP, which PyTorch uses on Linux, lets a waiting thread spin for milliseconds. That costs
nothing on idle cores, but beside another program the spinning thread holds the very core that the
thread it waits for needs, at every one of the hundreds of operations of a training step.
"""

import os
import sys

SPINS = "2000"  # some ten microseconds: enough to catch a thread that is about to finish


def be_brief() -> None:
    """Shorten the wait; OpenMP reads the setting once, so this comes before PyTorch is imported."""
    chosen = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & os.environ.keys()
    if not chosen and "torch" not in sys.modules:
        os.environ["GOMP_SPINCOUNT"] = SPINS

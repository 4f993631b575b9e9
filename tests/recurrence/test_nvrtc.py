"""The kernels compile for every generation of GPUs, where CUDA's run-time compiler is installed."""

import pytest

from cloze.recurrence import hopper, nvrtc, portable
from cloze.recurrence.plan import Gpu, choose, stepwise

try:
    KNOWN = nvrtc.architectures()
except nvrtc.CannotCompile:
    KNOWN = []
pytestmark = pytest.mark.skipif(not KNOWN, reason="NVRTC is not installed")

GPUS = {  # compute capability: multiprocessors and shared memory of a typical one
    75: Gpu(40, 64 * 1024),
    80: Gpu(108, 163 * 1024),
    86: Gpu(84, 99 * 1024),
    89: Gpu(128, 99 * 1024),
    90: Gpu(132, 227 * 1024),
    100: Gpu(148, 227 * 1024),
    120: Gpu(170, 99 * 1024),
}


@pytest.mark.parametrize("generation", GPUS)
@pytest.mark.parametrize("math", ["plain", "plain16", "tf32", "bf16"])
def test_portable(generation: int, math: str) -> None:
    if generation not in KNOWN:
        pytest.skip(f"this NVRTC does not know {generation}")
    if (generation < 80) != math.startswith("plain16") and math != "plain":
        pytest.skip("tensor cores multiply these numbers from 8.0 on, and only from then on")
    kind = (math.removesuffix("16") if math == "plain16" else math,
            "bfloat16" if math.endswith("16") else "float")  # fmt: skip
    for forward in (True, False):
        plan = choose(forward, 256, 32, 2, kind, GPUS[generation])
        assert nvrtc.compiled(portable.source(plan), f"sm_{generation}").startswith(b"\x7fELF")


@pytest.mark.parametrize("generation", GPUS)
def test_few_units(generation: int) -> None:
    if generation not in KNOWN:
        pytest.skip(f"this NVRTC does not know {generation}")
    for forward in (True, False):
        plan = choose(forward, 64, 32, 2, ("plain", "float"), GPUS[generation])
        assert plan.math == "few"
        assert nvrtc.compiled(portable.source(plan), f"sm_{generation}").startswith(b"\x7fELF")


@pytest.mark.parametrize("generation", GPUS)
@pytest.mark.parametrize("storage", ["float", "bfloat16"])
def test_stepwise(generation: int, storage: str) -> None:
    if generation not in KNOWN:
        pytest.skip(f"this NVRTC does not know {generation}")
    for forward in (True, False):
        plan = stepwise(forward, 96, 32, 2, ("plain", storage), GPUS[generation])
        assert nvrtc.compiled(portable.source(plan), f"sm_{generation}").startswith(b"\x7fELF")


def test_ptx_for_the_driver() -> None:
    plan = choose(True, 64, 8, 1, ("tf32", "float"), GPUS[80])
    assert b".target sm_80" in nvrtc.compiled(portable.source(plan), "compute_80")


@pytest.mark.parametrize("forward", [True, False])
def test_hopper(forward: bool) -> None:
    kernel = hopper.Kernel(forward, 256, 8, True, "float")
    assert nvrtc.compiled(kernel.source(), "sm_90").startswith(b"\x7fELF")


def test_a_mistake_is_reported() -> None:
    with pytest.raises(nvrtc.CannotCompile, match="nonsense"):
        nvrtc.compiled("nonsense", "sm_80")

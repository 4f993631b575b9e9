"""Why the kernels for GPUs cannot run here, in one line; `test_cpu.py` tests the warning."""

from collections.abc import Iterator

import pytest
import torch

from cloze.recurrence import dispatch, driver, hopper, images, nvrtc, peephole_lstm, portable
from cloze.recurrence.plan import Gpu
from tests.recurrence.cases import problem

DEVICE = torch.device("cuda", 0)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Nothing known of a real GPU comes in, and nothing of these goes out."""
    forget()
    yield
    forget()


def forget() -> None:
    for cached in (hopper.why_not, hopper.resident_clusters, hopper.loaded, portable.why_not):
        cached.cache_clear()
    images.target.cache_clear()
    portable.has_tensor_cores.cache_clear()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    of_generation((9, 0), monkeypatch)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "a GPU")


def of_generation(capability: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)


def test_no_compiler(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "_candidates", lambda: iter(["no such library"]))
    nvrtc.library.cache_clear()
    for passes in (hopper, portable):
        reason = passes.why_not(DEVICE, 64, torch.float32)
        assert "NVRTC, CUDA's run-time compiler, is not installed" in str(reason)


def test_a_compiler_that_fails(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise nvrtc.CannotCompile("NVRTC failed: no such architecture")

    monkeypatch.setattr(images, "image", fail)
    assert "no such architecture" in str(hopper.why_not(DEVICE, 64, torch.float32))


def test_a_gpu_that_the_compiler_does_not_know(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "architectures", lambda: [75, 80])
    assert images.target(DEVICE) == "compute_80"
    images.target.cache_clear()
    monkeypatch.setattr(nvrtc, "architectures", lambda: [100])
    assert "cannot compile for compute capability 9.0" in str(
        portable.why_not(DEVICE, 64, torch.float32)
    )


def test_a_driver_that_refuses(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> object:
        raise RuntimeError("the CUDA recurrence failed: unsupported toolchain (222)")

    monkeypatch.setattr(nvrtc, "architectures", lambda: [90])
    monkeypatch.setattr(nvrtc, "compiled", lambda *_: b"")
    monkeypatch.setattr(driver, "function", refuse)
    assert "unsupported toolchain" in str(portable.why_not(DEVICE, 64, torch.float32))


def test_a_small_gpu(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "architectures", lambda: [90])
    monkeypatch.setattr(nvrtc, "compiled", lambda *_: b"")
    monkeypatch.setattr(driver, "function", lambda *_: None)
    monkeypatch.setattr(portable, "gpu", lambda _: Gpu(4, 65536))
    monkeypatch.setattr(hopper, "resident_clusters", lambda *_: 0)
    assert "no room for a cluster" in str(hopper.why_not(DEVICE, 64, torch.float32))
    assert portable.why_not(DEVICE, 513, torch.float32) is None
    hopper.why_not.cache_clear()


def test_other_sizes_types_and_generations(gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "hidden size 300 is over 256" in str(hopper.why_not(DEVICE, 300, torch.float32))
    for passes in (hopper, portable):
        assert "neither float32 nor bfloat16" in str(passes.why_not(DEVICE, 64, torch.float64))
    of_generation((7, 0), monkeypatch)
    assert "not of the Hopper generation" in str(hopper.why_not(DEVICE, 32, torch.float32))
    assert "older than compute capability 7.5" in str(portable.why_not(DEVICE, 32, torch.float32))


@pytest.mark.parametrize("name", ["hopper", "portable"])
def test_asked_for_on_a_cpu(name: str) -> None:
    p = problem(3, 2, 2, 8)
    with pytest.raises(ValueError, match=f"the {name} recurrence cannot run on tensors on cpu"):
        peephole_lstm(*p[:4], implementation=name)


@pytest.mark.parametrize(
    ("batch", "hidden", "dtype", "first"),
    [
        (32, 256, torch.bfloat16, "hopper"),
        (256, 64, torch.bfloat16, "hopper"),
        (32, 64, torch.float32, "portable"),
        (32, 65, torch.float32, "hopper"),
        (256, 256, torch.float32, "hopper"),
        (256, 256, torch.bfloat16, "portable"),
        (1024, 256, torch.float32, "portable"),
        (1024, 128, torch.float32, "hopper"),
    ],
)
def test_the_smallest_and_the_largest_layers_are_portable(
    batch: int, hidden: int, dtype: torch.dtype, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tensors on "meta" stand for those on a GPU: only their shape and numbers are looked at.
    monkeypatch.setitem(dispatch.FAST, "meta", dispatch.FAST["cuda"])
    inputs = torch.empty(5, batch, 8, dtype=dtype, device="meta")
    assert dispatch.fastest_first(inputs, hidden)[0] == first


@pytest.mark.parametrize(
    ("hidden", "batch", "precision", "math"),
    [
        (256, 8, "high", "tf32"),
        (64, 1024, "high", "tf32"),
        (64, 256, "high", "plain"),
        (64, 1024, "highest", "plain"),
    ],
)
def test_tensor_cores_only_where_they_save_time(
    gpu: None, hidden: int, batch: int, precision: str, math: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_generation((9, 0), monkeypatch)
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: precision)
    assert portable.how(torch.float32, DEVICE, hidden, batch) == (math, "float")
    assert portable.how(torch.bfloat16, DEVICE, hidden, batch) == ("bf16", "bfloat16")

"""The Hopper kernels themselves, compiled for the host and run by fibres instead of GPU threads.

The headers in host/ stand in for CUDA: shared memory starts as NaN, threads run in a shuffled order
and a barrier that not all of them reach is an error. Only the hardware itself is missing.
"""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from cloze.recurrence import PeepholeLSTM, dispatch, hopper
from cloze.recurrence.gradients import Recurrence
from tests.recurrence.cases import NAMES, Problem, distances, problem, solve

HOST = Path(__file__).parent / "host"
COMPILER = shutil.which("g++")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++ to compile the kernels")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, str], ctypes.CDLL]:
    folder, built = tmp_path_factory.mktemp("kernels"), {}

    def library(hidden: int, storage: str) -> ctypes.CDLL:
        if (hidden, storage) not in built:
            output = folder / f"{hidden}-{storage}.so"
            defines = (f"-DHIDDEN={hidden}", f"-DSTORAGE={storage}")
            flags = ("-O1", "-std=c++17", "-shared", "-fPIC", f"-I{HOST}", f"-I{hopper.KERNELS}")
            source = HOST / "peephole_on_host.cpp"
            subprocess.run(
                [str(COMPILER), *flags, *defines, "-o", str(output), str(source)], check=True
            )
            built[hidden, storage] = declared(ctypes.CDLL(str(output)))
        return built[hidden, storage]

    return library


def declared(library: ctypes.CDLL) -> ctypes.CDLL:
    """T, B, D, tile, tf32, reversed, then seven tensors; not zero if threads wait for ever."""
    for function in (library.peephole_forward, library.peephole_backward):
        function.argtypes = [*[ctypes.c_int] * 5, ctypes.c_uint, *[ctypes.c_void_p] * 7]
    return library


@pytest.fixture(autouse=True)
def on_the_host(
    compiled: Callable[[int, str], ctypes.CDLL], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(kernel: hopper.Kernel, clusters: int, device: object, work: hopper.Work) -> None:
        library = compiled(kernel.hidden, kernel.storage)
        function = library.peephole_forward if kernel.forward else library.peephole_backward
        sizes = (work.T, work.B, work.D, work.tile, kernel.tensor, work.reversed)
        assert function(*sizes, work.lengths, work.recurrent, work.peepholes, *work.tensors) == 0

    monkeypatch.setattr(hopper, "run", run)
    monkeypatch.setattr(hopper, "resident_clusters", lambda *_: 16)


def emulate(p: Problem, tile: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, torch.Tensor]:
    monkeypatch.setattr(hopper, "tile_size", lambda *_: tile)
    inputs = [t.float().requires_grad_() for t in p[:3]]
    h = Recurrence.apply(*inputs, p.lengths, p.reverse, hopper, True)
    gradients = torch.autograd.grad(h, inputs, p.grad.float())
    return dict(zip(NAMES, (h.detach(), *gradients), strict=True))


@pytest.mark.parametrize(
    ("B", "D", "tile", "lengths"),
    [
        (1, 1, 1, [4]),
        (3, 2, 1, [5, 1, 3]),
        (3, 2, 2, [4, 1, 3]),
        (5, 2, 4, [2, 5, 1, 4, 4]),
        (11, 2, 8, [6, 1, 3, 5, 5, 2, 2, 4, 1, 1, 2]),
        (18, 1, 16, [1 + k % 3 for k in range(18)]),
        (9, 1, 24, [3, 3, 2, 1, 1, 3, 2, 2, 1]),
    ],
)
def test_every_tile_agrees_with_the_reference(
    B: int, D: int, tile: int, lengths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    p = problem(max(lengths) + 1, B, D, 64, lengths, reverse=(tile > 2, True))
    found = emulate(p, tile, monkeypatch)
    assert max(distances(found, solve(p, "reference")).values()) < 1e-5
    padding = torch.arange(len(p.projected))[:, None] >= p.lengths
    assert (found["h"][padding] == 0).all()
    assert (found["projected"][padding] == 0).all()


def test_padding_is_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(5, 3, 2, 64, [5, 1, 3])
    padding = (torch.arange(5)[:, None] >= p.lengths)[..., None, None]
    dirty = p._replace(
        projected=p.projected.masked_fill(padding, torch.nan),
        grad=p.grad.masked_fill(padding, torch.nan),
    )
    clean, found = emulate(p, 2, monkeypatch), emulate(dirty, 2, monkeypatch)
    assert all(torch.equal(found[name], clean[name]) for name in NAMES)


@pytest.mark.parametrize(
    ("hidden", "dtype", "tolerance"),
    [(64, torch.float32, 1e-5), (40, torch.float32, 1e-5), (64, torch.bfloat16, 2e-2)],
)
def test_a_layer(
    hidden: int, dtype: torch.dtype, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = torch.Generator().manual_seed(2)
    x, grad = (torch.randn(5, 4, n, generator=random).to(dtype) for n in (10, 2 * hidden))
    lengths = torch.tensor([5, 1, 3, 4])
    start = PeepholeLSTM(10, hidden, generator=random).to(dtype).state_dict()
    answers = []
    for passes, kind in ((None, torch.float64), (hopper, dtype)):
        monkeypatch.setattr(dispatch, "_passes", lambda *_, passes=passes: passes)
        layer = PeepholeLSTM(10, hidden).to(kind)
        layer.load_state_dict(start)
        mine = x.to(kind).requires_grad_()
        h = layer(mine, lengths)
        h.backward(grad.to(kind).view_as(h))
        answers.append([h.detach(), mine.grad, *(w.grad for w in layer.parameters())])
    for exact, found in zip(*answers, strict=True):
        assert float((found.double() - exact).norm() / exact.norm()) < tolerance


def test_on_the_tensor_cores_in_tf32(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        p = problem(4, 3, 1, 256, [4, 1, 2], reverse=(True,))
        found = emulate(p, 8, monkeypatch)
    finally:
        torch.set_float32_matmul_precision(before)
    gaps = distances(found, solve(p, "reference"))
    assert max(gaps.values()) < 2e-3
    assert gaps["h"] > 1e-6  # it is TF32 that ran

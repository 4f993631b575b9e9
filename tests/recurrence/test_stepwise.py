"""A launch for each step: its kernels run on the host as in `test_portable_on_host.py`, and the
products between them are PyTorch's, as on a GPU."""

import ctypes
import functools
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch

from cloze.recurrence import PeepholeLSTM, dispatch, driver, plan, portable
from cloze.recurrence.gradients import Recurrence
from cloze.recurrence.plan import Gpu, Plan
from tests.recurrence.cases import NAMES, Problem, distance, distances, problem, solve
from tests.recurrence.kernels_on_host import Kernels, needs_compiler

DEVICE = torch.device("cuda", 0)
LARGE, SMALL = Gpu(132, 227 * 1024), Gpu(40, 64 * 1024)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def on_the_host(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable, "repeated", kernels.repeated)
    monkeypatch.setattr(portable, "gpu", lambda _: LARGE)


def stepwise(
    p: Problem, dtype: torch.dtype, parts: int, monkeypatch: pytest.MonkeyPatch
) -> dict[str, torch.Tensor]:
    force(parts, monkeypatch)
    inputs = [p.projected.to(dtype), p.recurrent.float(), p.peepholes.float()]
    inputs = [tensor.detach().requires_grad_() for tensor in inputs]
    h = Recurrence.apply(*inputs, p.lengths, p.reverse, portable, True)
    gradients = torch.autograd.grad(h, inputs, p.grad.to(dtype))
    return dict(zip(NAMES, (h.detach(), *gradients), strict=True))


def force(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(forward: bool, H: int, B: int, D: int, kind: tuple[str, str], gpu: Gpu) -> Plan:
        cut = 1 if forward else parts
        return Plan(forward, H, plan.STEP_UNITS, plan.STEP_ROWS, *kind, False, True, cut)

    monkeypatch.setattr(portable, "choose", choose)


@needs_compiler
@pytest.mark.parametrize(
    ("B", "D", "H", "parts", "dtype", "tolerance"),
    [
        (3, 2, 32, 1, torch.float32, 1e-5),
        (8, 1, 64, 4, torch.float32, 1e-5),
        (11, 2, 96, 4, torch.float32, 1e-5),
        (9, 3, 32, 2, torch.float32, 1e-5),
        (11, 2, 64, 1, torch.bfloat16, 2e-2),
        (5, 1, 96, 4, torch.bfloat16, 2e-2),
    ],
)
def test_agrees_with_the_reference(
    B: int,
    D: int,
    H: int,
    parts: int,
    dtype: torch.dtype,
    tolerance: float,
    on_the_host: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths = [1 + (3 * k) % 4 for k in range(B)]
    p = problem(5, B, D, H, lengths, reverse=(H == 64, True, False))
    found = stepwise(p, dtype, parts, monkeypatch)
    gaps = distances(found, solve(p, "reference"))
    assert not {name: gap for name, gap in gaps.items() if gap > tolerance}
    padding = torch.arange(5)[:, None] >= p.lengths
    assert (found["h"][padding] == 0).all()
    assert (found["projected"][padding] == 0).all()


@needs_compiler
def test_padding_is_never_read(on_the_host: None, monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(5, 3, 2, 32, [5, 1, 3])
    padding = (torch.arange(5)[:, None] >= p.lengths)[..., None, None]
    dirty = p._replace(
        projected=p.projected.masked_fill(padding, torch.nan),
        grad=p.grad.masked_fill(padding, torch.nan),
    )
    clean = stepwise(p, torch.float32, 1, monkeypatch)
    found = stepwise(dirty, torch.float32, 1, monkeypatch)
    assert all(torch.equal(found[name], clean[name]) for name in NAMES)


@needs_compiler
def test_a_layer_and_a_pass_alone(on_the_host: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gates stored over the projected inputs, no gates stored, and odd sizes, widened."""
    force(4, monkeypatch)
    monkeypatch.setattr(dispatch, "_passes", lambda *_: portable)
    random = torch.Generator().manual_seed(1)
    x, lengths = torch.randn(4, 3, 7, generator=random), torch.tensor([2, 4, 1])
    for hidden in (32, 20):
        layer = PeepholeLSTM(7, hidden, generator=random)
        h = layer(x, lengths)
        found = [h, *torch.autograd.grad(h.square().sum(), list(layer.parameters()))]
        with torch.no_grad():
            assert torch.equal(layer(x, lengths), h)
        monkeypatch.setattr(dispatch, "_passes", lambda *_: None)
        exact = layer(x, lengths)
        right = [exact, *torch.autograd.grad(exact.square().sum(), list(layer.parameters()))]
        monkeypatch.setattr(dispatch, "_passes", lambda *_: portable)
        assert max(distance(a, b) for a, b in zip(found, right, strict=True)) < 1e-5


@pytest.mark.parametrize(
    ("hidden", "batch", "kind", "gpu", "steps"),
    [
        (64, 1024, ("plain", "float"), LARGE, False),
        (256, 32, ("bf16", "bfloat16"), LARGE, False),
        (1024, 8, ("tf32", "float"), LARGE, False),
        (1024, 256, ("tf32", "float"), LARGE, True),
        (1024, 1024, ("plain", "float"), LARGE, True),
        (2048, 1, ("plain", "float"), LARGE, True),
        (1024, 128, ("plain", "float"), SMALL, True),
    ],
)
def test_only_for_large_layers_and_batches(
    hidden: int, batch: int, kind: tuple[str, str], gpu: Gpu, steps: bool
) -> None:
    choose = functools.partial(plan.choose, hidden=hidden, batch=batch, directions=2)
    assert [choose(forward, kind=kind, gpu=gpu).stepwise for forward in (True, False)] == 2 * [
        steps
    ]


def test_no_size_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable, "gpu", lambda _: Gpu(4, 65536))
    assert [portable.padded_size(size, DEVICE) for size in (512, 513, 3000)] == [512, 544, 3008]
    for hidden in (544, 3008):
        assert plan.choose(True, hidden, 3, 2, ("plain", "float"), Gpu(4, 65536)).stepwise


def test_each_launch_gets_what_the_argument_holds_then(monkeypatch: pytest.MonkeyPatch) -> None:
    unsigned, pointer = ctypes.c_uint, ctypes.c_void_p
    seen = []

    @ctypes.CFUNCTYPE(ctypes.c_int, pointer, *7 * [unsigned], *3 * [pointer])
    def launch(kernel: int, *rest: int) -> int:
        arguments = ctypes.cast(rest[8], ctypes.POINTER(pointer))
        work = ctypes.cast(arguments[0] or 0, ctypes.POINTER(portable.Work)).contents
        seen.append((kernel, rest[:8], work.step))
        return 0

    # As ctypes finds it in a library: nothing is known of its arguments.
    untyped = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.cast(launch, pointer).value or 0)
    monkeypatch.setattr(driver, "library", lambda: SimpleNamespace(cuLaunchKernel=untyped))
    monkeypatch.setattr(driver, "_Entered", lambda _: nullcontext())
    monkeypatch.setattr(driver, "_stream", lambda _: 1 << 40)
    work = portable.Work(T=2)
    with driver.repeated(pointer(1 << 41), 7, 256, 16, 0, work) as queue:
        for work.step in (5, 6):
            queue()
    once = driver.prepared(pointer(1 << 41), 7, 256, 16, 0, together=False)
    for step in (7, 8):
        once(portable.Work(step=step))
    assert seen == [(1 << 41, (7, 1, 1, 256, 1, 1, 16, 1 << 40), step) for step in (5, 6, 7, 8)]

"""The portable kernels themselves, compiled for the host and run by fibres instead of GPU threads.

As in `test_host_emulation.py`: shared memory starts as NaN, threads run in a shuffled order, and a
wait that nobody ends is an error.
"""

import pytest
import torch

from cloze.recurrence import plan as planning
from cloze.recurrence import portable
from cloze.recurrence.gradients import Recurrence
from cloze.recurrence.plan import Gpu, Plan
from tests.recurrence.cases import NAMES, Problem, distances, problem, solve
from tests.recurrence.kernels_on_host import Kernels, needs_compiler

pytestmark = needs_compiler


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(autouse=True)
def on_the_host(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable, "run", kernels.run)


def emulate(
    p: Problem,
    units: int,
    tile: int,
    math: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    resident: bool = True,
    multiprocessors: int = 100,
) -> dict[str, torch.Tensor]:
    dtype = torch.bfloat16 if math.endswith("16") else torch.float32
    kind = ("plain" if math.startswith("plain") else math, portable.STORAGE[dtype])
    monkeypatch.setattr(portable, "gpu", lambda _: Gpu(multiprocessors, 1 << 18))
    monkeypatch.setattr(
        portable,
        "choose",
        lambda forward, H, *_: Plan(forward, H, units, tile, *kind, resident),
    )
    inputs = [p.projected.to(dtype), p.recurrent.float(), p.peepholes.float()]
    inputs = [tensor.detach().requires_grad_() for tensor in inputs]
    h = Recurrence.apply(*inputs, p.lengths, p.reverse, portable, True)
    gradients = torch.autograd.grad(h, inputs, p.grad.to(dtype))
    return dict(zip(NAMES, (h.detach(), *gradients), strict=True))


TOLERANCES = {"plain": 1e-5, "few": 1e-5, "plain16": 2e-2, "tf32": 2e-3, "bf16": 2e-2}


@pytest.mark.parametrize(
    ("B", "D", "H", "units", "tile", "math", "resident"),
    [
        (3, 2, 32, 8, 4, "plain", True),
        (3, 2, 64, 64, 1, "few", False),
        (5, 1, 64, 64, 2, "few", False),
        (7, 2, 32, 32, 4, "few", False),
        (6, 1, 32, 32, 1, "few", False),
        (9, 2, 64, 64, 4, "few", False),
        (37, 2, 64, 32, 32, "plain", False),
        (70, 1, 64, 64, 64, "plain", True),
        (11, 2, 96, 16, 4, "plain16", True),
        (9, 2, 64, 64, 8, "tf32", True),
        (40, 1, 96, 32, 32, "tf32", False),
        (70, 1, 128, 64, 64, "bf16", True),
    ],
)
def test_every_way_agrees_with_the_reference(
    B: int,
    D: int,
    H: int,
    units: int,
    tile: int,
    math: str,
    resident: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths = [1 + (3 * k) % 4 for k in range(B)]
    p = problem(5, B, D, H, lengths, reverse=(tile > 8, True))
    exact = solve(p, "reference")
    found = emulate(p, units, tile, math, monkeypatch, resident=resident)
    far = {k: gap for k, gap in distances(found, exact).items() if gap > TOLERANCES[math]}
    assert not far
    padding = torch.arange(5)[:, None] >= p.lengths
    assert (found["h"][padding] == 0).all()
    assert (found["projected"][padding] == 0).all()


@pytest.mark.parametrize(
    ("H", "units", "tile", "math"),
    [(64, 64, 1, "few"), (64, 64, 2, "few"), (32, 32, 4, "few"), (64, 32, 4, "plain")],
)
def test_gates_may_be_stored_over_the_inputs(
    H: int, units: int, tile: int, math: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    p = problem(6, 5, 2, H, [6, 2, 5, 1, 3]).to(torch.float32)
    plan = Plan(True, H, units, tile, math, "float", resident=False)
    monkeypatch.setattr(portable, "gpu", lambda _: Gpu(100, 1 << 18))
    monkeypatch.setattr(portable, "choose", lambda *_: plan)
    real = torch.arange(6)[:, None] < p.lengths  # elsewhere, nothing is written
    beside, instead = (
        portable.forward_pass(p.projected.clone(), *p[1:4], p.reverse, keep=True, overwrite=over)
        for over in (False, True)
    )
    for one, other in zip(beside, instead, strict=True):
        assert one is not None
        assert other is not None
        assert torch.equal(one[real], other[real])


def test_few_multiprocessors_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(4, 19, 2, 32, [1 + k % 4 for k in range(19)])
    many = emulate(p, 16, 4, "plain", monkeypatch)
    few = emulate(p, 16, 4, "plain", monkeypatch, multiprocessors=6)
    assert all(torch.equal(few[name], many[name]) for name in NAMES)


def test_padding_is_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(5, 3, 2, 32, [5, 1, 3])
    padding = (torch.arange(5)[:, None] >= p.lengths)[..., None, None]
    dirty = p._replace(
        projected=p.projected.masked_fill(padding, torch.nan),
        grad=p.grad.masked_fill(padding, torch.nan),
    )
    clean = emulate(p, 16, 4, "plain", monkeypatch)
    found = emulate(dirty, 16, 4, "plain", monkeypatch)
    assert all(torch.equal(found[name], clean[name]) for name in NAMES)


@pytest.mark.parametrize("math", ["tf32", "bf16"])
def test_what_is_not_a_number_stays_so(math: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nan = torch.tensor(0x7FFFFFFF, dtype=torch.int32).view(torch.float32)  # as a GPU writes it
    p = problem(3, 2, 1, 32, [3, 3])
    p.recurrent[0, 5, 7] = nan  # gate i of unit 5
    found = emulate(p, 16, 8, math, monkeypatch)["h"]
    unit = torch.arange(32) == 5
    assert found[0].isfinite().all()
    assert found[1, :, 0, unit].isnan().all()
    assert found[1, :, 0, ~unit].isfinite().all()
    assert found[2].isnan().all()


GPUS = [Gpu(8, 65536), Gpu(14, 65536), Gpu(40, 65536), Gpu(84, 99 * 1024), Gpu(132, 227 * 1024)]


@pytest.mark.parametrize("gpu", GPUS, ids=str)
@pytest.mark.parametrize("kind", [("plain", "float"), ("tf32", "float"), ("bf16", "bfloat16")])
def test_there_is_a_plan_for_every_size(
    gpu: Gpu, kind: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portable, "gpu", lambda _: gpu)
    for units in range(1, planning.LARGEST + 1, 33):
        hidden = portable.padded_size(units, torch.device("cuda", 0))
        assert hidden >= units
        for batch in (1, 9, 200, 1024):
            for forward in (False, True):
                plan = planning.choose(forward, hidden, batch, 2, kind, gpu)
                assert plan.memory <= gpu.memory
                if plan.stepwise:
                    continue
                teams = plan.teams(plan.groups(batch, 2), gpu)
                assert 1 <= teams * plan.blocks <= gpu.multiprocessors

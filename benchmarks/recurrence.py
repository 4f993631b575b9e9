"""The peephole LSTM on a CPU against torch.nn.LSTM and a plain loop; and whether it is right.

    PYTHONPATH=src python benchmarks/recurrence.py                       # checks, then the tables
    PYTHONPATH=src python benchmarks/recurrence.py --check               # only correctness
    PYTHONPATH=src python benchmarks/recurrence.py --table --neighbour   # in company
    PYTHONPATH=src python benchmarks/recurrence.py --table --batches 1 8 32

nn.LSTM has no peepholes, so ours does extra work. Forward includes the input projections of an
input as wide as the layer, backward the gradients of the inputs and of all weights; "alone" is a
forward pass of inference, without gradients. `gpu_recurrence.py` does the same on a GPU.
"""

import argparse
import itertools
import sys
import time
import traceback
from collections.abc import Callable
from unittest import mock

import cloze  # noqa: F401  before PyTorch, so that its threads wait as the product's do

# isort: split
import torch
from neighbour import neighbour
from torch import Tensor

from cloze import recurrence
from cloze.recurrence import PeepholeLSTM, reused
from cloze.tables import Table, as_markdown, markdown_row

CASES = [  # T, B, D, H, lengths (None: random from 1 to T)
    (1, 1, 1, 64, None),
    (7, 3, 2, 64, [7, 1, 4]),
    (12, 5, 2, 128, None),
    (20, 16, 2, 256, None),
    (20, 33, 2, 256, None),
    (9, 37, 1, 100, None),
    (33, 150, 2, 256, None),
    (17, 300, 2, 128, None),
    (11, 600, 2, 256, None),
    (300, 40, 2, 256, None),
]


def check() -> bool:
    """Every implementation that runs here against the reference in float64."""
    ways = [("reference", torch.float32, 1e-5), ("cpu", torch.float32, 1e-5)]
    good = True
    for T, B, D, H, given in CASES:
        generator = torch.Generator().manual_seed(1000 * T + B)
        draw = [torch.randn(s, generator=generator) for s in ((T, B, D, 4 * H), (D, 4 * H, H))]
        draw += [torch.randn(s, generator=generator) for s in ((D, 3, H), (T, B, D, H))]
        lengths = torch.randint(1, T + 1, (B,), generator=generator) if given is None else given
        lengths = torch.as_tensor(lengths)
        for name, dtype, tolerance in ways:
            # Weights small enough that rounding errors die out along the sequence, as in a network
            # that can be trained; otherwise even the reference in float32 drifts from float64.
            low = [draw[0].to(dtype), draw[1] / 2 / H**0.5, draw[2] / 10, draw[3].to(dtype)]
            try:
                exact = _with_gradients("reference", [t.double() for t in low], lengths)
                found = _with_gradients(name, low, lengths)
                again = _with_gradients(name, low, lengths)
                report, right = _compare(found, exact, tolerance)
                same = all(torch.equal(a, b) for a, b in zip(found, again, strict=True))
                one = _with_gradients(name, [low[0][:, :1], *low[1:3], low[3][:, :1]], lengths[:1])
                alone = torch.equal(one[0], found[0][:, :1])
                report += f" repeats={same} alone={alone}"
                right = right and (same or name == "reference")
            except Exception as error:
                report, right = f"{type(error).__name__}: {error}", False
                traceback.print_exc()
            good = good and right
            verdict = "ok  " if right else "FAIL"
            print(
                f"{verdict} {name:9} T={T} B={B} D={D} H={H}: {report}",
                flush=True,
            )
    return good


def _with_gradients(name: str, tensors: list[Tensor], lengths: Tensor) -> list[Tensor]:
    inputs = [tensor.detach().requires_grad_() for tensor in tensors[:3]]
    hidden = recurrence.peephole_lstm(*inputs, lengths, implementation=name)
    return [hidden.detach(), *torch.autograd.grad(hidden, inputs, tensors[3])]


def _compare(found: list[Tensor], exact: list[Tensor], tolerance: float) -> tuple[str, bool]:
    parts, right = [], True
    for label, a, b in zip(("h", "dp", "dW", "dw"), found, exact, strict=True):
        error = (a.double() - b).abs()
        largest = b.abs().max().clamp_min(1e-30)
        worst = error.argmax()
        index = tuple(int(k) for k in torch.unravel_index(worst, error.shape))
        relative = float(error.max() / largest)
        norm = float(error.norm() / b.norm().clamp_min(1e-30))
        right = right and norm <= tolerance and relative <= 4 * tolerance
        parts.append(f"{label} {norm:.1e} (max {relative:.1e} at {list(index)})")
    return ", ".join(parts), right


Run = Callable[[Tensor], Tensor]


def measure(
    runs: list[Run], x: Tensor, grad: Tensor, repeats: int
) -> list[tuple[float, float, float, float]]:
    """Milliseconds of forward, backward and forward alone, and peak MiB beyond what was there.

    The runs take turns, so that other work on the machine affects all of them equally.
    """
    taken: list[list[tuple[float, float, float]]] = [[] for _ in runs]
    for _ in range(repeats + 2):
        for k, run in enumerate(runs):
            x.grad = None
            taken[k].append(_timed(run, x, grad))
    # The least, since other work on the machine can only add to it.
    best = [tuple(map(min, zip(*one[2:], strict=True))) for one in taken]
    return [(*times, _peak(run, x, grad)) for times, run in zip(best, runs, strict=True)]


def _timed(run: Run, x: Tensor, grad: Tensor) -> tuple[float, float, float]:
    marks = [time.perf_counter()]
    out = run(x)
    marks.append(time.perf_counter())
    out.backward(grad)
    marks.append(time.perf_counter())
    with torch.no_grad():
        run(x)
    marks.append(time.perf_counter())
    forward, backward, alone = (1e3 * (b - a) for a, b in itertools.pairwise(marks))
    return forward, backward, alone


def _peak(run: Run, x: Tensor, grad: Tensor) -> float:
    """MiB of tensors, from the profiler's record of every allocation, none of it used again."""
    x.grad = None
    with (
        mock.patch.object(reused, "LARGE", sys.maxsize),
        torch.profiler.profile(profile_memory=True) as profile,
    ):
        run(x).backward(grad)
    events = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
    events.sort(key=lambda e: e.start_ns())
    return max(itertools.accumulate(e.nbytes() for e in events)) / 2**20


def table(T: int, H: int, batches: list[int], loop_at: int, bidirectional: bool = True) -> None:
    """One Markdown table: a row for each batch size."""
    directions = "bidirectional" if bidirectional else "one direction"
    print(f"\nT = {T}, H = {H}, {directions}, milliseconds and peak MiB\n")
    ours, theirs = (["fwd", "bwd", "alone", "MiB"] for _ in range(2))
    heads = ["batch", "ours fwd", *ours[1:], "nn.LSTM fwd", *theirs[1:], "training", "inference"]
    print(as_markdown(Table(heads, align="r")))
    for B in batches:
        x = torch.randn(T, B, H).requires_grad_()
        grad = torch.randn(T, B, (1 + bidirectional) * H)
        lengths = torch.full((B,), T)
        mine = PeepholeLSTM(H, H, bidirectional=bidirectional)
        other = torch.nn.LSTM(H, H, bidirectional=bidirectional)
        runs = [lambda x: mine(x, lengths).flatten(2), lambda x: other(x)[0]]  # noqa: B023
        a, b = measure(runs, x, grad, max(2, min(15, 512 // B)))
        cells = [f"{v:.2f}" for v in (*a, *b)]
        cells += [f"{(b[0] + b[1]) / (a[0] + a[1]):.2f}×", f"{b[2] / a[2]:.2f}×"]
        print(markdown_row([str(B), *cells]), flush=True)
        if loop_at == B:
            mine.implementation = "reference"
            plain = measure(runs[:1], x, grad, 1)[0]
            cells = [f"{v:.2f}" for v in plain] + [""] * 4
            cells += [f"ours {sum(plain[:2]) / sum(a[:2]):.1f}×", f"ours {plain[2] / a[2]:.1f}×"]
            print(markdown_row([f"{B}, plain loop", *cells]), flush=True)


def bare_products(T: int, B: int, H: int) -> None:
    """How long the two products take that one direction of inference cannot do without."""
    x, W, out = torch.randn(T * B, H), torch.randn(H, 4 * H), torch.empty(T * B, 4 * H)
    taken = []
    for _ in range(20):
        start = time.perf_counter()
        torch.mm(x, W, out=out)
        taken.append(time.perf_counter() - start)
    rate = 2 * T * B * H * 4 * H / min(taken) / 1e9
    print(f"\nT = {T}, H = {H}, batch {B}, one direction: the products with the inputs and with h,")
    print(f"bare, by PyTorch, {2e3 * min(taken):.2f} ms ({rate:.0f} GFLOP/s)", flush=True)


def tables(batches: list[int]) -> None:
    bare_products(400, 32, 128)
    for bidirectional in (False, True):
        table(400, 128, batches, 32, bidirectional)
    table(150, 64, [32], 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 8, 32, 128, 256, 1024])
    parser.add_argument("--neighbour", action="store_true", help="compute beside the tables")
    options = parser.parse_args()
    everything = not (options.check or options.table)
    torch.set_num_threads(options.threads)
    print(f"CPU, {options.threads} threads, PyTorch {torch.__version__}", flush=True)
    start = time.perf_counter()
    if options.check or everything:
        print("all right" if check() else "SOMETHING IS WRONG", flush=True)
    if options.table or everything:
        with neighbour(options.neighbour):
            tables(options.batches)
    print(f"\n{time.perf_counter() - start:.1f} s in all")


if __name__ == "__main__":
    main()

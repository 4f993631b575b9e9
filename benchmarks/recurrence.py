"""The peephole LSTM against cuDNN, torch.nn.LSTM and a plain loop; and whether it is right.

    PYTHONPATH=src python benchmarks/recurrence.py              # checks, then the tables
    PYTHONPATH=src python benchmarks/recurrence.py --check      # only correctness
    PYTHONPATH=src python benchmarks/recurrence.py --kernels    # time of one step, by tile size

The rivals have no peepholes, so ours does extra work. Forward includes the input projections of a
256-wide input (CPU: 128), backward the gradients of the inputs and of all weights. Needs PyTorch.
"""

import argparse
import itertools
import statistics
import time
import traceback
from collections.abc import Callable

import cloze  # noqa: F401  before PyTorch, so that its threads wait as the product's do

# isort: split
import torch
from neighbour import neighbour
from torch import Tensor

from cloze import recurrence
from cloze.recurrence import PeepholeLSTM, cuda
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


def check(device: str) -> bool:
    """Every implementation that runs here against the reference in float64."""
    ways = [("reference", torch.float32, "highest", 1e-5)]
    if device == "cuda":
        ways += [
            ("cuda", torch.float32, "highest", 1e-5),
            ("cuda", torch.float32, "high", 2e-3),  # TF32
            ("cuda", torch.bfloat16, "highest", 2e-2),
        ]
    else:
        ways += [("cpu", torch.float32, "highest", 1e-5)]
    good = True
    for T, B, D, H, given in CASES:
        generator = torch.Generator().manual_seed(1000 * T + B)
        draw = [torch.randn(s, generator=generator) for s in ((T, B, D, 4 * H), (D, 4 * H, H))]
        draw += [torch.randn(s, generator=generator) for s in ((D, 3, H), (T, B, D, H))]
        lengths = torch.randint(1, T + 1, (B,), generator=generator) if given is None else given
        lengths = torch.as_tensor(lengths, device=device)
        for name, dtype, precision, tolerance in ways:
            # Weights small enough that rounding errors die out along the sequence, as in a network
            # that can be trained; otherwise even the reference in float32 drifts from float64.
            low = [draw[0].to(dtype), draw[1] / 2 / H**0.5, draw[2] / 10, draw[3].to(dtype)]
            low = [tensor.to(device) for tensor in low]
            try:
                torch.set_float32_matmul_precision("highest")
                exact = _with_gradients("reference", [t.double() for t in low], lengths)
                torch.set_float32_matmul_precision(precision)
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
            torch.set_float32_matmul_precision("highest")
            verdict = "ok  " if right else "FAIL"
            kind = "tf32" if precision == "high" else str(dtype)[6:]
            print(
                f"{verdict} {name:9} {kind:8} T={T} B={B} D={D} H={H}: {report}",
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
) -> list[tuple[float, float, float]]:
    """Median milliseconds of forward and backward, and peak MiB beyond what was there before.

    The runs take turns, so that other work on the machine affects all of them equally.
    """
    timed = [_on_gpu, _on_cpu][x.device.type == "cpu"]
    taken: list[list[tuple[float, float, float]]] = [[] for _ in runs]
    for _ in range(repeats + 2):
        for k, run in enumerate(runs):
            x.grad = None
            taken[k].append(timed(run, x, grad))
    if x.device.type == "cpu":  # the least, since other work on the machine can only add to it
        best = [tuple(map(min, zip(*one[2:], strict=True))) for one in taken]
        return [
            (f, b, _peak_on_cpu(run, x, grad)) for (f, b, _), run in zip(best, runs, strict=True)
        ]
    return [tuple(map(statistics.median, zip(*one[2:], strict=True))) for one in taken]


def _on_gpu(run: Run, x: Tensor, grad: Tensor) -> tuple[float, float, float]:
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
    marks[0].record()
    out = run(x)
    marks[1].record()
    out.backward(grad)
    marks[2].record()
    torch.cuda.synchronize()
    peak = (torch.cuda.max_memory_allocated() - before) / 2**20
    return marks[0].elapsed_time(marks[1]), marks[1].elapsed_time(marks[2]), peak


def _on_cpu(run: Run, x: Tensor, grad: Tensor) -> tuple[float, float, float]:
    start = time.perf_counter()
    out = run(x)
    middle = time.perf_counter()
    out.backward(grad)
    return 1e3 * (middle - start), 1e3 * (time.perf_counter() - middle), 0.0


def _peak_on_cpu(run: Run, x: Tensor, grad: Tensor) -> float:
    """MiB of tensors, from the profiler's record of every allocation."""
    x.grad = None
    with torch.profiler.profile(profile_memory=True) as profile:
        run(x).backward(grad)
    events = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
    events.sort(key=lambda e: e.start_ns())
    return max(itertools.accumulate(e.nbytes() for e in events)) / 2**20


def table(
    device: str,
    T: int,
    H: int,
    batches: tuple[int, ...],
    mode: str,
    loop_at: int,
    bidirectional: bool = True,
) -> None:
    """One Markdown table: a row for each batch size."""
    dtype = torch.bfloat16 if mode == "bf16" else torch.float32
    torch.set_float32_matmul_precision("high" if mode == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = mode == "tf32"
    rival = "cuDNN" if device == "cuda" else "nn.LSTM"
    directions = "bidirectional" if bidirectional else "one direction"
    print(f"\n{mode}, T = {T}, H = {H}, {directions}, milliseconds and peak MiB\n")
    heads = ["batch", "ours fwd", "bwd", "MiB", f"{rival} fwd", "bwd", "MiB", "time", "memory"]
    print(as_markdown(Table(heads, align="r")))
    for B in batches:
        repeats = (5 if B <= 256 else 3) if device == "cuda" else max(3, min(15, 1024 // B))
        try:
            x = torch.randn(T, B, H, device=device).to(dtype).requires_grad_()
            grad = torch.randn(T, B, (1 + bidirectional) * H, device=device).to(dtype)
            lengths = torch.full((B,), T, device=device)
            mine = PeepholeLSTM(H, H, bidirectional=bidirectional).to(device, dtype)
            other = torch.nn.LSTM(H, H, bidirectional=bidirectional).to(device, dtype)
            runs = [lambda x: mine(x, lengths).flatten(2), lambda x: other(x)[0]]  # noqa: B023
            a, b = measure(runs, x, grad, repeats)
        except Exception as error:
            print(markdown_row([str(B), f"{type(error).__name__}: {error}"]), flush=True)
            continue
        cells = [f"{v:.2f}" for v in (*a, *b)]
        gain = (b[0] + b[1]) / (a[0] + a[1])
        cells += [f"{gain:.2f}×", f"{a[2] / b[2]:.2f}×"]
        print(markdown_row([str(B), *cells]), flush=True)
        if loop_at == B:
            mine.implementation = "reference"
            plain = measure(runs[:1], x, grad, 1)[0]
            slower = sum(plain[:2]) / sum(a[:2])
            times = [f"{plain[0]:.1f}", f"{plain[1]:.1f}", f"{plain[2]:.0f}", "", "", ""]
            row = [f"{B}, plain loop", *times, f"ours {slower:.1f}×", ""]
            print(markdown_row(row), flush=True)


def kernels(H: int = 256, T: int = 400) -> None:
    """Microseconds of one step of each pass by itself, by batch and tile."""
    count = cuda._resident_clusters(cuda.build.library(H, "float"), torch.device("cuda", 0))
    print(f"\n{count} clusters at once, H = {H}\n")
    print(as_markdown(Table(["batch", "tile", "numbers", "fwd µs/step", "bwd"], align="rrlr")))
    chosen = cuda.tile_size
    for mode in ("float32", "tf32", "bfloat16"):
        dtype = torch.bfloat16 if mode == "bfloat16" else torch.float32
        torch.set_float32_matmul_precision("high" if mode == "tf32" else "highest")
        for B, tiles in ((1, (1,)), (8, (1, 2, 8)), (32, (4, 8)), (64, (8, 16)), (128, (8, 16, 24)),
                         (256, (16, 40, 64)), (1024, (40, 64))):  # fmt: skip
            p = torch.randn(T, B, 2, 4 * H, device="cuda").to(dtype).requires_grad_()
            W = (torch.randn(2, 4 * H, H, device="cuda") / H**0.5).requires_grad_()
            w = torch.randn(2, 3, H, device="cuda").requires_grad_()
            lengths = torch.full((B,), T, device="cuda")
            grad = torch.randn(T, B, 2, H, device="cuda").to(dtype)
            for tile in tiles:
                cuda.tile_size = lambda *_, tile=tile: tile
                try:
                    forward, backward = [], []
                    for _ in range(4):
                        marks = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
                        kept = (p.detach(), W.detach(), w.detach(), lengths, (False, True))
                        marks[0].record()
                        _, gates, states = cuda.forward_pass(*kept, keep=True, overwrite=False)
                        marks[1].record()
                        cuda.backward_pass(grad, gates, states, *kept[1:])
                        marks[2].record()
                        torch.cuda.synchronize()
                        forward.append(marks[0].elapsed_time(marks[1]) * 1e3 / T)
                        backward.append(marks[1].elapsed_time(marks[2]) * 1e3 / T)
                    shown = [f"{min(forward):.2f}", f"{min(backward):.2f}"]
                except Exception as error:
                    shown = [f"{type(error).__name__}: {error}"]
                print(markdown_row([str(B), str(tile), mode, *shown]), flush=True)
    torch.set_float32_matmul_precision("highest")
    cuda.tile_size = chosen


def tables_on_cpu() -> None:
    for bidirectional in (False, True):
        table("cpu", 400, 128, (1, 8, 32, 128, 256, 1024), "fp32", 32, bidirectional)
    table("cpu", 150, 64, (32,), "fp32", 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--threads", type=int, default=2, help="on a CPU")
    parser.add_argument("--neighbour", action="store_true", help="compute beside the CPU tables")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    everything = not (options.check or options.kernels or options.table)
    gpu = options.device == "cuda"
    if not gpu:
        torch.set_num_threads(options.threads)
    name = torch.cuda.get_device_name() if gpu else f"CPU, {options.threads} threads"
    print(f"{name}, PyTorch {torch.__version__}", flush=True)
    start = time.perf_counter()
    if options.check or everything:
        torch.set_float32_matmul_precision("highest")
        print("all right" if check(options.device) else "SOMETHING IS WRONG")
        print(f"({time.perf_counter() - start:.1f} s)", flush=True)
    if gpu and (options.kernels or everything):
        kernels()
    if options.table or everything:
        if gpu:
            for mode in ("fp32", "tf32", "bf16"):
                batches = (1, 8, 32, 128, 256, 1024)
                table("cuda", 800, 256, batches, mode, 32 if mode == "fp32" else 0)
        else:
            with neighbour(options.neighbour):
                tables_on_cpu()
    print(f"\n{time.perf_counter() - start:.1f} s in all")


if __name__ == "__main__":
    main()

"""The peephole LSTM's kernels on a GPU against cuDNN and a plain loop; and whether they are right.

    PYTHONPATH=src python benchmarks/gpu_recurrence.py --compile    # all kernels of the tables
    PYTHONPATH=src python benchmarks/gpu_recurrence.py --check
    PYTHONPATH=src python benchmarks/gpu_recurrence.py --table --hidden 64 256 512 1024
    PYTHONPATH=src python benchmarks/gpu_recurrence.py --check --limited    # as on a small GPU
    PYTHONPATH=src python benchmarks/gpu_recurrence.py --table --ways cuDNN stepwise 64x16
    PYTHONPATH=src python benchmarks/gpu_recurrence.py --host --hidden 64 --batches 8   # queueing

64x16 is one kernel for all steps with blocks of 64 units and tiles of 16 sequences.
cuDNN has no peepholes, so ours does extra work. Forward includes the input projections of an input
as wide as the layer, backward the gradients of the inputs and of all weights. Needs only PyTorch.
"""

import argparse
import cProfile
import dataclasses
import functools
import itertools
import multiprocessing
import pstats
import re
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from cloze.recurrence import PeepholeLSTM, hopper, images, peephole_lstm, portable
from cloze.recurrence.plan import LARGEST, Gpu, Plan, choose, persistent, stepwise

BATCHES = (1, 8, 32, 128, 256, 1024)
MODES = ("fp32", "tf32", "bf16")
TOLERANCES = {"fp32": 1e-5, "tf32": 2e-3, "bf16": 2e-2}
SMALL = Gpu(40, 64 * 1024)
CASES = [  # T, B, D, H
    (20, 33, 2, 256),
    (7, 3, 2, 64),
    (300, 40, 2, 256),
    (9, 37, 1, 100),
    (12, 5, 2, 33),
    (1, 1, 1, 64),
    (33, 150, 2, 256),
    (8, 20, 2, 512),
    (6, 9, 2, 1000),
    (11, 600, 2, 256),
    (17, 300, 2, 128),
    (5, 1024, 2, 256),
    (4, 130, 2, 1100),
    (30, 100, 2, 64),
    (30, 200, 2, 64),
]


def stepwise_whole(*sizes: Any) -> Plan:
    """Backward, the products are not cut into parts."""
    return dataclasses.replace(stepwise(*sizes), parts=1)


# The portable kernels with a plan that they would not always choose.
FORCED: dict[str, Callable[..., Plan | None]] = {
    "stepwise": stepwise,
    "stepwise-whole": stepwise_whole,
    "persistent": persistent,
}


def forced(way: str) -> Callable[..., Plan | None] | None:
    """How a way chooses the plans of the portable kernels, if it is not theirs."""
    sizes = re.fullmatch(r"(\d+)x(\d+)", way)
    return functools.partial(cut_so, *map(int, sizes.groups())) if sizes else FORCED.get(way)


def cut_so(
    units: int, tile: int, forward: bool, H: int, B: int, D: int, kind: tuple[str, str], gpu: Gpu
) -> Plan | None:
    """One kernel for all steps, with blocks of so many units and tiles of so many sequences."""
    plans = [Plan(forward, H, units, tile, *kind, resident) for resident in (True, False)]
    fitting = (plan for plan in plans if H % units == 0 and plan.memory <= gpu.memory)
    return next(fitting, None)


@contextmanager
def plans_of(way: str) -> Iterator[str]:
    """The name of the implementation, while its plans are those of `way`."""
    before, chooser = portable.choose, forced(way)
    portable.choose = chooser or before  # type: ignore[assignment]
    try:
        yield "portable" if chooser else way
    finally:
        portable.choose = before


def largest(way: str) -> int:
    """The most hidden units that a way has."""
    return {"hopper": hopper.HIDDEN_SIZES[-1], "persistent": LARGEST}.get(way, 1 << 20)


def set_precision(mode: str) -> torch.dtype:
    torch.set_float32_matmul_precision("high" if mode == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = mode == "tf32"
    return torch.bfloat16 if mode == "bf16" else torch.float32


def check(ways: list[str], modes: list[str], cases: list[tuple[int, int, int, int]]) -> bool:
    """h and all gradients against the reference in float64, on ragged lengths."""
    good = True
    for case, mode, way in itertools.product(cases, modes, ways):
        if largest(way) < case[3]:
            continue
        try:
            with plans_of(way) as name:
                report, right = compare(name, mode, *case)
        except Exception as error:
            report, right = f"{type(error).__name__}: {error}", False
        good = good and right
        T, B, D, H = case
        verdict = "ok  " if right else "FAIL"
        print(f"{verdict} {way:10} {mode} T={T} B={B} D={D} H={H}: {report}", flush=True)
    return good


def compare(way: str, mode: str, T: int, B: int, D: int, H: int) -> tuple[str, bool]:
    """Relative distances of h, dp, dW, dw; and whether other ways to run it give the same bits."""
    tensors, lengths, exact = solved(mode, T, B, D, H)
    found, again = (with_gradients(way, tensors, lengths) for _ in range(2))
    gaps = [
        float((a.double() - b).norm() / b.norm().clamp_min(1e-30))
        for a, b in zip(found, exact, strict=True)
    ]
    repeats = all(torch.equal(a, b) for a, b in zip(found, again, strict=True))
    layer = D == 1 or same_in_a_layer(way, tensors, lengths)
    report = " ".join(f"{gap:.1e}" for gap in gaps) + f" repeats={repeats} layer={layer}"
    return report, repeats and layer and all(gap <= TOLERANCES[mode] for gap in gaps)


def same_in_a_layer(way: str, tensors: list[Tensor], lengths: Tensor) -> bool:
    """A layer, which stores the gates over its projected inputs, gives the same bits as `recur`.

    So does a pass without gradients, on another stream, from inputs that are not contiguous.
    """
    (_, B, _, H), dtype = tensors[3].shape, tensors[0].dtype
    layer = PeepholeLSTM(7, H, implementation=way).to("cuda", dtype)
    x = torch.randn(len(tensors[0]), B, 7, device="cuda").to(dtype)
    projected = torch.addmm(layer.bias, x.flatten(0, 1), layer.W_x.T).view_as(tensors[0]).detach()
    weights = [layer.recurrent, layer.peepholes]
    hs = [layer(x, lengths), layer.recur(projected, lengths)]
    answers = [(h, *torch.autograd.grad(h, weights, tensors[3])) for h in hs]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        turned = projected.transpose(0, 1).contiguous().transpose(0, 1)
        alone = layer.recur(turned, lengths)
    side.synchronize()
    same = all(torch.equal(a, b) for a, b in zip(*answers, strict=True))
    return same and torch.equal(alone, hs[0])


@functools.lru_cache(maxsize=1)
def solved(mode: str, T: int, B: int, D: int, H: int) -> tuple[list[Tensor], Tensor, list[Tensor]]:
    """A problem, its lengths, and its answers in float64."""
    dtype = set_precision(mode)
    random = torch.Generator().manual_seed(1000 * T + B)
    shapes = ((T, B, D, 4 * H), (D, 4 * H, H), (D, 3, H), (T, B, D, H))
    p, W, w, grad = (torch.randn(shape, generator=random) for shape in shapes)
    # Weights small enough that rounding errors die out along the sequence, as in a network that can
    # be trained; otherwise even the reference in float32 drifts away from float64.
    tensors = [t.cuda() for t in (p.to(dtype), W / 2 / H**0.5, w / 10, grad.to(dtype))]
    lengths = torch.randint(1, T + 1, (B,), generator=random).cuda()
    lengths[-1] = T
    exact = with_gradients("reference", [t.double() for t in tensors], lengths)
    return tensors, lengths, exact


def with_gradients(way: str, tensors: list[Tensor], lengths: Tensor) -> list[Tensor]:
    inputs = [tensor.detach().requires_grad_() for tensor in tensors[:3]]
    hidden = peephole_lstm(*inputs, lengths, implementation=way)
    return [hidden.detach(), *torch.autograd.grad(hidden, inputs, tensors[3])]


Run = Callable[[Tensor], Tensor]


def measure(run: Run, x: Tensor, grad: Tensor) -> tuple[float, float, float]:
    """Median milliseconds of forward and backward, and peak MiB beyond what was there before.

    As in training, passes are queued one after another, so the GPU waits for the host only where
    the host is slower. The first two warm everything up, and the third fills the queue; they do not
    count. Quick passes are repeated more often than slow ones.
    """
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    marks = []
    for _ in range(2):
        begun = time.perf_counter()
        x.grad = None
        run(x).backward(grad)
        torch.cuda.synchronize()
        taken_by_one = time.perf_counter() - begun
        if taken_by_one > 2:  # a loop
            break
    repeats = min(max(int(0.05 / taken_by_one), 5 if taken_by_one < 0.1 else 3), 25)
    if taken_by_one > 2:
        repeats = 1
    for _ in range(repeats + 1):
        x.grad = None
        passed = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
        passed[0].record()
        out = run(x)
        passed[1].record()
        out.backward(grad)
        passed[2].record()
        del out
        marks.append(passed)
    torch.cuda.synchronize()
    peak = (torch.cuda.max_memory_allocated() - before) / 2**20
    taken = [(a.elapsed_time(b), b.elapsed_time(c)) for a, b, c in marks[1:]]
    forward, backward = (statistics.median(column) for column in zip(*taken, strict=True))
    return forward, backward, peak


def ways_of(H: int, mode: str, B: int, ptx: bool, loop: bool) -> Iterator[str]:
    yield "cuDNN"
    yield "portable"
    if hopper.why_not(torch.device("cuda", 0), H, torch.float32) is None:
        yield "hopper"
    if ptx and B in (32, 128):
        yield "portable, PTX 8.0"
    if loop and B == 32 and mode == "fp32":
        yield "loop"


def row(way: str, H: int, B: int, T: int, mode: str) -> tuple[float, float, float]:
    dtype = set_precision(mode)
    x = torch.randn(T, B, H, device="cuda").to(dtype).requires_grad_()
    grad = torch.randn(T, B, 2 * H, device="cuda").to(dtype)
    if way == "cuDNN":
        other = nn.LSTM(H, H, bidirectional=True).to("cuda", dtype)
        return measure(lambda x: other(x)[0], x, grad)
    lengths = torch.full((B,), T, device="cuda")
    with plans_of({"loop": "reference", "portable, PTX 8.0": "portable"}.get(way, way)) as name:
        mine = PeepholeLSTM(H, H, implementation=name).to("cuda", dtype)
        return measure(lambda x: mine(x, lengths).flatten(2), x, grad)


def host(way: str, H: int, B: int, mode: str) -> None:
    """What the host does for a pass, and what the GPU does meanwhile."""
    T, dtype = 800 if H <= 256 else 200, set_precision(mode)
    x = torch.randn(T, B, H, device="cuda").to(dtype).requires_grad_()
    grad, lengths = torch.randn(T, B, 2, H, device="cuda").to(dtype), torch.full((B,), T).cuda()
    mine = PeepholeLSTM(H, H, implementation=way).to("cuda", dtype)

    def run(passes: int) -> tuple[float, float, float]:
        """Microseconds of a pass: to queue forward, to queue backward, and until all is done."""
        forward = 0.0
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(passes):
            x.grad, start = None, time.perf_counter()
            out = mine(x, lengths)
            forward += time.perf_counter() - start
            out.backward(grad)
        queued = time.perf_counter() - begun
        torch.cuda.synchronize()
        done = time.perf_counter() - begun
        return tuple(1e6 * part / passes for part in (forward, queued - forward, done))  # type: ignore[return-value]

    run(20)
    for threads in (True, False):  # autograd walks back in a thread of its own, or in this one
        with torch.autograd.set_multithreading_enabled(threads):
            forward, backward, done = run(100)
        where = "two threads" if threads else "one thread"
        print(f"{way}, H = {H}, batch {B}, {mode}, {where}: the host queues forward in "
              f"{forward:.0f} us, backward in {backward:.0f} us; a pass takes {done:.0f} us",
              flush=True)  # fmt: skip
    profiler = torch.profiler
    kinds = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA]
    with profiler.profile(activities=kinds) as profile:
        run(20)
    for key in ("self_cuda_time_total", "self_cpu_time_total"):
        print(profile.key_averages().table(sort_by=key, row_limit=25, max_name_column_width=60))
    with torch.autograd.set_multithreading_enabled(False), cProfile.Profile() as calls:
        run(100)
    pstats.Stats(calls).sort_stats("tottime").print_stats(30)


def table(
    hidden: list[int],
    batches: list[int],
    modes: list[str],
    ways: list[str] | None,
    ptx: bool,
    loop: bool,
) -> None:
    print("| H | T | mode | batch | way | fwd | bwd | MiB | against cuDNN |")
    print("|--:|--:|---|--:|---|--:|--:|--:|--:|")
    gains: dict[str, list[float]] = {}
    own = images.target(torch.device("cuda", 0))
    for H in hidden:
        T = 800 if H <= 256 else 200
        for B in batches:
            for mode in modes:
                rival = None
                for way in ways or ways_of(H, mode, B, ptx, loop):
                    chosen = "compute_80" if way.endswith("8.0") else own
                    images.target = lambda _, chosen=chosen: chosen  # type: ignore[assignment]
                    try:
                        forward, backward, peak = row(way, H, B, T, mode)
                    except Exception as error:
                        print(
                            f"| {H} | {T} | {mode} | {B} | {way} | {type(error).__name__}: {error}"
                        )
                        continue
                    rival = rival or forward + backward
                    cells = f"{forward:.2f} | {backward:.2f} | {peak:.0f}"
                    gain = rival / (forward + backward)
                    gains.setdefault(f"{way}, H = {H}, {rows_of(B)}", []).append(gain)
                    print(
                        f"| {H} | {T} | {mode} | {B} | {way} | {cells} | {gain:.2f}× |", flush=True
                    )
                    torch.cuda.empty_cache()
    for what, found in gains.items():
        if not what.startswith("cuDNN"):
            print(f"{what}: {min(found):.2f}× to {max(found):.2f}×", flush=True)


def rows_of(batch: int) -> str:
    return "batch up to 128" if batch <= 128 else "larger batches"


def needed(
    hidden: list[int], batches: list[int], modes: list[str], ways: list[str] | None
) -> list[tuple[str, str]]:
    """Source and target of every kernel of the checks and the tables, for this kind of GPU; with
    `ways`, of the tables alone."""
    device = torch.device("cuda", 0)
    gpu, own = portable.gpu(device), images.target(device)
    cases = [(portable.padded_size(H, device), B, D) for _, B, D, H in CASES]
    tables = [(H, B, 2) for B in batches for H in hidden]
    if ways is not None:
        kernels = [(portable.source(plan), own) for plan in plans_for(tables, modes, gpu, ways)]
        return list(dict.fromkeys(kernels)) + (for_hopper() if "hopper" in ways else [])
    plans = plans_for([*cases, *tables], modes, gpu, ["portable"])
    plans += plans_for([*cases[:4], (256, 32, 2)], modes, SMALL, ["portable"])
    kernels = [(portable.source(plan), own) for plan in plans]
    older = plans_for([(H, B, 2) for H in hidden for B in (32, 128)], modes, gpu, ["portable"])
    kernels += [(portable.source(plan), "compute_80") for plan in older]
    return list(dict.fromkeys(kernels)) + for_hopper()


def for_hopper() -> list[tuple[str, str]]:
    kernels = []
    for H in hopper.HIDDEN_SIZES[::-1]:
        for forward in (True, False):
            for rows in (8, 4, 2, 1):
                for tensor in (True, False) if rows == 8 and H == 256 else (False,):
                    for storage in ("float", "bfloat16"):
                        kernel = hopper.Kernel(forward, H, rows, tensor, storage)
                        kernels.append((kernel.source(), "sm_90"))
    return kernels


def plans_for(
    sizes: list[tuple[int, int, int]], modes: list[str], gpu: Gpu, ways: list[str]
) -> list[Plan]:
    """Of both passes; sizes: H, B, D."""
    choosers = [forced(way) or choose for way in ways if way == "portable" or forced(way)]
    plans = [
        chooser(forward, H, B, D, portable_kind(mode, H, B), gpu)
        for H, B, D in sizes for mode in modes for forward in (True, False) for chooser in choosers
    ]  # fmt: skip
    return [plan for plan in dict.fromkeys(plans) if plan is not None]


def portable_kind(mode: str, H: int, B: int) -> tuple[str, str]:
    return portable.how(set_precision(mode), torch.device("cuda", 0), H, B)


def compile_one(job: tuple[str, str]) -> None:
    images.image(*job)


def compile_all(jobs: list[tuple[str, str]]) -> None:
    begun = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(min(14, len(jobs))) as pool:
        pool.map(compile_one, jobs, chunksize=1)
    print(f"{len(jobs)} kernels compiled in {time.perf_counter() - begun:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in ("--compile", "--check", "--table", "--ptx", "--loop", "--host"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--limited", action="store_true", help="40 multiprocessors, 64 KiB")
    parser.add_argument(
        "--ways", nargs="+", help=f"cuDNN (in tables), portable, hopper, {', '.join(FORCED)}, 64x16"
    )
    parser.add_argument("--hidden", nargs="+", type=int, default=[256])
    parser.add_argument("--batches", nargs="+", type=int, default=list(BATCHES))
    parser.add_argument("--modes", nargs="+", default=list(MODES))
    parser.add_argument("--cases", type=int, default=len(CASES), help="only the first so many")
    parser.add_argument(
        "--only", nargs=4, type=int, metavar=("T", "B", "D", "H"), help="check this case instead"
    )
    options = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", flush=True)
    if options.compile:
        compile_all(needed(options.hidden, options.batches, options.modes, options.ways))
    if options.limited:
        portable.gpu = lambda _: SMALL  # type: ignore[assignment]
    if options.check:
        cases = [tuple(options.only)] if options.only else CASES[: options.cases]
        right = check(options.ways or ["portable", "hopper"], options.modes, cases)
        print("all right" if right else "SOMETHING IS WRONG", flush=True)
    if options.table:
        sizes = (options.hidden, options.batches, options.modes)
        table(*sizes, options.ways, options.ptx, options.loop)
    if options.host:
        for sizes in itertools.product(options.hidden, options.batches, options.modes):
            for way in options.ways or ["portable"]:
                host(way, *sizes)


if __name__ == "__main__":
    main()

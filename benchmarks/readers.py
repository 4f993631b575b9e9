"""One training step of each reader, taken apart: where the time goes, and questions per second.

    python benchmarks/readers.py --device cuda
    python benchmarks/readers.py --device cuda --precision tf32 --ways hopper portable reference
    python benchmarks/readers.py --device cpu --batch 8 --length 200 --hidden 64 --vocabulary 5000

Every part is run by itself at the sizes of the whole step, forward and backward; "rest" is the time
of the whole step beyond their sum (dropout, moving between parts). The rival of each reader is
the same step with the paper's recurrence as a plain loop over time, in the same run (--plain).
With --ways, only whole steps, with each of these implementations of the recurrence. Needs only
PyTorch, NumPy, safetensors and Pydantic; the batch is synthetic, at CNN's lengths.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import SoftmaxConfig
from cloze.readers.kinds.deep_lstm import DeepLSTMReader, joined
from cloze.readers.layers import noise
from cloze.readers.network import Network, loss
from cloze.readers.registry import build, config_of
from cloze.recurrence import PeepholeLSTM
from cloze.recurrence.dispatch import IMPLEMENTATIONS
from cloze.tables import Table, as_markdown, markdown_row
from cloze.training.rmsprop import RmsProp

PAPERS = ("uniform", "deep-lstm", "attentive", "impatient")
PARTS = ("embedding", "projections", "recurrence", "attention", "softmax", "optimiser")
Work = Callable[[], object]


def milliseconds(work: Work, device: torch.device, repeats: int) -> float:
    """The median time of one run, after two to warm up."""
    times = []
    for k in range(repeats + 2):
        if device.type == "cuda":
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            work()
            stop.record()
            torch.cuda.synchronize()
            taken = start.elapsed_time(stop)
        else:
            begun = time.perf_counter()
            work()
            taken = 1000 * (time.perf_counter() - begun)
        if k >= 2:
            times.append(taken)
    return statistics.median(times)


def synthetic(options: argparse.Namespace, size: int, device: torch.device) -> Batch:
    """Documents of one length bucket, about 26 candidates each."""
    random = np.random.default_rng(0)
    longest, query, pool = options.length, options.query, 600
    lengths = random.integers(int(0.9 * longest), longest + 1, size)
    lengths[0] = longest
    q_lengths = random.integers(max(query // 2, 1), 3 * query // 2 + 1, size)
    document = random.integers(4 + pool, options.vocabulary, (longest, size))
    question = random.integers(4 + pool, options.vocabulary, (int(q_lengths.max()), size))
    candidates = np.stack([4 + random.choice(pool, 26, replace=False) for _ in range(size)])
    for b in range(size):
        document[random.choice(lengths[b], 80), b] = random.choice(candidates[b], 80)
        document[lengths[b] :, b] = 0
        question[q_lengths[b] :, b] = 0
    local = np.tile(np.arange(26), (size, 1))
    arrays = (document, lengths, question, q_lengths, candidates, local, candidates[:, 0])
    return Batch(*(torch.from_numpy(a.astype(np.int64)) for a in arrays)).to(device)


def there_and_back(
    network: Network, work: Callable[..., Tensor | tuple[Tensor, ...]], *inputs: Tensor
) -> Work:
    """A run of `work` on the inputs, and backward from all its outputs."""
    leaves = [t.detach().requires_grad_() if t.is_floating_point() else t for t in inputs]

    def run() -> None:
        network.zero_grad()  # as in a step, where gradients are new and not added to old ones
        made = work(*leaves)
        outputs = [made] if isinstance(made, Tensor) else list(made)
        torch.autograd.backward(outputs, [torch.ones_like(o) for o in outputs])

    return run


def parts(network: Network, config: SoftmaxConfig, batch: Batch) -> dict[str, list[Work]]:
    """Each part of the step as the reader runs it, detached from what comes before."""
    run = partial(there_and_back, network)
    embedding = network.embedding
    g = torch.zeros(len(batch), config.joint, device=embedding.weight.device)
    answer = run(lambda g: loss(network.answer(g, batch, embedding, None), batch, config), g)
    work: dict[str, list[Work]] = {"softmax": [answer]}
    if isinstance(network, DeepLSTMReader):
        tokens, lengths = joined(
            batch.question, batch.question_lengths, batch.document, batch.document_lengths
        )
        x = embedding(tokens)
        y = x.new_zeros(*x.shape[:2], config.hidden_size)
        work["embedding"] = [run(lambda: embedding(tokens))]
        work["projections"], work["recurrence"] = [], []
        for k, layer in enumerate(network.layers):
            project = layer.project if k else partial(layer.project, below=None)
            work["projections"].append(run(project, *([x, y] if k else [x])))
            if k + 1 < len(network.layers):
                work["projections"].append(run(layer.W_y, y))
            projected = layer.W_x(x)[:, :, None]
            work["recurrence"].append(run(partial(recur, layer.lstm, lengths=lengths), projected))
        return work
    texts = [
        (network.document_encoder.lstm, batch.document, batch.document_lengths),
        (network.query_encoder.lstm, batch.question, batch.question_lengths),
    ]
    work["embedding"] = [run(lambda: (embedding(batch.document), embedding(batch.question)))]
    work["projections"], work["recurrence"], y = [], [], []
    for lstm, tokens, lengths in texts:
        x = embedding(tokens)
        work["projections"].append(run(partial(project_inputs, lstm), x))
        projected = project_inputs(lstm, x).unflatten(-1, (2, -1))
        work["recurrence"].append(run(partial(recur, lstm, lengths=lengths), projected))
        y.append(lstm(x, lengths).flatten(2).detach())
    work["attention"] = [run(lambda a, b: network.joint(a, b, batch)[0], *y)]
    return work


def project_inputs(lstm: PeepholeLSTM, x: Tensor) -> Tensor:
    return nn.functional.linear(x, lstm.W_x, lstm.bias)


def recur(lstm: PeepholeLSTM, projected: Tensor, lengths: Tensor) -> Tensor:
    return lstm.recur(projected, lengths)


def step(
    network: Network, config: SoftmaxConfig, batch: Batch, optimiser: RmsProp, precision: str
) -> None:
    device = batch.document.device
    with torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16"):
        value = loss(network(batch, noise(0, 0, device=device))[0], batch, config)
    value.backward()
    optimiser.step(5e-5, 10.0)


def run_optimiser(network: Network, optimiser: RmsProp, gradients: list[Tensor]) -> None:
    for weight, gradient in zip(network.parameters(), gradients, strict=True):
        weight.grad = gradient
    optimiser.step(5e-5, 10.0)


class Training(NamedTuple):
    network: Network
    batch: Batch
    optimiser: RmsProp
    step: Work  # a whole one


def begun(config: SoftmaxConfig, size: int, options: argparse.Namespace) -> Training:
    device = torch.device(options.device)
    torch.set_float32_matmul_precision("high" if options.precision == "tf32" else "highest")
    network = build(config, options.vocabulary, seed=0).to(device)
    batch = synthetic(options, size, device)
    optimiser = RmsProp(network.named_parameters())
    whole_step = partial(step, network, config, batch, optimiser, options.precision)
    return Training(network, batch, optimiser, whole_step)


def measure(config: SoftmaxConfig, size: int, options: argparse.Namespace) -> None:
    network, batch, optimiser, whole_step = begun(config, size, options)
    device = batch.document.device
    clock = partial(milliseconds, device=device, repeats=options.repeats)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    whole = clock(whole_step)
    peak = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else None
    taken = dict.fromkeys(PARTS, 0.0)
    with torch.autocast(device.type, torch.bfloat16, enabled=options.precision == "bf16"):
        for name, works in parts(network, config, batch).items():
            taken[name] = sum(clock(work) for work in works)
    network.zero_grad()
    gradients = [torch.full_like(weight, 1e-3) for weight in network.parameters()]
    taken["optimiser"] = clock(partial(run_optimiser, network, optimiser, gradients))
    loop = "not run"
    if options.plain:
        recur_by("reference", network)
        plain = milliseconds(whole_step, device, 1)
        loop = f"{plain / whole:.1f}× slower"
    cells = [f"{taken[name]:.2f}" for name in PARTS] + [f"{whole - sum(taken.values()):.2f}"]
    memory = "" if peak is None else f"{peak:.1f} GiB"
    rate = f"{1000 * size / whole:,.0f}"
    cells += [f"{whole:.2f}", rate, memory, loop]
    print(markdown_row([config.name, str(size), *cells]), flush=True)


def recur_by(way: str, network: Network) -> None:
    for module in network.modules():
        if isinstance(module, PeepholeLSTM):
            module.implementation = way


def compare(config: SoftmaxConfig, size: int, options: argparse.Namespace) -> None:
    """Questions per second of whole steps, with each implementation of the recurrence."""
    network, batch, _, whole_step = begun(config, size, options)
    rates = []
    for way in options.ways:
        recur_by(way, network)
        repeats = 1 if way == "reference" else options.repeats
        taken = milliseconds(whole_step, batch.document.device, repeats)
        rates.append(f"{1000 * size / taken:,.0f}")
    print(markdown_row([config.name, str(size), *rates]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, nargs="+", default=[32, 256])
    parser.add_argument("--length", type=int, default=800, help="tokens of the longest document")
    parser.add_argument("--query", type=int, default=14, help="tokens of a usual query")
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--vocabulary", type=int, default=120_000)
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="fp32")
    parser.add_argument("--output", choices=["vocabulary", "candidates"], default="vocabulary")
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--readers", nargs="+", choices=PAPERS, default=PAPERS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--plain", action="store_true", help="also time the plain loop over time")
    ways = [way for way in IMPLEMENTATIONS if way != "auto"]
    parser.add_argument("--ways", nargs="+", choices=ways, help="whole steps with each of these")
    options = parser.parse_args()
    name = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    threads = f", {torch.get_num_threads()} threads" if name == "CPU" else ""
    print(
        f"{name}{threads}, PyTorch {torch.__version__}, {options.precision}; documents of "
        f"{options.length} tokens, hidden {options.hidden}, vocabulary {options.vocabulary:,}, "
        f"softmax over {options.output}; {'questions/s' if options.ways else 'milliseconds'}\n"
    )
    heads = ["reader", "batch", *PARTS, "rest", "step", "questions/s", "peak memory", "plain loop"]
    heads = ["reader", "batch", *options.ways] if options.ways else heads
    print(as_markdown(Table(heads)), flush=True)
    for kind in options.readers:
        for size in options.batch:
            settings = {"hidden_size": options.hidden, "dropout": options.dropout}
            config = config_of({"kind": kind, "output": options.output, **settings})
            (compare if options.ways else measure)(config, size, options)


if __name__ == "__main__":
    main()

"""One update of all the weights of a reader: ours against PyTorch's RmsProp, in the same run.

    python benchmarks/rmsprop.py --vocabulary 118497 --hidden 256
    python benchmarks/rmsprop.py --device cuda

Both do the same arithmetic with clipping: decay 0.95, momentum 0.9. The last line says how much of
an update goes to the embeddings, most of whose rows a batch does not touch: an update that skipped
those rows could save no more than that.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import nn

from cloze.readers.registry import build, config_of
from cloze.training.rmsprop import RmsProp


def milliseconds(work: Callable[[], object], device: torch.device, repeats: int) -> float:
    times = []
    for k in range(repeats + 2):  # two to warm up
        started = time.perf_counter()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize()
        if k >= 2:
            times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--vocabulary", type=int, default=118_497)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=10)
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    config = config_of({"hidden_size": arguments.hidden})
    network = build(config, arguments.vocabulary, seed=1).to(device)
    weights = list(network.named_parameters())
    gradients = [torch.randn_like(weight) for _, weight in weights]
    ours = RmsProp(weights)
    embedding = RmsProp([(n, w) for n, w in weights if n == "embedding.weight"])
    rival = torch.optim.RMSprop(network.parameters(), lr=1e-9, alpha=0.95, momentum=0.9)

    def give() -> None:
        for (_, weight), gradient in zip(weights, gradients, strict=True):
            weight.grad = gradient

    def theirs() -> None:
        give()
        nn.utils.clip_grad_norm_(network.parameters(), 10.0)
        rival.step()

    def whole() -> None:
        give()
        ours.step(1e-9, 10.0)

    def part() -> None:
        give()
        embedding.step(1e-9, 10.0)

    count = sum(weight.numel() for _, weight in weights)
    print(f"{count:,} weights, {device}, {torch.get_num_threads()} threads, {torch.__version__}")
    a, b, c = (milliseconds(work, device, arguments.repeats) for work in (whole, theirs, part))
    print(f"ours {a:.2f} ms, torch.optim.RMSprop {b:.2f} ms: ratio {b / a:.2f}")
    print(f"the embeddings alone {c:.2f} ms, {c / a:.0%} of it")


if __name__ == "__main__":
    main()

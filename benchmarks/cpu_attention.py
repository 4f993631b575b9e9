"""Attention in training on a CPU in 16 bits: ours, text by text, against PyTorch's.

    python benchmarks/cpu_attention.py
    python benchmarks/cpu_attention.py --texts 1 --length 2000

Both run in turn, and are given the heads of an MPNet and its bias for the distance of two tokens.
An error is the norm of the difference to what 64 bits give, over the norm of that, for the result
and the gradients of queries, keys and values.
"""

import argparse
import statistics
import time

import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.readers import text_by_text

HEADS, SIZE = 12, 64


def drawn(texts: int, length: int) -> tuple[list[Tensor], Tensor, Tensor]:
    """Queries, keys and values; the bias; a gradient."""
    random = torch.Generator().manual_seed(1)
    shape = (texts, length, HEADS, SIZE)
    *inputs, gradient = (torch.randn(shape, generator=random).transpose(1, 2) for _ in range(4))
    table = torch.randn(HEADS, 2 * length - 1, generator=random).bfloat16()
    bias = table.unfold(1, length, 1).flip(1)[None]
    return [x.bfloat16().requires_grad_() for x in inputs], bias, gradient.bfloat16()


def attend(inputs: list[Tensor], bias: Tensor, *, ours: bool) -> Tensor:
    if ours:
        return text_by_text.attention(*inputs, bias)
    return F.scaled_dot_product_attention(*inputs, attn_mask=bias)


def results(inputs: list[Tensor], bias: Tensor, gradient: Tensor, *, ours: bool) -> list[Tensor]:
    for x in inputs:
        x.grad = None
    y = attend(inputs, bias, ours=ours)
    y.backward(gradient)  # type: ignore[no-untyped-call]
    return [y.detach(), *(x.grad for x in inputs if x.grad is not None)]


def milliseconds(
    inputs: list[Tensor], bias: Tensor, gradient: Tensor, repeats: int, *, ours: bool
) -> tuple[float, float]:
    """Forward, and forward and backward; medians."""
    forward, both = [], []
    for _ in range(repeats + 2):  # two to warm up
        started = time.perf_counter()
        y = attend(inputs, bias, ours=ours)
        forward.append(1000 * (time.perf_counter() - started))
        y.backward(gradient)  # type: ignore[no-untyped-call]
        both.append(1000 * (time.perf_counter() - started))
    return statistics.median(forward[2:]), statistics.median(both[2:])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--texts", type=int, default=12)
    parser.add_argument("--length", type=int, nargs="+", default=[150, 600, 1000])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"{options.texts} texts, {torch.get_num_threads()} threads, PyTorch {torch.__version__}")
    for length in options.length:
        inputs, bias, gradient = drawn(options.texts, length)
        times = {
            ours: milliseconds(inputs, bias, gradient, options.repeats, ours=ours)
            for ours in (True, False)
        }
        exact = [x.detach().double().requires_grad_() for x in inputs]
        wanted = results(exact, bias.double(), gradient.double(), ours=False)
        for ours, name in ((True, "ours"), (False, "PyTorch's")):
            found = results(inputs, bias, gradient, ours=ours)
            errors = [
                float((own.double() - right).norm() / right.norm())
                for own, right in zip(found, wanted, strict=True)
            ]
            forward, both = times[ours]
            said = ", ".join(f"{error:.4f}" for error in errors)
            print(f"{length} tokens, {name}: {forward:.1f} ms, with backward {both:.1f}; "
                  f"errors {said}")  # fmt: skip
        one, other = (theirs / own for theirs, own in zip(times[False], times[True], strict=True))
        print(f"{length} tokens: PyTorch's / ours {one:.2f}, with backward {other:.2f}")


if __name__ == "__main__":
    main()

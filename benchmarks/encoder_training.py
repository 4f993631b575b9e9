"""Training the Encoder Reader: questions per second beside a plain loop with transformers' MPNet.

    python benchmarks/encoder_training.py --device cuda
    python benchmarks/encoder_training.py --device cuda --recompute --tokens 8192   in little memory
    python benchmarks/encoder_training.py --device cpu --layers 2 --size 64 --tokens 999 --length 99

Both have the shape of MPNet-base, random weights, bf16 products and AdamW, and take the same steps
on the same batches: synthetic questions whose lengths are spread as CNN's are, each batch with
texts of similar length. They take turns, a round of all batches each. Before a turn, the other's
memory goes back to the device; the first step, which takes its own, is not counted, nor is the
first round, which compiles. The rival is what one would write first: MPNetModel as it comes, on
padded texts, with the same pointer on top; for steps of 65,536 tokens it needs more memory than an
H200 has. With --recompute it keeps its activations all the same where transformers cannot do
without them, and the table says so.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.layers import mentions, noise, sums_over_mentions
from cloze.readers.network import Network, loss
from cloze.readers.registry import build, config_of
from cloze.readers.vocabulary import FIRST_MARKER, GAP
from cloze.tables import Table, as_markdown
from cloze.training.order import SIMILAR
from cloze.training.rmsprop import Adam

POOL, WORDS, NAMES = 600, 30_000, 26
TOKENS = FIRST_MARKER + POOL + WORDS
SPECIAL = 3  # ids before our tokens in the rival's vocabulary: begin, padding, end
POSITIONS = 2304
SIGNS = 4  # around and between the two texts
QUESTION = 25  # the most tokens of a question


def batches(options: argparse.Namespace, device: torch.device) -> list[Batch]:
    """Texts of nearly the same length, as many as the tokens allow, as training has them: article,
    question and signs together are within one step of `SIMILAR` tokens."""
    random = np.random.default_rng(0)
    usual = random.lognormal(np.log(options.length), 0.45, options.different).astype(int)
    whole = np.minimum(-(-usual // SIMILAR) * SIMILAR, POSITIONS)
    sizes = np.maximum(options.tokens // whole, 1)
    return [
        _batch(random, random.integers(most - SIMILAR + 1, most + 1, size)).to(device)
        for most, size in zip(whole.tolist(), sizes.tolist(), strict=True)
    ]


def _batch(random: np.random.Generator, whole: np.ndarray) -> Batch:
    size = len(whole)
    q_lengths = random.integers(8, QUESTION, size)
    lengths = np.maximum(whole - q_lengths - SIGNS, 8)
    document = random.integers(FIRST_MARKER + POOL, TOKENS, (lengths.max(), size))
    question = random.integers(FIRST_MARKER + POOL, TOKENS, (q_lengths.max(), size))
    question[3] = GAP
    rows = [FIRST_MARKER + random.choice(POOL, NAMES, replace=False) for _ in range(size)]
    candidates = np.stack(rows)
    for b in range(size):
        mentions = random.choice(lengths[b], max(2, lengths[b] // 12))
        document[mentions, b] = random.choice(candidates[b], len(mentions))
        document[mentions[0], b] = candidates[b, 0]
        document[lengths[b] :, b] = 0
        question[q_lengths[b] :, b] = 0
    local = np.tile(np.arange(NAMES), (size, 1))
    arrays = (document, lengths, question, q_lengths, candidates, local, candidates[:, 0])
    return Batch(*(torch.from_numpy(array.astype(np.int64)) for array in arrays))


class Plain(nn.Module):
    """What one would write first."""

    def __init__(self, options: argparse.Namespace) -> None:
        from transformers import MPNetConfig, MPNetModel

        super().__init__()
        shape = MPNetConfig(
            vocab_size=TOKENS + SPECIAL,
            hidden_size=options.size,
            num_hidden_layers=options.layers,
            num_attention_heads=max(1, options.size // 64),
            intermediate_size=4 * options.size,
            max_position_embeddings=POSITIONS + 2,
        )
        self.body = MPNetModel(shape, add_pooling_layer=False)
        self.recomputes = options.recompute and self.body.supports_gradient_checkpointing
        if self.recomputes:
            self.body.gradient_checkpointing_enable()
        self.W = nn.Linear(options.size, options.size, bias=False)
        self.v = nn.Linear(options.size, 1, bias=False)

    def forward(self, batch: Batch, rows: Tensor, articles: Tensor) -> Tensor:
        """`rows` are the joined texts, `articles` where each token of an article stands in them."""
        h = self.body(rows, attention_mask=(rows != 1).long()).last_hidden_state
        gap = h[:, 4]
        h = h.gather(1, articles[..., None].expand(-1, -1, h.shape[2]))
        scores = torch.einsum("bh,bth->bt", self.W(gap), h) + self.v(h)[..., 0]
        return sums_over_mentions(scores.float(), mentions(batch), batch)


def joined(batch: Batch) -> tuple[Tensor, Tensor]:
    """begin question end end article end, padded."""
    texts = []
    for b in range(len(batch)):
        question = batch.question[: int(batch.question_lengths[b]), b] + SPECIAL
        article = batch.document[: int(batch.document_lengths[b]), b] + SPECIAL
        sign = question.new_tensor
        texts.append(torch.cat([sign([0]), question, sign([2, 2]), article, sign([2])]))
    rows = nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=1)
    steps = torch.arange(len(batch.document), device=rows.device)
    return rows, (steps[None] + batch.question_lengths[:, None] + 3).clamp(max=rows.shape[1] - 1)


def bf16(device: torch.device) -> torch.autocast:
    return torch.autocast(device.type, torch.bfloat16)


def our_step(network: Network, config: ReaderConfig, optimiser: Adam, batch: Batch) -> Tensor:
    with bf16(batch.document.device):
        logits, _ = network(batch, noise(1, 1, device=batch.document.device))
        value = loss(logits, batch, config)
    value.backward()  # type: ignore[no-untyped-call]
    optimiser.step(1e-5, 1.0)
    return value.detach()


def plain_step(
    network: Plain, config: ReaderConfig, optimiser: torch.optim.AdamW, batch: Batch
) -> Tensor:
    rows, articles = joined(batch)
    with bf16(rows.device):
        value = loss(network(batch, rows, articles), batch, config)
    value.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return value.detach()


def timed(work: Callable[[Batch], Tensor], batch: Batch) -> float:
    """Seconds of one step, and no error unseen."""
    begun = time.perf_counter()
    value = work(batch)
    assert torch.isfinite(value).item()  # waits for the device
    return time.perf_counter() - begun


def round_of(
    work: Callable[[Batch], Tensor], made: list[Batch], device: torch.device
) -> tuple[list[float], int]:
    """Seconds of each step of a turn, and the most bytes that it took."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    timed(work, max(made, key=lambda batch: batch.document.numel()))
    seconds = [timed(work, batch) for batch in made]
    return seconds, torch.cuda.max_memory_allocated() if device.type == "cuda" else 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--size", type=int, default=768)
    parser.add_argument("--tokens", type=int, default=32_768, help="the most in a step")
    parser.add_argument("--length", type=int, default=900, help="pieces of a usual article")
    parser.add_argument("--different", type=int, default=12, help="batches of other lengths")
    parser.add_argument("--rounds", type=int, default=2, help="through these batches")
    parser.add_argument("--recompute", action="store_true", help="activations anew, to save memory")
    options = parser.parse_args()
    device = torch.device(options.device)
    shape = {"hidden_size": options.size, "layers": options.layers, "positions": POSITIONS}
    config = config_of(
        {"kind": "encoder", "relative_buckets": 32, "separators": 2, "dropout": 0.1, **shape}
    )
    ours = build(config, TOKENS, seed=1).to(device)
    if options.recompute:
        ours.recompute()
    plain = Plain(options).to(device)
    steps = {
        "cloze": partial(our_step, ours, config, Adam(ours.named_parameters(), weight_decay=0.01)),
        "transformers": partial(
            plain_step, plain, config, torch.optim.AdamW(plain.parameters(), 1e-5)
        ),
    }
    made = batches(options, device)
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    memory = dict.fromkeys(steps, 0)
    for k in range(1 + options.rounds):
        for name, step in steps.items():
            taken, most = round_of(step, made, device)
            seconds[name] += taken if k else []
            memory[name] = max(memory[name], most)
    questions = options.rounds * sum(len(batch) for batch in made)
    rates = {name: questions / sum(own) for name, own in seconds.items()}
    rows = [
        [
            name,
            f"{rates[name]:,.1f}",
            f"{1000 * statistics.median(seconds[name]):,.0f}",
            f"{memory[name] / 2**30:.1f}",
        ]
        for name in steps
    ]
    if options.recompute:
        rows[0][0] += ", activations anew"
        rows[1][0] += ", activations anew" if plain.recomputes else ", activations kept"
    print(as_markdown(Table(["", "questions/s", "ms per step", "GiB with both"], rows)))
    print(f"\ncloze trains {rates['cloze'] / rates['transformers']:.2f} times as fast")


if __name__ == "__main__":
    main()

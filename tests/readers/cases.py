"""Random readers and batches made by hand, for the tests of this folder."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import Kind, ReaderConfig
from cloze.readers.network import Network, build
from cloze.recurrence import PeepholeLSTM

KINDS: tuple[Kind, ...] = ("deep-lstm", "attentive", "uniform", "impatient")
POOL = 6  # markers 4 ... 9
SIZE = 40  # of the vocabulary
IMPLEMENTATIONS = ["reference", "cpu"] + ["cuda"] * torch.cuda.is_available()


@dataclass
class Example:
    document: list[int]
    query: list[int]
    answer: int

    @property
    def candidates(self) -> list[int]:
        return sorted({t for t in self.document if 4 <= t < 4 + POOL})


def example(random: np.random.Generator, document: int, query: int) -> Example:
    """Random tokens, at least one marker in the document, a gap in the query."""
    d = random.integers(4, SIZE, document)
    d[random.integers(document)] = 4 + random.integers(POOL)
    q = random.integers(4, SIZE, query)
    q[random.integers(query)] = 2
    answer = next(int(t) for t in d if 4 <= t < 4 + POOL)
    return Example(d.tolist(), q.tolist(), answer)


def batch_of(examples: list[Example], *, more: int = 0, garbage: int = 0) -> Batch:
    """The examples side by side, `more` rows longer than needed, padded with `garbage`."""
    candidates = [e.candidates for e in examples]
    return Batch(
        _padded([e.document for e in examples], more, garbage),
        torch.tensor([len(e.document) for e in examples]),
        _padded([e.query for e in examples], more, garbage),
        torch.tensor([len(e.query) for e in examples]),
        _padded(candidates, more, 0).t().contiguous(),
        _padded([[c - 4 for c in own] for own in candidates], more, -1).t().contiguous(),
        torch.tensor([e.answer for e in examples]),
    )


def _padded(texts: list[list[int]], more: int, filler: int) -> Tensor:
    longest = max(map(len, texts)) + more
    return (
        torch.tensor([text + [filler] * (longest - len(text)) for text in texts]).t().contiguous()
    )


def network_of(
    config: ReaderConfig,
    *,
    seed: int = 0,
    implementation: str = "auto",
    dtype: torch.dtype = torch.float64,
) -> Network:
    """A network whose every weight is random and large enough to matter."""
    network = build(config, SIZE, seed=seed).to(dtype)
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_(torch.randn(weight.shape, generator=random, dtype=dtype) * 0.6)
    for module in network.modules():
        if isinstance(module, PeepholeLSTM):
            module.implementation = implementation
    return network.to("cuda") if implementation == "cuda" else network


def weights_of(network: Network) -> dict[str, np.ndarray]:
    return {k: v.detach().cpu().double().numpy() for k, v in network.named_parameters()}

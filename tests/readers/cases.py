"""Random readers and batches made by hand, for the tests of this folder."""

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor

from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.network import Network
from cloze.readers.registry import build, config_of, kinds
from cloze.recurrence import PeepholeLSTM

KINDS = tuple(kinds())  # whatever is registered: no reader escapes the properties
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


def reader_config(kind: str = "attentive", **settings: Any) -> ReaderConfig:
    return config_of({"kind": kind, **settings})


def outputs(kind: str) -> list[str]:
    """What the logits of this kind may run over."""
    return list(get_args(kinds()[kind].config.model_fields["output"].annotation))


def over_tokens(logits: np.ndarray, batch: Batch, config: ReaderConfig) -> np.ndarray:
    """Logits [B, SIZE] by token id, minus infinity where there is none."""
    if config.output == "vocabulary":
        return logits
    found = np.full((len(batch), SIZE), -np.inf, logits.dtype)
    for row, own, candidates in zip(found, logits, batch.candidates.tolist(), strict=True):
        row[candidates] = own
    return found


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

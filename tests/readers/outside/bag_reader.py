"""A reader from outside the package: bags of words, and how often each name is mentioned."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import torch
from pydantic import PositiveInt
from torch import Tensor, nn

from cloze.readers.batch import Batch, collate
from cloze.readers.config import ReaderConfig
from cloze.readers.network import Network
from cloze.readers.registry import register


class BagConfig(ReaderConfig):
    name: ClassVar[str] = "Bag Reader"
    kind: Literal["bag"] = "bag"
    output: Literal["candidates"] = "candidates"
    size: PositiveInt = 8  # of a token's vector


@dataclass(frozen=True, slots=True)
class BagBatch(Batch):
    mentions: Tensor  # float [B, C]: how often each candidate occurs in the document


def count_mentions(*arguments: Any, **options: Any) -> BagBatch:
    batch = collate(*arguments, **options)
    stands = batch.document[:, :, None] == batch.candidates
    own = {field.name: getattr(batch, field.name) for field in fields(Batch)}
    return BagBatch(**own, mentions=stands.sum(0).float())


@register(BagConfig, collate=count_mentions)
class BagNetwork(Network):
    def __init__(self, config: BagConfig, tokens: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, config.size, padding_idx=0)
        self.often = nn.Parameter(torch.ones(()))

    def forward(self, batch: BagBatch, noise: torch.Generator | None = None) -> tuple[Tensor, None]:
        question = self.embedding(batch.question).sum(0)
        similar = (self.embedding(batch.candidates) * question[:, None]).sum(-1)
        logits = similar + self.often * batch.mentions
        return logits.masked_fill(batch.candidates == 0, float("-inf")), None

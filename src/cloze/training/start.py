"""Start from what another reader has learnt, by copying the weights that mean the same.

A weight is copied if name and shape agree. Where two kinds have different names for a weight they
share, the network says so (`Network.same_weights`).
"""

from pathlib import Path

import torch

from cloze.errors import UserError
from cloze.readers.encoder import Encoder
from cloze.readers.network import Network
from cloze.readers.reader import Reader


@torch.no_grad()
def start_from(directory: Path, network: Network, vocabulary: Encoder) -> list[str]:
    """Copy every weight that fits from the model in `directory`; return their names."""
    model = Reader.from_pretrained(directory)
    if model.vocabulary.sha256 != vocabulary.sha256:
        raise UserError(
            "this model's vocabulary is not that of the data",
            where=directory,
            fix="train it on the same encoded folder",
        )
    own = dict(network.named_parameters())
    taken = []
    for name, weight in model.network.named_parameters():
        first, dot, rest = name.partition(".")
        for wanted in (name, network.same_weights.get(first, first) + dot + rest):
            if wanted in own and own[wanted].shape == weight.shape:
                own[wanted].copy_(weight)
                taken.append(wanted)
                break
    if not taken:
        raise UserError(
            "no weight of this model fits", where=directory, fix="use the same hidden size"
        )
    return taken

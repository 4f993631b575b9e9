"""Start from what another reader has learnt: weights of the same meaning are taken over.

A weight is taken over where the names and the shapes agree; where a kind calls by another name
what it shares with another, its network says so (`Network.same_weights`).
"""

from pathlib import Path

import torch

from cloze.errors import UserError
from cloze.readers.encoder import Encoder
from cloze.readers.network import Network
from cloze.readers.reader import Reader


@torch.no_grad()
def start_from(directory: Path, network: Network, vocabulary: Encoder) -> list[str]:
    """Copy into the network every weight that the model in `directory` has; returns their names."""
    model = Reader.from_pretrained(directory)
    if model.vocabulary.sha256 != vocabulary.sha256:
        raise UserError(
            "this model has another vocabulary than the data",
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

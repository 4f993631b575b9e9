"""Start from what another reader has learnt: weights of the same meaning are taken over.

The Impatient Reader rereads with the parts of the Attentive Reader: embeddings, both encoders, the
softmax, and the attention, which the equations merely name differently. Started from a
trained Attentive Reader it has only the rereading left to learn.
"""

from pathlib import Path

import torch
from torch import nn

from cloze.errors import UserError
from cloze.readers.reader import Reader
from cloze.readers.vocabulary import Vocabulary

# In the Attentive Reader, and in the Impatient Reader.
SAME = {"W_ym": "W_dm", "W_um": "W_qm", "W_ug": "W_qg"}


@torch.no_grad()
def start_from(directory: Path, network: nn.Module, vocabulary: Vocabulary) -> list[str]:
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
        for wanted in (name, SAME.get(first, first) + dot + rest):
            if wanted in own and own[wanted].shape == weight.shape:
                own[wanted].copy_(weight)
                taken.append(wanted)
                break
    if not taken:
        raise UserError(
            "no weight of this model fits", where=directory, fix="use the same hidden size"
        )
    return taken

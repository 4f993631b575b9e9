"""Start from what another reader has learnt, by copying the weights that mean the same.

A weight is copied if name and shape agree. Where two kinds have different names for a weight they
share, the network says so (`Network.same_weights`).

A config that starts from a reader and does not say which kind it trains, trains one of the same
shape that reads with the same word pieces.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from cloze.errors import UserError
from cloze.readers.encoder import Encoder
from cloze.readers.network import Network
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.saving import reader_settings
from cloze.readers.shipped_models import model_at


def settings_of_start(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a config that starts from a model, with that model's settings below them."""
    folder = model_at(Path(values["start_from"]))
    filled = {**values, "reader": {**reader_settings(folder), **(values.get("reader") or {})}}
    if values.get("corpus") and "vocabulary" not in values and (folder / Pieces.file).is_file():
        filled["vocabulary"] = {"tokenizer": str(folder)}
    return filled


@torch.no_grad()
def start_from(directory: Path, network: Network, vocabulary: Encoder) -> list[str]:
    """Copy every weight that fits from the model in `directory`; return their names."""
    directory = model_at(directory)
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

"""Keep only some of the layers of an Encoder Reader: the first weights of a smaller one.

What was learnt in the layers between is lost, so such a reader answers badly until it has been
trained again. That takes far less than learning to read from the beginning.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch

from cloze.errors import UserError
from cloze.readers.kinds.encoder import EncoderConfig
from cloze.readers.reader import Reader
from cloze.readers.registry import blank

LAYERS = "body.layers."


def own_transformer(reader: Reader, option: str) -> EncoderConfig:
    """The config of an Encoder Reader whose transformer is ours; any other reader is refused."""
    config = reader.config
    if not isinstance(config, EncoderConfig) or config.architecture is not None:
        raise UserError(
            f"only an Encoder Reader of the family of BERT, RoBERTa or MPNet has layers to make "
            f"smaller, not this {reader.config.name}",
            fix=f"leave out {option}",
        )
    return config


@torch.no_grad()
def with_fewer_layers(reader: Reader, layers: Sequence[int]) -> Reader:
    """The same reader with only these layers, counted from 0, one after the other."""
    config = own_transformer(reader, "--layers")
    _check(layers, config.layers)
    if len(layers) == config.layers:
        return reader
    smaller = config.model_copy(update={"layers": len(layers)})
    network = blank(smaller, len(reader.vocabulary))
    before = dict(reader.network.named_parameters())
    for name, weight in network.named_parameters():
        weight.copy_(before[_name_before(name, layers)])
    network.to(reader.device)
    kept = f"{', '.join(map(str, layers))} of {config.layers}, counted from 0"
    about = reader.about | {"layers kept": kept}
    return Reader(smaller, reader.vocabulary, network, about=about, notice=reader.notice)


def _check(layers: Sequence[int], there: int) -> None:
    given = ",".join(map(str, layers))
    if not layers or min(layers) < 0 or max(layers) >= there:
        fix = f"choose from 0 to {there - 1}"
        raise UserError(f"layers '{given}' cannot be kept of {there}", fix=fix)
    if any(after <= before for before, after in pairwise(layers)):
        fix = "name each once, in rising order"
        raise UserError(f"layers '{given}' are not in their order", fix=fix)


def _name_before(name: str, layers: Sequence[int]) -> str:
    """What a weight was called when its layer had all the others around it."""
    if not name.startswith(LAYERS):
        return name
    number, _, rest = name.removeprefix(LAYERS).partition(".")
    return f"{LAYERS}{layers[int(number)]}.{rest}"

"""The tagger's own weights: a small change to each matrix of a reader's body, and a head.

    W' = W + scale · Bᵀ A,    A [rank, in], B [rank, out]

Each matrix has a rank of its own, so that the bytes go where they matter. The body itself stays as
the reader has it and is not copied: a layer's changed matrices are made when the layer is reached,
which costs about as much as reading 20 words. The head reads what the last of the changed layers
says; those of the body behind it, if there are any, are not computed. The file lies beside the
reader's weights and names them by their hash, because it fits no others.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from cloze.errors import UserError
from cloze.files import whole_file
from cloze.readers.saving import hash_of_weights
from cloze.readers.stored_weights import packed, unpacked
from cloze.readers.tagging import FILE
from cloze.readers.tagging.casing import NUMBERS
from cloze.readers.tagging.decoding import LABELS, TYPES
from cloze.readers.tensor_files import check_fit, load_tensors, save_tensors
from cloze.readers.transformer import Layer, Transformer

FORMAT = "cloze tagger, format 1"
MATRICES = ("qkv", "o", "up", "down")  # of a layer
_AGAIN = "copy the reader's folder again, or leave out --pipeline encoder"


class Adapters(nn.Module):
    def __init__(
        self,
        body: Transformer,
        ranks: Mapping[str, int],
        scale: float,
        layers: int | None = None,
    ) -> None:
        """`ranks` are those of "layers.0.qkv" and so on; `layers` is how many of the body's layers
        are used, None for all."""
        super().__init__()
        self.scale = scale
        self.layers = nn.ModuleList(
            _Layer(
                layer, {matrix: ranks.get(f"layers.{number}.{matrix}", 0) for matrix in MATRICES}
            )
            for number, layer in enumerate(body.layers[:layers])
        )
        self.casing = nn.Embedding(NUMBERS, body.width)
        self.head = nn.Linear(body.width, LABELS)

    def changed(self, number: int, layer: Layer, dtype: torch.dtype) -> dict[str, Tensor]:
        """All weights of a layer as the tagger has them."""
        found = {name: weight.detach().to(dtype) for name, weight in layer.named_parameters()}
        for matrix in MATRICES:
            own = getattr(self.layers[number], matrix)
            weight = getattr(layer, matrix).weight.detach()
            found[f"{matrix}.weight"] = (weight + self.scale * (own.b.T @ own.a)).to(dtype)
        return found


class _Layer(nn.Module):
    def __init__(self, layer: nn.Module, ranks: Mapping[str, int]) -> None:
        super().__init__()
        for matrix, rank in ranks.items():
            self.add_module(matrix, _Change(getattr(layer, matrix), rank))


class _Change(nn.Module):
    def __init__(self, product: nn.Linear, rank: int) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.zeros(rank, product.in_features))
        self.b = nn.Parameter(torch.zeros(rank, product.out_features))


def save_adapters(folder: Path, adapters: Adapters) -> None:
    """Beside the weights of the reader that they were trained on, in 8 bits."""
    about = {
        "what": FORMAT,
        "body": hash_of_weights(folder),
        "scale": str(adapters.scale),
        "layers": str(len(adapters.layers)),
        "types": " ".join(TYPES),
    }
    weights = {name: weight.detach().cpu() for name, weight in adapters.named_parameters()}
    with whole_file(folder / FILE) as temporary:
        save_tensors(temporary, packed(weights, 8), about)


def load_adapters(folder: Path, body: Transformer) -> Adapters:
    path = folder / FILE
    if not path.is_file():
        raise UserError("this reader has no tagger", where=folder, fix=_AGAIN)
    about = _about(path)
    if about.get("what") != FORMAT or about.get("types") != " ".join(TYPES):
        raise UserError(f"is not '{FORMAT}'", where=path, fix=_AGAIN)
    if about.get("body") != hash_of_weights(folder):
        raise UserError("the tagger was trained on other weights", where=path, fix=_AGAIN)
    weights = unpacked(load_tensors(path), path)
    ranks = {
        name.removesuffix(".a"): a.shape[0]
        for name, a in weights.items()
        if name.endswith(".a") and a.ndim == 2
    }
    layers = _layers(about, len(body.layers), path)
    adapters = Adapters(body, ranks, _scale(about, path), layers)
    _fill(adapters, weights, path)
    return adapters.eval()


def _scale(about: Mapping[str, str], path: Path) -> float:
    try:
        scale = float(about["scale"])
    except (KeyError, ValueError):
        scale = math.nan
    if not math.isfinite(scale):
        raise UserError("names no scale", where=path, fix=_AGAIN)
    return scale


def _layers(about: Mapping[str, str], most: int, path: Path) -> int:
    """How many of the body's layers are used: all, if the file does not say."""
    said = about.get("layers", str(most))
    if said not in map(str, range(1, most + 1)):
        what = f"its layers ({said[:20]!r}) do not fit a reader of {most}"
        raise UserError(what, where=path, fix=_AGAIN)
    return int(said)


@torch.no_grad()
def _fill(adapters: Adapters, weights: Mapping[str, Tensor], path: Path) -> None:
    own = dict(adapters.named_parameters())
    check_fit(own, weights, path)
    for name, weight in own.items():
        weight.copy_(weights[name])
        if not weight.isfinite().all():
            raise UserError(f"the weights '{name}' are not finite", where=path, fix=_AGAIN)


def _about(path: Path) -> dict[str, str]:
    try:
        with safe_open(path, "pt") as file:
            return dict(file.metadata() or {})
    except (SafetensorError, OSError) as problem:
        raise UserError(f"is not a safetensors file ({problem})", where=path) from None

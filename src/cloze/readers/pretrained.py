"""Pretrained encoders: a folder with config.json, model.safetensors and tokenizer.json.

BERT, RoBERTa and MPNet can be read, each by the names that its authors gave the weights; other
families are left to the package transformers (`cloze.readers.other_encoders`). Only those three
files are opened: no pickle is read, and no code from the folder is run.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt
from torch import Tensor

from cloze.errors import UserError
from cloze.readers.encoder_folders import CONFIG, TOKENIZER, read_config, weights_file
from cloze.readers.other_encoders import shape_of_other, weights_of_other
from cloze.readers.pieces import Pieces
from cloze.readers.tensor_files import load_tensors
from cloze.readers.vocabulary import DELIMITER, FIRST_MARKER, GAP, UNKNOWN
from cloze.shape import Shape

# For each family: the positions that are never used, separators, and a layer's names for ours.
_BERT = {
    "qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "o": ("attention.output.dense",),
    "n1": ("attention.output.LayerNorm",),
    "up": ("intermediate.dense",),
    "down": ("output.dense",),
    "n2": ("output.LayerNorm",),
}
_MPNET = _BERT | {
    "qkv": ("attention.attn.q", "attention.attn.k", "attention.attn.v"),
    "o": ("attention.attn.o",),
    "n1": ("attention.LayerNorm",),
}
_FAMILIES: dict[str, tuple[int, int, dict[str, tuple[str, ...]]]] = {
    "bert": (0, 1, _BERT),
    "roberta": (2, 2, _BERT),
    "mpnet": (2, 2, _MPNET),
}
_SIGNS = (("[CLS]", "<s>"), ("[SEP]", "</s>"), ("[MASK]", "<mask>"))  # begin, end, mask
_COMMON = slice(2000, 12_000)  # pieces that are words, in the vocabularies of these families


def shape_of(folder: Path) -> dict[str, Any]:
    """The settings of an Encoder Reader whose transformer has the shape of the folder's."""
    path = folder / CONFIG
    found = read_config(folder)
    family = found["model_type"]
    if family not in _FAMILIES or found.get("hidden_act", "gelu") != "gelu":
        return shape_of_other(folder, found)
    _Config.check(found, where=path)
    return {
        "layers": found["num_hidden_layers"],
        "hidden_size": found["hidden_size"],
        "heads": found["num_attention_heads"],
        "inner_size": found["intermediate_size"],
        "relative_buckets": found.get("relative_attention_num_buckets", 0),
        "separators": _FAMILIES[family][1],
        "norm_epsilon": found["layer_norm_eps"],
    }


class _Config(Shape):
    num_hidden_layers: PositiveInt
    hidden_size: PositiveInt
    num_attention_heads: PositiveInt
    intermediate_size: PositiveInt
    relative_attention_num_buckets: NonNegativeInt = 0
    layer_norm_eps: PositiveFloat


def first_weights(
    folder: Path, tokens: int, positions: int, random: torch.Generator, *, apart: bool = False
) -> dict[str, Tensor]:
    """The folder's weights under the names of an Encoder Reader that knows `tokens` ids.

    Its markers, which no encoder was trained with, are drawn near the common words.
    """
    config, family = shape_of(folder), read_config(folder)["model_type"]
    if "architecture" in config:
        word, rest = weights_of_other(folder, family)
        return _embeddings(folder, tokens, word, random) | rest
    unused, _, names = _FAMILIES[family]
    weight = _weights(weights_file(folder))
    size, inner = config["hidden_size"], config["inner_size"]
    word = weight("embeddings.word_embeddings.weight", ANY, size)
    found = _embeddings(folder, tokens, word, random)
    learnt = weight("embeddings.position_embeddings.weight", ANY, size)[unused:]
    if not len(learnt):
        raise UserError("has no positions", where=folder)
    if apart:  # BERT has a type for each text, RoBERTa one for both
        types = weight("embeddings.token_type_embeddings.weight", ANY, size)
        found["sides.weight"] = types[[0, -1]]
    elif family != "mpnet":  # both texts are of the first type
        learnt = learnt + weight("embeddings.token_type_embeddings.weight", ANY, size)[:1]
    # After the last learnt position they begin again.
    found["body.position.weight"] = learnt.repeat(-(-positions // len(learnt)), 1)[:positions]
    if config["relative_buckets"]:
        wide = (config["relative_buckets"], config["heads"])
        found["body.relative.weight"] = weight("encoder.relative_attention_bias.weight", *wide)
    shapes = {"up": (inner, size), "down": (size, inner), "n1": (size,), "n2": (size,)}
    for kind in ("weight", "bias"):
        found[f"body.norm.{kind}"] = weight(f"embeddings.LayerNorm.{kind}", size)
        for number in range(config["layers"]):
            for own, theirs in names.items():
                shape = shapes.get(own, (size, size))[: 2 if kind == "weight" else 1]
                parts = [weight(f"encoder.layer.{number}.{name}.{kind}", *shape) for name in theirs]
                found[f"body.layers.{number}.{own}.{kind}"] = torch.cat(parts)
    return found


def _embeddings(
    folder: Path, tokens: int, word: Tensor, random: torch.Generator
) -> dict[str, Tensor]:
    pieces = Pieces.of_tokenizer(folder / TOKENIZER, pool=0)
    count = len(pieces) - pieces.first_word
    first = tokens - count
    if len(word) < count or first < FIRST_MARKER:
        raise UserError(
            f"the tokenizer has {count:,} pieces, the encoder {len(word):,}, "
            f"the corpus was encoded with {tokens:,} ids",
            where=folder,
            fix="encode the corpus with this folder's tokenizer.json",
        )
    begin, end, mask = (word[pieces.piece(*spelt)] for spelt in _SIGNS)
    common = word[_COMMON] if count > _COMMON.stop else word[:count]
    lots = torch.randn(tokens, word.shape[1], generator=random)
    embedding = common.mean(0) + 0.5 * common.std(0) * lots
    embedding[UNKNOWN], embedding[GAP], embedding[DELIMITER] = mask, mask, end
    embedding[first:] = word[:count]
    return {"embedding.weight": embedding, "signs.weight": torch.stack([begin, end])}


ANY = -1  # in a shape: as many rows as there are


def _weights(path: Path) -> Callable[..., Tensor]:
    """Weights by name, whatever its prefix ('bert.' if a head was trained too), and by the shape
    that they must have."""
    found = load_tensors(path)
    start = next((n.partition("embeddings.")[0] for n in found if "embeddings.word" in n), "")

    def weight(name: str, *shape: int) -> Tensor:
        if start + name not in found:
            raise UserError(f"has no weights '{start + name}'", where=path)
        own = found[start + name].shape
        if len(own) != len(shape) or any(
            w not in (ANY, s) for w, s in zip(shape, own, strict=True)
        ):
            what = f"'{start + name}' has shape {tuple(own)}, which config.json does not say"
            raise UserError(what, where=path)
        return found[start + name].float()

    return weight

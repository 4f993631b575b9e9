"""A reader's directory: config.json, model.safetensors, vocabulary.txt, README.md. No pickle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from cloze.errors import UserError
from cloze.files import read_json, sha256, verify, whole_directory, write_json
from cloze.readers.card import card
from cloze.readers.config import ReaderConfig
from cloze.readers.encoder import Encoder, open_encoder
from cloze.readers.network import Network
from cloze.readers.registry import blank, config_of
from cloze.version import __version__

FORMAT = 1
CONFIG, WEIGHTS, CARD = "config.json", "model.safetensors", "README.md"


def save(
    directory: Path,
    config: ReaderConfig,
    vocabulary: Encoder,
    network: Network,
    about: Mapping[str, Any],
    *,
    half: bool,
    overwrite: bool,
    sections: Mapping[str, str],
) -> None:
    dtype = torch.float16 if half else torch.float32
    weights = {
        name: weight.detach().to("cpu", dtype).contiguous()
        for name, weight in network.named_parameters()
    }
    for name in _rows_of_words(network, config):
        weights[name] = weights[name][: vocabulary.first_word].clone()
    for name, weight in weights.items():
        if not weight.isfinite().all():
            raise UserError(f"the weights '{name}' are not finite in {dtype}; nothing was saved")
    with whole_directory(directory, overwrite=overwrite) as temporary:
        save_file(weights, temporary / WEIGHTS)
        vocabulary.save(temporary / vocabulary.file)
        head: dict[str, Any] = {
            "format": FORMAT,
            "made_by": f"cloze-reader {__version__}",
            "reader": config.model_dump(mode="json"),
            "vocabulary": {"size": len(vocabulary), "sha256": vocabulary.sha256},
            "weights": {
                "dtype": "float16" if half else "float32",
                "count": sum(w.numel() for w in weights.values()),
                "sha256": sha256(temporary / WEIGHTS),
            },
            "about": dict(about),
        }
        write_json(temporary / CONFIG, head)
        text = card(config, vocabulary, about, weights=head["weights"], sections=sections)
        (temporary / CARD).write_text(text, encoding="utf-8")


def load(directory: Path) -> tuple[ReaderConfig, Encoder, Network, dict[str, Any]]:
    if not directory.is_dir():
        raise UserError("no such model folder", where=directory, fix="train one: cloze train")
    head = read_json(directory / CONFIG)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        found = head.get("format") if isinstance(head, dict) else None
        raise UserError(
            f"model format {found} is not the format {FORMAT} that this version reads",
            where=directory / CONFIG,
        )
    missing = [key for key in ("reader", "vocabulary", "weights") if key not in head]
    if missing:
        raise UserError(f"has no '{missing[0]}'", where=directory / CONFIG)
    config = config_of(head["reader"], where=directory / CONFIG)
    vocabulary = open_encoder(directory)
    if vocabulary.sha256 != head["vocabulary"].get("sha256"):
        raise UserError(
            "is not the vocabulary that this model was trained with",
            where=directory / vocabulary.file,
            fix="copy the model again",
        )
    network = blank(config, len(vocabulary))
    weights = _weights(directory / WEIGHTS, head["weights"])
    for name in _rows_of_words(network, config) & weights.keys():
        unused = max(0, len(vocabulary) - len(weights[name]))
        weights[name] = torch.nn.functional.pad(weights[name], (0, 0, 0, unused))
    _fill(network, weights, directory / WEIGHTS)
    return config, vocabulary, network, head.get("about", {})


def _rows_of_words(network: Network, config: ReaderConfig) -> set[str]:
    """The weights of which a softmax over candidates never uses a word's row: none is kept."""
    if config.output != "candidates":
        return set()
    rows = {id(weight) for weight in network.answer_rows()}
    return {name for name, weight in network.named_parameters() if id(weight) in rows}


def _weights(path: Path, expected: Mapping[str, Any]) -> dict[str, Tensor]:
    verify(path, expected, fix="copy the model again")
    try:
        weights: dict[str, Tensor] = load_file(path)
    except SafetensorError as problem:
        raise UserError(f"is not a safetensors file ({problem})", where=path) from None
    return weights


@torch.no_grad()
def _fill(network: Network, weights: dict[str, Tensor], path: Path) -> None:
    own = dict(network.named_parameters())
    if own.keys() != weights.keys():
        odd = ", ".join(sorted(own.keys() ^ weights.keys()))
        raise UserError(f"the weights do not fit config.json: {odd}", where=path)
    for name, parameter in own.items():
        if parameter.shape != weights[name].shape:
            raise UserError(
                f"'{name}' has shape {tuple(weights[name].shape)}, "
                f"config.json asks for {tuple(parameter.shape)}",
                where=path,
            )
        parameter.copy_(weights[name])

"""A reader's directory: config.json, model.safetensors, vocabulary.txt, README.md. No pickle.

Where the weights have a history of their own, NOTICE.md tells it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from pydantic import Field

from cloze.confidence import Confidence
from cloze.errors import UserError
from cloze.files import read_json, read_text, sha256, verify, whole_directory, write_json
from cloze.readers.card import card, with_confidence
from cloze.readers.config import ReaderConfig
from cloze.readers.counting import count_weights, rows_of_words, used_weights
from cloze.readers.encoder import Encoder, open_encoder
from cloze.readers.network import Network
from cloze.readers.registry import blank, config_of
from cloze.readers.stored_weights import NAMES, Bits, packed, unpacked
from cloze.readers.tensor_files import check_fit, load_tensors, save_tensors
from cloze.shape import Shape
from cloze.version import __version__

FORMAT = 1
CONFIG, WEIGHTS, CARD = "config.json", "model.safetensors", "README.md"
_AGAIN = "copy the model again"
NOTICE = "NOTICE.md"  # whose work the weights are, and under which licence
CURVES = "curves.png"  # which training leaves
FILES = (CONFIG, WEIGHTS, CARD, NOTICE, CURVES, "vocabulary.txt", "pieces.json")


def save(
    directory: Path,
    config: ReaderConfig,
    vocabulary: Encoder,
    network: Network,
    about: Mapping[str, Any],
    *,
    bits: Bits,
    overwrite: bool,
    sections: Mapping[str, str],
    notice: str,
    confidence: Confidence | None,
) -> None:
    used = used_weights(network, config, vocabulary.first_word)
    weights = {name: weight.detach().cpu() for name, weight in used.items()}
    stored = packed(weights, bits)
    for name, values in stored.items():
        if not values.isfinite().all():
            raise UserError(f"the weights '{name}' are not finite in {bits} bits; nothing is saved")
    with whole_directory(directory, overwrite=overwrite) as temporary:
        save_tensors(temporary / WEIGHTS, stored)
        vocabulary.save(temporary / vocabulary.file)
        head: dict[str, Any] = {
            "format": FORMAT,
            "made_by": f"cloze-reader {__version__}",
            "reader": config.model_dump(mode="json"),
            "vocabulary": {"size": len(vocabulary), "sha256": vocabulary.sha256},
            "weights": {
                "dtype": NAMES[bits],
                "count": count_weights(network, config, vocabulary.first_word),
                "sha256": sha256(temporary / WEIGHTS),
            },
            "about": dict(about),
            "confidence": None if confidence is None else confidence.model_dump(),
        }
        write_json(temporary / CONFIG, head)
        text = card(config, vocabulary, about, weights=head["weights"], sections=sections)
        if confidence is not None:
            text = with_confidence(text, confidence)
        (temporary / CARD).write_text(text, encoding="utf-8")
        if notice:
            (temporary / NOTICE).write_text(notice, encoding="utf-8")


def load(directory: Path) -> tuple[ReaderConfig, Encoder, Network, dict[str, Any]]:
    head = _head(directory)
    config = config_of(head["reader"], where=directory / CONFIG)
    vocabulary = open_encoder(directory)
    if vocabulary.sha256 != head["vocabulary"]["sha256"]:
        raise UserError(
            "is not the vocabulary that this model was trained with",
            where=directory / vocabulary.file,
            fix=_AGAIN,
        )
    verify(directory / WEIGHTS, head["weights"], fix=_AGAIN)
    weights = unpacked(load_tensors(directory / WEIGHTS), directory / WEIGHTS)
    with torch.device("meta"):  # what does not fit the weights is never allocated
        planned = blank(config, len(vocabulary))
    for name in rows_of_words(planned, config) & weights.keys():
        unused = max(0, len(vocabulary) - len(weights[name]))
        weights[name] = torch.nn.functional.pad(weights[name], (0, 0, 0, unused))
    check_fit(dict(planned.named_parameters()), weights, directory / WEIGHTS)
    network = blank(config, len(vocabulary))
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.copy_(weights[name])
    return config, vocabulary, network, head.get("about", {})


def _head(directory: Path) -> dict[str, Any]:
    if not directory.is_dir():
        raise UserError("no such model folder", where=directory, fix="train one: cloze train")
    head = read_json(directory / CONFIG)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        found = head.get("format") if isinstance(head, dict) else None
        raise UserError(
            f"model format {found} is not the format {FORMAT} that this version reads",
            where=directory / CONFIG,
        )
    _Head.check(head, where=directory / CONFIG, fix=_AGAIN)
    return head


def reader_settings(directory: Path) -> dict[str, Any]:
    """The settings of a model, as a config has them under `reader`."""
    return dict(_head(directory)["reader"])


def hash_of_weights(directory: Path) -> str:
    """Of the file of weights, as `save` wrote it down and `load` checks it."""
    head = _Head.check(read_json(directory / CONFIG), where=directory / CONFIG, fix=_AGAIN)
    return str(head["weights"]["sha256"])


def notice_of(directory: Path) -> str:
    path = directory / NOTICE
    return read_text(path) if path.is_file() else ""


class _Vocabulary(Shape):
    sha256: str


class _Weights(Shape):
    sha256: str
    bytes: int | None = None


class _Head(Shape):
    reader: dict[str, Any]
    vocabulary: _Vocabulary
    weights: _Weights
    about: dict[str, Any] = Field(default_factory=dict)

"""What `cloze encode`, `train`, `evaluate`, `prune` and `ask` read of encoded splits and models."""

import json
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import torch

from cloze.answering import answers
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.files import described, sha256
from cloze.readers.batch import collate
from cloze.readers.encode_points import encode_points
from cloze.readers.encoded import DTYPES, STARTS
from cloze.readers.encoder import open_encoder
from cloze.readers.measured import store_card, store_confidence
from cloze.readers.network import Network
from cloze.readers.pieces import Pieces
from cloze.readers.pretrained import first_weights, shape_of
from cloze.readers.pruning import prune
from cloze.readers.reader import Reader
from cloze.readers.registry import build, config_of
from cloze.readers.stored_points import StoredPoints
from cloze.readers.tagging.model import load_model
from cloze.training.data import TrainingData, open_encoded
from cloze.training.teacher import Teacher
from cloze.training.vectors import start_from_vectors
from tests.torture.kind import Kind, world_of
from tests.torture.mutated_archives import compressed
from tests.torture.mutated_arrays import array_changed, tensors_changed, zipped_arrays_changed
from tests.torture.mutated_json import json_changed
from tests.torture.mutations import any_of, bytes_changed, lines_changed, text_changed
from tests.torture.world import CONFIDENCE

ARRAYS = tuple(f"train/{name}.npy" for name in DTYPES)
STARTED = tuple(f"train/{name}.npy" for name in (*DTYPES, *STARTS))


def _points(scene: Path) -> list[Point]:
    """Two documents with their questions."""
    return list(islice(Corpus.open(world_of(scene) / "corpus").read("train"), 2))


def _open(folder: Path) -> None:
    """What training and evaluation do with an encoded folder."""
    data = open_encoded(folder)
    split = data.train
    StoredPoints(split)(_points(folder))
    everything = np.arange(len(split))
    collate(split, everything, seed=1, epoch=0, pool=data.vocabulary.pool)
    split.by_token(0, np.ones(int(split.document_lengths[0])))


def _without_hashes(folder: Path, name: str) -> None:
    """Folders of before have none: what is checked then is what the arrays hold."""
    path = folder / "train" / "meta.json"
    meta = json.loads(path.read_text())
    meta["files"] = {file: told for file, told in meta["files"].items() if file == "ids.json"}
    path.write_text(json.dumps(meta))


def _sign_ids(folder: Path, name: str) -> None:
    path = folder / "train" / "meta.json"
    meta = json.loads(path.read_text())
    meta["files"]["ids.json"] = described(folder / name)
    path.write_text(json.dumps(meta))


def _encoder(folder: Path) -> None:
    """The vocabulary or the pieces, and what is encoded with them."""
    encoder = open_encoder(folder)
    assert encoder.described
    assert len(encoder.sha256) == 64
    if len(encoder) < 1 << 20:
        encode_points(_points(folder), encoder)


def _tokenizer(path: Path) -> None:
    pieces = Pieces.of_tokenizer(path, pool=6)
    encode_points(_points(path), pieces)


def _load(folder: Path) -> None:
    Reader.from_pretrained(folder)


def _model(folder: Path) -> None:
    reader = Reader.from_pretrained(folder)
    list(answers(reader, _points(folder), attention=True))
    if reader.vocabulary.whole:
        prune(reader, 5)


def _tagger(folder: Path) -> None:
    load_model.cache_clear()
    load_model(folder, "cpu").spans(["Mara Venn met the Board in Paris."])


def _sign_model(folder: Path, name: str) -> None:
    path = folder / "config.json"
    head = json.loads(path.read_text())
    head["weights"]["sha256"] = sha256(folder / "model.safetensors")
    path.write_text(json.dumps(head))


def _pretrained(folder: Path) -> None:
    shape_of(folder)
    first_weights(folder, 40, 20, torch.Generator().manual_seed(1))
    build(config_of({"kind": "encoder", "pretrained": str(folder)}), 40, seed=1)


def _block_changed(content: bytes, random: Random) -> bytes:
    """The head of a block is spoilt and its length is right, or any byte."""
    if random.random() < 0.4:
        return bytes_changed(content, random)
    size = int.from_bytes(content[:8], "little")
    head = json_changed(content[8 : 8 + size], random)
    return len(head).to_bytes(8, "little") + head + content[8 + size :]


def _sign_part(folder: Path, name: str) -> None:
    path = folder / "train" / "parts.json"
    manifest = json.loads(path.read_text())
    manifest["parts"][Path(name).name] = described(folder / name)
    path.write_text(json.dumps(manifest))


def _card(folder: Path) -> None:
    """What `cloze serve` shows of a card, and what `calibrate` and `card` make of it."""
    Reader.from_pretrained(folder).card_facts()
    store_confidence(folder, CONFIDENCE)
    store_card(folder, {"Limits": "none"}, {"license": "mit"})


@cache
def _trained(world: Path) -> tuple[TrainingData, Network]:
    data = open_encoded(world / "encoded")
    settings = {"kind": "attentive", "hidden_size": 4, "embedding_size": 4}
    return data, build(config_of(settings), len(data.vocabulary), seed=1)


def _teacher(path: Path) -> None:
    """A batch of all questions, as in the first step of training."""
    data, _ = _trained(world_of(path).resolve())
    teacher = Teacher.open(path, 0.6, len(data.train))
    questions = np.arange(len(data.train))
    batch = collate(data.train, questions, seed=1, epoch=0, pool=data.vocabulary.pool)
    logits = torch.zeros(batch.candidates.shape)
    losses, _ = teacher.losses(torch.ones(len(questions)), logits, batch, questions)
    assert losses.isfinite().all()


def _vectors(path: Path) -> None:
    data, network = _trained(world_of(path).resolve())
    start_from_vectors(path, network, data.vocabulary)


_JSON = any_of(json_changed, json_changed, json_changed, bytes_changed)
KINDS: tuple[Kind, ...] = (
    Kind("vocabulary", "encoded", ("vocabulary.txt",), text_changed, _encoder),
    Kind("word pieces", "pieces", ("pieces.json",), _JSON, _encoder),
    Kind("tokenizer", "tokenizer.json", ("",), _JSON, _tokenizer),
    Kind("made_from.json", "encoded", ("made_from.json",), _JSON, _open),
    Kind("meta.json", "encoded", ("train/meta.json", "valid/meta.json"), _JSON, _open),
    Kind("ids.json", "encoded", ("train/ids.json",), _JSON, _open, sign=_sign_ids),
    Kind("array", "encoded", ARRAYS, array_changed, _open, sign=_without_hashes),
    Kind("array of pieces", "pieces", STARTED, array_changed, _open, sign=_without_hashes),
    Kind("manifest of parts", "parts", ("train/parts.json",), _JSON, _open),
    Kind(
        "part of a split",
        "parts",
        ("train/part-00000.zst",),
        compressed(".zst", _block_changed),
        _open,
        sign=_sign_part,
    ),
    Kind("meta of unpacked parts", "parts", ("train/unpacked/meta.json",), _JSON, _open),
    Kind("answers of a teacher", "teacher.npz", ("",), zipped_arrays_changed, _teacher),
    Kind("word vectors", "vectors.txt", ("",), text_changed, _vectors),
    Kind("card of a model", "model", ("README.md",), text_changed, _card, consumed=True),
    Kind("notice of a model", "model", ("NOTICE.md",), text_changed, _load),
    Kind("config of a model", "model", ("config.json",), _JSON, _load, _model),
    Kind(
        "weights of a model",
        "model",
        ("model.safetensors",),
        tensors_changed,
        _load,
        _model,
        _sign_model,
    ),
    Kind(
        "weights in 4 bits",
        "four-bits",
        ("model.safetensors",),
        tensors_changed,
        _load,
        _model,
        _sign_model,
    ),
    Kind(
        "words of a model",
        "model",
        ("vocabulary.txt",),
        any_of(lines_changed, bytes_changed),
        _load,
        _model,
    ),
    Kind("tagger", "tagger", ("tagger.safetensors",), tensors_changed, _tagger),
    Kind("config of an encoder", "encoder", ("config.json",), _JSON, _pretrained),
    Kind("weights of an encoder", "encoder", ("model.safetensors",), tensors_changed, _pretrained),
    Kind("tokenizer of an encoder", "encoder", ("tokenizer.json",), _JSON, _pretrained),
)

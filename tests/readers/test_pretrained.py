"""Pretrained encoders: their weights under our names, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from cloze.errors import UserError
from cloze.readers.kinds.encoder import EncoderReader
from cloze.readers.registry import build, config_of
from cloze.readers.vocabulary import FIRST_MARKER, GAP
from tests.readers.cases import batch_of, example

pytest.importorskip("tokenizers")

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{k}" for k in range(25))]
POOL, SIZE = 6, 8
TOKENS = FIRST_MARKER + POOL + len(PIECES)
SHAPE = {
    "num_hidden_layers": 2,
    "hidden_size": SIZE,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "layer_norm_eps": 1e-5,
    "hidden_act": "gelu",
}
FAMILIES = {"bert": {}, "roberta": {}, "mpnet": {"relative_attention_num_buckets": 32}}


def tokenizer() -> dict[str, Any]:
    vocabulary = {piece: k for k, piece in enumerate(PIECES)}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
    model |= {"max_input_chars_per_word": 100, "vocab": vocabulary}
    parts = ("truncation", "padding", "normalizer", "post_processor", "decoder")
    return {
        "version": "1.0",
        **dict.fromkeys(parts),
        "added_tokens": [],
        "pre_tokenizer": {"type": "Whitespace"},
        "model": model,
    }


def weights(family: str, prefix: str = "") -> dict[str, Tensor]:
    random = torch.Generator().manual_seed(3)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=random)

    found = {
        "embeddings.word_embeddings.weight": draw(len(PIECES) + 2, SIZE),  # some have spare rows
        "embeddings.position_embeddings.weight": draw(20, SIZE),
    }
    if family != "mpnet":
        found["embeddings.token_type_embeddings.weight"] = draw(2, SIZE)
    else:
        found["encoder.relative_attention_bias.weight"] = draw(32, 2)
    own = "attention.attn." if family == "mpnet" else "attention.self."
    q, k, v = "qkv" if family == "mpnet" else ("query", "key", "value")
    out = "attention.attn.o" if family == "mpnet" else "attention.output.dense"
    norm = "attention.LayerNorm" if family == "mpnet" else "attention.output.LayerNorm"
    layers = [f"encoder.layer.{k}." for k in range(2)]
    sizes = {own + n: (SIZE, SIZE) for n in (q, k, v)} | {out: (SIZE, SIZE)}
    sizes |= {"intermediate.dense": (12, SIZE), "output.dense": (SIZE, 12)}
    for name, shape in sizes.items():
        for layer in layers:
            found[f"{layer}{name}.weight"], found[f"{layer}{name}.bias"] = (
                draw(*shape),
                draw(shape[0]),
            )
    for name in [layer + n for layer in layers for n in (norm, "output.LayerNorm")]:
        found[f"{name}.weight"], found[f"{name}.bias"] = draw(SIZE), draw(SIZE)
    found["embeddings.LayerNorm.weight"], found["embeddings.LayerNorm.bias"] = (
        draw(SIZE),
        draw(SIZE),
    )
    return {prefix + name: weight for name, weight in found.items()}


def folder_of(path: Path, family: str, prefix: str = "") -> Path:
    path.mkdir()
    config = {"model_type": family, **SHAPE, **FAMILIES.get(family, {})}
    (path / "config.json").write_text(json.dumps(config))
    (path / "tokenizer.json").write_text(json.dumps(tokenizer()))
    if family in FAMILIES:
        save_file(weights(family, prefix), path / "model.safetensors")
    return path


def reader_of(folder: Path) -> EncoderReader:
    network = build(config_of({"kind": "encoder", "pretrained": str(folder)}), TOKENS, seed=1)
    assert isinstance(network, EncoderReader)
    return network


@pytest.mark.parametrize("prefix", ["", "model."])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_weight_is_taken_over(tmp_path: Path, family: str, prefix: str) -> None:
    network, theirs = reader_of(folder_of(tmp_path / "e", family, prefix)), weights(family)
    word = theirs["embeddings.word_embeddings.weight"]
    first = FIRST_MARKER + POOL
    assert torch.equal(network.embedding.weight[first:], word[: len(PIECES)])
    assert torch.equal(network.embedding.weight[GAP], word[PIECES.index("[MASK]")])
    assert torch.equal(network.signs.weight, word[[PIECES.index("[CLS]"), PIECES.index("[SEP]")]])
    names = ("q", "k", "v") if family == "mpnet" else ("query", "key", "value")
    inside = "attn" if family == "mpnet" else "self"
    parts = [theirs[f"encoder.layer.1.attention.{inside}.{n}.weight"] for n in names]
    assert torch.equal(network.body.layers[1].qkv.weight, torch.cat(parts))
    position = network.body.position.weight
    used = 20 if family == "bert" else 18  # the others never use their first two
    assert torch.equal(position[:used], position[used : 2 * used])  # they begin again


@pytest.mark.parametrize("family", FAMILIES)
def test_hidden_states_are_those_of_transformers(tmp_path: Path, family: str) -> None:
    transformers = pytest.importorskip("transformers", reason="the package is not installed")
    folder = folder_of(tmp_path / "e", family)
    network = reader_of(folder).eval()
    config = transformers.AutoConfig.for_model(
        family, vocab_size=len(PIECES) + 2, max_position_embeddings=20, type_vocab_size=2,
        pad_token_id=1 if family != "bert" else 0, **SHAPE, **FAMILIES[family],
    )  # fmt: skip
    theirs = transformers.AutoModel.from_config(config, add_pooling_layer=False).eval()
    missing, odd = theirs.load_state_dict(weights(family), strict=False)
    assert not odd
    assert all("position_ids" in name or "token_type" in name for name in missing)
    ids = torch.tensor([[2, *range(5, 15), 3]])
    ours = network.body(
        network.embedding(ids + FIRST_MARKER + POOL), torch.zeros(1, 12, dtype=torch.bool), None
    )
    torch.testing.assert_close(ours, theirs(input_ids=ids).last_hidden_state, rtol=1e-4, atol=1e-5)


def test_a_saved_reader_needs_the_folder_no_more(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "e", "mpnet")
    saved = config_of({"kind": "encoder", "pretrained": str(folder)}).model_dump(mode="json")
    folder.rename(tmp_path / "gone")
    again = config_of(saved)
    assert again.model_dump(mode="json") == saved
    assert (saved["layers"], saved["hidden_size"], saved["separators"]) == (2, SIZE, 2)


@pytest.mark.parametrize(
    ("family", "gone", "message"),
    [
        ("bert", "model.safetensors", "other files of weights are not read"),
        ("bert", "tokenizer.json", "tokenizer.json"),
        ("bert", "config.json", "config.json"),
        ("t5", "", "family 't5'"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    tmp_path: Path, family: str, gone: str, message: str
) -> None:
    folder = folder_of(tmp_path / "e", family)
    (folder / "pytorch_model.bin").write_bytes(b"a pickle that nobody opens")
    if gone:
        (folder / gone).unlink()
    with pytest.raises(UserError) as raised:
        reader_of(folder)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_long_article_is_read_in_windows() -> None:
    """A mention far beyond the positions has a score, and the whole sums to one."""
    network = build(config_of({"kind": "encoder", "positions": 32, "hidden_size": 4}), 40, seed=2)
    long = example(np.random.default_rng(5), 300, 6)
    with torch.inference_mode():
        logits, pointer = network(batch_of([long]))
    assert torch.isfinite(logits).all()
    assert pointer.sum() == pytest.approx(1.0)
    assert pointer[0, 200:].sum() > 0
    # 23 places for the article, each window beginning 18 after the last: 1 + 277 / 18.
    assert network.windows(batch_of([long, example(np.random.default_rng(5), 23, 6)])) == [17, 1]

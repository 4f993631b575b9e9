"""Encoders that the package transformers runs: tiny ones of several families, made on the spot."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cloze.errors import UserError
from cloze.readers.encoder_folders import encoder_folder
from cloze.readers.kinds.encoder import EncoderReader
from cloze.readers.layers import noise
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.registry import build, config_of
from cloze.readers.vocabulary import FIRST_MARKER
from tests.conftest import document_of, question_of
from tests.readers.cases import batch_of, example
from tests.readers.test_pretrained import PIECES, POOL, TOKENS, tokenizer

pytest.importorskip("tokenizers")
SMALL = {
    "num_hidden_layers": 2,
    "hidden_size": 8,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 64,
    "vocab_size": len(PIECES),
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 3,
}
FAMILIES: dict[str, dict[str, Any]] = {
    "modernbert": {"cls_token_id": 2, "sep_token_id": 3},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "electra": {"embedding_size": 4},
    "xlm-roberta": {"pad_token_id": 1},
    "bert": {"hidden_act": "gelu_new"},  # our own forward pass knows only one GELU
}
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def transformers() -> Any:
    return pytest.importorskip("transformers", reason="the package is not installed")


def folder_of(path: Path, family: str, transformers: Any) -> Path:
    torch.manual_seed(3)
    config = transformers.AutoConfig.for_model(family, **SMALL | FAMILIES[family])
    transformers.AutoModel.from_config(config).save_pretrained(path)
    (path / "tokenizer.json").write_text(json.dumps(tokenizer()))
    return path


def settings_of(folder: Path) -> dict[str, Any]:
    return {"kind": "encoder", "pretrained": str(folder), "positions": 2304}


@pytest.mark.parametrize("family", FAMILIES)
def test_hidden_states_are_those_of_transformers(
    tmp_path: Path, family: str, transformers: Any
) -> None:
    folder = folder_of(tmp_path / "e", family, transformers)
    network = build(config_of(settings_of(folder)), TOKENS, seed=1)
    assert isinstance(network, EncoderReader)
    ids = torch.tensor([[2, *range(5, 15), 3], [2, *range(8, 12), 3] + [0] * 6])
    absent = torch.arange(12)[None] >= torch.tensor([[12], [6]])
    theirs = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        ours = network.body(network.embedding(ids + FIRST_MARKER + POOL), absent)
        expected = theirs(
            inputs_embeds=theirs.get_input_embeddings()(ids), attention_mask=(~absent).long()
        ).last_hidden_state
    torch.testing.assert_close(ours[~absent], expected[~absent], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_it_answers_is_saved_and_needs_the_folder_no_more(
    tmp_path: Path, family: str, transformers: Any
) -> None:
    folder = folder_of(tmp_path / "e", family, transformers)
    pieces = Pieces.of_tokenizer(folder / "tokenizer.json", POOL)
    reader = Reader(config_of(settings_of(folder)), pieces, seed=1)
    reader.save_pretrained(tmp_path / "model")
    folder.rename(tmp_path / "gone")
    again = Reader.from_pretrained(tmp_path / "model")
    document = document_of("the @entity3 w1 w2 @entity1 , " + "w3 w4 @entity3 " * 40)
    question = question_of("@placeholder w2 @entity1", 3, document)
    before, after = (r.answer_one(document, question) for r in (reader, again))
    assert before.scores.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(before.scores, after.scores, rtol=1e-5)


def test_dropout_depends_on_its_seed_alone(tmp_path: Path, transformers: Any) -> None:
    folder = folder_of(tmp_path / "e", "electra", transformers)
    network = build(config_of(settings_of(folder)), TOKENS, seed=1)
    batch = batch_of([example(np.random.default_rng(1), 12, 4)])
    state = torch.random.get_rng_state()
    one, two, other = (network(batch, noise(7, step))[0] for step in (1, 1, 2))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert torch.equal(torch.random.get_rng_state(), state)
    one.sum().backward()
    unused = [name for name, weight in network.named_parameters() if weight.grad is None]
    assert unused == []
    kept = [weight.grad.clone() for weight in network.parameters() if weight.grad is not None]
    network.zero_grad()
    network.recompute()
    network(batch, noise(7, 1))[0].sum().backward()
    again = [weight.grad for weight in network.parameters()]
    assert all(torch.equal(a, b) for a, b in zip(kept, again, strict=True))


def broken(folder: Path, how: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    if how == "a decoder":
        config["model_type"] = "gpt2"
    elif how == "code in the config":
        config["auto_map"] = {"AutoModel": "modeling_mine.Mine"}
    elif how == "code in the folder":
        (folder / "modeling_mine.py").write_text("raise SystemExit('it was run')")
    elif how == "only a pickle":
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    elif how == "broken weights":
        (folder / "model.safetensors").write_bytes(b"\x10" + bytes(30))
    elif how == "no tokenizer":
        (folder / "tokenizer.json").unlink()
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("a decoder", "'gpt2' is not one of encoders"),
        ("code in the config", "has code of its own, which is never run"),
        ("code in the folder", "has code of its own, which is never run"),
        ("only a pickle", "other files of weights are not read"),
        ("broken weights", "cannot be read by transformers"),
        ("no tokenizer", "tokenizer.json"),
    ],
)
def test_what_is_refused_is_one_line(
    tmp_path: Path, how: str, message: str, transformers: Any
) -> None:
    folder = folder_of(tmp_path / "e", "electra", transformers)
    broken(folder, how)
    with pytest.raises(UserError) as raised:
        build(config_of(settings_of(folder)), TOKENS, seed=1)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_without_the_package_a_line_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "modernbert"}')
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(
        UserError, match=r"needs the package transformers; run: .*pip install .*encoder"
    ):
        config_of(settings_of(tmp_path))
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UserError, match=r"needs a package, huggingface_hub; run: .*pip install"):
        config_of({"kind": "encoder", "pretrained": "somebody/encoder"})


def test_a_name_on_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found in the Hub's own cache, as when it was fetched before and there is no network now."""
    hub = pytest.importorskip("huggingface_hub", reason="the package is not installed")
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", True)
    kept = tmp_path / "models--somebody--encoder"
    (kept / "snapshots" / "abc").mkdir(parents=True)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("abc")
    assert encoder_folder(Path("somebody/encoder")) == kept / "snapshots" / "abc"
    with pytest.raises(UserError, match="the Hugging Face Hub does not give it") as raised:
        encoder_folder(Path("somebody/else"))
    assert "\n" not in str(raised.value)
    with pytest.raises(UserError, match="is not the folder of an encoder"):
        encoder_folder(Path("a/b/c"))

"""Weights in 8 bits, against NumPy, and the readers that are saved in them."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from safetensors.torch import load_file, save_file

from cloze.errors import UserError
from cloze.files import read_json, sha256, write_json
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.stored_weights import packed, unpacked
from cloze.text import Text
from tests.conftest import document_of, question_of
from tests.readers.cases import KINDS, reader_config
from tests.readers.points import VOCABULARY, points_of, seeds
from tests.readers.tokenizers import tokenizer_file

MATRICES = arrays.arrays(
    np.float32,
    arrays.array_shapes(min_dims=2, max_dims=3, max_side=6),
    # So near to zero, a step would have fewer digits than float32 has elsewhere.
    elements=st.floats(-1e4, 1e4, width=32).map(lambda x: x if abs(x) > 1e-30 else 0.0),
)


@settings(deadline=None)
@given(matrix=MATRICES)
def test_each_row_is_rounded_to_its_own_steps(matrix: np.ndarray) -> None:
    stored = packed({"m": torch.from_numpy(matrix)}, 8)
    found = unpacked(stored, Path())["m"].numpy()
    assert stored["m"].dtype == torch.int8
    for row, numbers, scale, back in zip(
        matrix.reshape(-1, matrix.shape[-1]).astype(np.float64),
        stored["m"].numpy().reshape(-1, matrix.shape[-1]),
        stored["m.scale"].numpy().reshape(-1),
        found.reshape(-1, matrix.shape[-1]),
        strict=True,
    ):
        step = float(scale)
        assert step == pytest.approx(np.abs(row).max() / 127, rel=2**-11)
        assert np.abs(numbers.astype(int)).max() == (127 if step else 0)
        # The nearest whole number of steps: never further than half a step.
        assert (np.abs(row - numbers * step) <= 0.5 * step * (1 + 1e-5)).all()
        np.testing.assert_allclose(back, numbers * step, rtol=1e-5)


def test_vectors_are_stored_in_16_bits() -> None:
    vector = torch.linspace(-2, 2, 9)
    assert torch.equal(packed({"v": vector}, 8)["v"], vector.half())


def test_what_was_rounded_is_rounded_to_the_same_again() -> None:
    matrix = torch.randn(500, 7, generator=torch.Generator().manual_seed(1))
    once = packed({"m": matrix}, 8)
    twice = packed(unpacked(once, Path()), 8)
    assert torch.equal(once["m"], twice["m"])
    assert torch.equal(once["m.scale"], twice["m.scale"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_in_8_bits_ranks_nearly_as_before(tmp_path: Path, kind: str) -> None:
    reader = Reader(reader_config(kind=kind), VOCABULARY, seed=4)
    reader.save_pretrained(tmp_path / "model", bits=8)
    small = Reader.from_pretrained(tmp_path / "model")
    assert read_json(tmp_path / "model" / "config.json")["weights"]["dtype"] == "int8"
    stored = load_file(tmp_path / "model" / "model.safetensors")
    assert all(values.dtype == torch.int8 for values in stored.values() if values.ndim > 2)
    assert "in int8" in (tmp_path / "model" / "README.md").read_text()
    for before, after in zip(reader.answer(points_of(7)), small.answer(points_of(7)), strict=True):
        for a, b in zip(before, after, strict=True):
            said = dict(zip(b.candidates.tolist(), b.scores.tolist(), strict=True))
            np.testing.assert_allclose(
                [said[c] for c in a.candidates.tolist()], a.scores, atol=0.02
            )


@pytest.mark.parametrize("damage", ["no scales", "too few scales"])
def test_a_matrix_without_its_scales_is_refused(tmp_path: Path, damage: str) -> None:
    Reader(reader_config(hidden_size=4), VOCABULARY).save_pretrained(tmp_path / "m", bits=8)
    path = tmp_path / "m" / "model.safetensors"
    stored = load_file(path)
    scale = stored.pop("W_ym.weight.scale")
    save_file(stored | ({} if damage == "no scales" else {"W_ym.weight.scale": scale[1:]}), path)
    head = read_json(tmp_path / "m" / "config.json")
    head["weights"]["sha256"] = sha256(path)
    write_json(tmp_path / "m" / "config.json", head)
    with pytest.raises(UserError, match=r"'W_ym.weight' does not have one scale for each row"):
        Reader.from_pretrained(tmp_path / "m")


def test_infinite_weights_are_not_saved(tmp_path: Path) -> None:
    reader = Reader(reader_config(hidden_size=4), VOCABULARY)
    with torch.no_grad():
        reader.network.W_rg.weight[0, 0] = float("nan")
    with pytest.raises(UserError, match="not finite in 8 bits"):
        reader.save_pretrained(tmp_path / "model", bits=8)


def test_a_notice_goes_where_the_weights_go(tmp_path: Path) -> None:
    reader = Reader(reader_config(hidden_size=4), VOCABULARY, notice="From elsewhere, MIT.\n")
    reader.save_pretrained(tmp_path / "one")
    Reader.from_pretrained(tmp_path / "one").save_pretrained(tmp_path / "two", bits=8)
    assert (tmp_path / "two" / "NOTICE.md").read_text() == "From elsewhere, MIT.\n"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An Encoder Reader of word pieces as one ships: in 8 bits."""
    pytest.importorskip("tokenizers")
    folder = tmp_path_factory.mktemp("encoder")
    pieces = Pieces.of_tokenizer(tokenizer_file(folder / "tokenizer.json"), pool=8)
    config = reader_config("encoder", hidden_size=16, positions=64)
    Reader(config, pieces, seed=4).save_pretrained(folder / "model", bits=8)
    return folder / "model"


@settings(max_examples=5, deadline=None)
@given(seed=seeds)
def test_an_encoder_in_8_bits_answers_alone_as_in_company(encoder: Path, seed: int) -> None:
    points = points_of(seed, documents=5)
    alone, together = (Reader.from_pretrained(encoder, batch_size=size) for size in (1, 32))
    for one, many in zip(alone.answer(points), together.answer(points), strict=True):
        for a, b in zip(one, many, strict=True):
            assert a.candidates.tolist() == b.candidates.tolist()
            np.testing.assert_allclose(a.scores, b.scores, rtol=1e-5)


def test_an_encoder_in_8_bits_reads_the_longest_and_the_emptiest(encoder: Path) -> None:
    reader = Reader.from_pretrained(encoder)
    long = document_of("the @entity3 train met @entity1 . " * 300)
    ranking = reader.answer_one(long, question_of("@placeholder met @entity1", 3, long))
    assert sorted(ranking.candidates.tolist()) == [1, 3]
    assert ranking.scores.sum() == pytest.approx(1.0)
    assert ranking.windows > 1
    nobody = document_of("no name stands here .")
    assert reader.answer_one(nobody, Text(["@placeholder"], ["x"], [0])).answer == -1


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("pieces.json", "there is neither vocabulary.txt nor pieces.json; copy the folder again"),
        ("model.safetensors", "model.safetensors: is missing; copy the model again"),
    ],
)
def test_a_missing_file_is_one_line(encoder: Path, tmp_path: Path, file: str, message: str) -> None:
    shutil.copytree(encoder, tmp_path / "model")
    (tmp_path / "model" / file).unlink()
    with pytest.raises(UserError) as raised:
        Reader.from_pretrained(tmp_path / "model")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_broken_weights_are_one_line(encoder: Path, tmp_path: Path) -> None:
    shutil.copytree(encoder, tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-9] + b"\x01" * 9)
    with pytest.raises(UserError) as raised:
        Reader.from_pretrained(tmp_path / "model")
    assert "model.safetensors: " in str(raised.value)
    assert "\n" not in str(raised.value)

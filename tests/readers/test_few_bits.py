"""Weights in 4 bits and in 3, against plain Python, and the readers that are saved in them."""

import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from safetensors.torch import load_file, save_file
from torch import Tensor

from cloze import few_bits
from cloze.errors import UserError
from cloze.few_bits import FewBits
from cloze.files import read_json, sha256, write_json
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.registry import config_of
from cloze.readers.stored_weights import packed, unpacked
from tests.readers.points import points_of
from tests.readers.tokenizers import tokenizer_file

STEP = 2.0**-24  # the smallest float16 above zero
ANY = st.floats(-1e5, 1e5, width=32)
TINY = st.floats(-100, 100, width=32).map(lambda x: float(np.float32(x * STEP)))
MATRICES = st.one_of(ANY, TINY).flatmap(
    lambda fill: arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 3), st.sampled_from([2, 6, 128, 130, 256, 300])),
        elements=st.one_of(ANY, TINY) if abs(fill) > 100 * STEP else TINY,
        fill=st.just(fill),
    )
)


BITS = st.sampled_from([3, 4])


def rounded(group: list[float], steps: int) -> tuple[float, list[int]]:
    """The scale and the numbers of a group, as the format says, from -steps on."""
    top = max(group, key=lambda w: (abs(w), w))
    scale = float(np.float16(top / -steps))
    if scale == 0:
        return 0.0, [0] * len(group)
    return scale, [
        -steps
        if w == top
        else min(steps - 1, max(-steps, round(float(np.float32(w) / np.float32(scale)))))
        for w in group
    ]


@settings(deadline=None)
@given(matrix=MATRICES, bits=BITS)
def test_each_group_is_rounded_to_its_own_steps(matrix: np.ndarray, bits: FewBits) -> None:
    numbers, scale = few_bits.rounded(matrix, bits)
    found = few_bits.restored(few_bits.in_pairs(numbers), scale)
    assert found.dtype == np.float32
    for row, own in enumerate(matrix.tolist()):
        groups = [own[start : start + 128] for start in range(0, len(own), 128)]
        expected = [rounded(group, 2 ** (bits - 1)) for group in groups]
        assert scale[row].tolist() == [step for step, _ in expected]
        assert numbers[row].tolist() == [n for _, all_of_it in expected for n in all_of_it]
        assert found[row].tolist() == [step * n for step, all_of_it in expected for n in all_of_it]


@settings(deadline=None)
@given(matrix=MATRICES, bits=BITS)
def test_no_number_is_further_off_than_a_step(matrix: np.ndarray, bits: FewBits) -> None:
    numbers, scale = few_bits.rounded(matrix, bits)
    steps = 2 ** (bits - 1)
    for start in range(0, matrix.shape[1], 128):
        weights = matrix[:, start : start + 128].astype(np.float64)
        own = numbers[:, start : start + 128]
        step = scale[:, start // 128, None].astype(np.float64)
        top = np.abs(weights).max(1, keepdims=True)
        inexact = np.abs(top - steps * np.abs(step))  # by which the scale had to be rounded
        off = np.abs(weights - own * step)
        most = np.where(own == steps - 1, np.abs(step), np.abs(step) / 2)
        assert (off <= (most + inexact) * (1 + 1e-6)).all()


@settings(deadline=None)
@given(matrix=MATRICES, bits=BITS)
def test_what_was_rounded_is_rounded_to_the_same_again(matrix: np.ndarray, bits: FewBits) -> None:
    numbers, scale = few_bits.rounded(matrix, bits)
    restored = few_bits.restored(few_bits.in_pairs(numbers), scale)
    again, same = few_bits.rounded(restored, bits)
    assert again.tobytes() == numbers.tobytes()
    assert same.tobytes() == scale.tobytes()


@pytest.mark.parametrize("steps", [0.4, 0.5, 0.51, 1.5, 4.5, 4.51, 5.55, 6.51, 7.5])
def test_next_to_zero_the_largest_is_still_eight_steps(steps: float) -> None:
    matrix = np.array([[8 * steps * STEP, -STEP]], np.float32)
    numbers, scale = few_bits.rounded(matrix, 4)
    assert numbers[0, 0] == (-8 if scale[0, 0] else 0)
    again = few_bits.rounded(few_bits.restored(few_bits.in_pairs(numbers), scale), 4)
    assert again[0].tolist() == numbers.tolist()
    assert again[1].tolist() == scale.tolist()


def test_only_large_matrices_of_even_rows_are_rounded() -> None:
    shapes = {"few": (99, 100), "vector": (20_000,), "odd": (200, 101), "deep": (2, 50, 100)}
    weights = {name: torch.randn(shape) for name, shape in shapes.items()}
    stored = packed(weights, 4)
    for name in ("few", "vector", "odd"):
        assert torch.equal(stored[name], weights[name].half())
    assert stored["deep"].dtype == torch.uint8
    assert stored["deep"].ndim == 1
    assert stored["deep.scale"].dtype == torch.float16
    assert stored["deep.scale"].shape == (2, 50, 1)
    assert unpacked(stored, Path())["deep"].shape == (2, 50, 100)


@settings(deadline=None)
@given(numbers=arrays.arrays(np.int8, (3, 4, 260), elements=st.integers(-8, 7)))
def test_the_code_is_plain_deflate(numbers: np.ndarray) -> None:
    pairs = few_bits.in_pairs(numbers)
    code = few_bits.deflated(pairs)
    assert zlib.decompress(code.tobytes(), -15) == pairs.tobytes()
    assert few_bits.inflated(code, (3, 4, 3)).tolist() == pairs.tolist()


def test_three_bits_take_less_room_than_three_bits() -> None:
    weight = np.random.default_rng(1).normal(size=(400, 768)).astype(np.float32)
    for bits, most in ((3, 2.65), (4, 3.6)):
        stored = few_bits.packed({"w": weight}, bits)
        assert 8 * stored["w"].nbytes / weight.size < most
    tables = few_bits.packed({"body.position.weight": weight}, 3)
    assert tables["body.position.weight"].nbytes == stored["w"].nbytes


def test_weights_stored_before_they_were_coded_are_read() -> None:
    weight = np.random.default_rng(1).normal(size=(100, 130)).astype(np.float32)
    stored = few_bits.packed({"w": weight}, 4)
    plain = {**stored, "w": few_bits.inflated(stored["w"], (100, 2))}
    assert plain["w"].shape == (100, 65)
    assert np.array_equal(few_bits.unpacked(plain)["w"], few_bits.unpacked(stored)["w"])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda code: code[:-40], "one scale for each 128 numbers"),
        (lambda code: torch.cat([code, code[:1]]), "one scale for each 128 numbers"),
        (lambda code: code ^ 255, "not in the code of its bits"),
        (lambda code: torch.from_numpy(few_bits.deflated(np.zeros(10**6, np.uint8))), "one scale"),
    ],
)
def test_spoilt_code_is_one_line(spoil: Callable[[Tensor], Tensor], says: str) -> None:
    stored = packed({"w": torch.randn(100, 130, generator=torch.Generator().manual_seed(3))}, 3)
    with pytest.raises(UserError, match=f"'w'.*{says}"):
        unpacked({**stored, "w": spoil(stored["w"])}, Path())


CONFIG = {
    "kind": "encoder", "layers": 1, "hidden_size": 64, "heads": 2, "positions": 64,
    "relative_buckets": 8, "texts": "joined",
}  # fmt: skip


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """An Encoder Reader of word pieces, with relative positions as one ships."""
    pytest.importorskip("tokenizers")
    path = tmp_path_factory.mktemp("pieces") / "tokenizer.json"
    return Reader(config_of(CONFIG), Pieces.of_tokenizer(tokenizer_file(path), pool=8), seed=4)


def test_a_reader_is_saved_and_loaded(reader: Reader, tmp_path: Path) -> None:
    reader.save_pretrained(tmp_path / "once", bits=4)
    small = Reader.from_pretrained(tmp_path / "once")
    assert read_json(tmp_path / "once" / "config.json")["weights"]["dtype"] == "int4"
    assert "in int4" in (tmp_path / "once" / "README.md").read_text()
    stored = load_file(tmp_path / "once" / "model.safetensors")
    assert stored["body.layers.0.up.weight"].dtype == torch.uint8
    assert stored["body.relative.weight"].dtype == torch.float16
    loaded = dict(small.network.named_parameters())
    for name, weight in reader.network.named_parameters():
        numbers = stored[name].dtype == torch.uint8
        off = (0.13 if numbers else 1e-3) * weight.detach().abs().max().item()
        torch.testing.assert_close(loaded[name], weight, rtol=0, atol=off)
    for before, after in zip(reader.answer(points_of(7)), small.answer(points_of(7)), strict=True):
        for a, b in zip(before, after, strict=True):
            said = dict(zip(b.candidates.tolist(), b.scores.tolist(), strict=True))
            np.testing.assert_allclose([said[c] for c in a.candidates.tolist()], a.scores, atol=0.1)
    small.save_pretrained(tmp_path / "twice", bits=4)
    once, twice = (sha256(tmp_path / n / "model.safetensors") for n in ("once", "twice"))
    assert once == twice


@pytest.mark.parametrize("damage", ["none", "too few rows", "too few groups", "a row", "no matrix"])
def test_a_matrix_without_its_scales_is_refused(
    reader: Reader, tmp_path: Path, damage: str
) -> None:
    reader.save_pretrained(tmp_path / "m", bits=4)
    path, name = tmp_path / "m" / "model.safetensors", "body.layers.0.up.weight"
    stored = load_file(path)
    scale = stored.pop(f"{name}.scale")
    if damage == "no matrix":
        stored[name] = stored[name][0].clone()
    found = {
        "too few rows": scale[1:],
        "too few groups": scale[:, 1:].clone(),
        "a row": scale[:, 0].clone(),
        "no matrix": scale[0, :0].clone(),
    }.get(damage)
    save_file(stored | ({} if found is None else {f"{name}.scale": found}), path)
    head = read_json(tmp_path / "m" / "config.json")
    head["weights"]["sha256"] = sha256(path)
    write_json(tmp_path / "m" / "config.json", head)
    message = f"'{name}' does not have one scale for each 128 numbers of a row"
    with pytest.raises(UserError, match=message):
        Reader.from_pretrained(tmp_path / "m")


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 1e6])
def test_what_is_not_finite_in_4_bits_is_not_saved(
    reader: Reader, tmp_path: Path, wrong: float
) -> None:
    weight = reader.network.get_parameter("body.layers.0.up.weight")
    before = weight.detach().clone()
    with torch.no_grad():
        weight[3, 5] = wrong
    try:
        with pytest.raises(UserError, match=r"layers\.0\.up\.weight.* not finite in 4 bits"):
            reader.save_pretrained(tmp_path / "model", bits=4)
    finally:
        with torch.no_grad():
            weight.copy_(before)
    assert not (tmp_path / "model").exists()

"""The tagger on a reader's body: against its formulas, in any company, over windows, and refused."""

import copy
import itertools
import math
import pickle
import runpy
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch.nn import functional as F

from cloze.builder.annotate import annotate_file
from cloze.errors import UserError
from cloze.finding import pipeline_called
from cloze.names.detection import annotate
from cloze.names.spans import read_spans
from cloze.readers.kinds.encoder import EncoderReader
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.registry import config_of
from cloze.readers.stored_weights import Bits
from cloze.readers.tagging import FILE, laying
from cloze.readers.tagging.adapters import Adapters, load_adapters, save_adapters
from cloze.readers.tagging.casing import NO_WORD, Place, Shape, casing, shape
from cloze.readers.tagging.decoding import LABELS, likeliest, names
from cloze.readers.tagging.model import Pieced, TaggerModel, load_model
from cloze.readers.tagging.tagger import EncoderTagger
from cloze.readers.tagging.windows import OVERLAP, batches, depth, windows
from cloze.readers.transformer import Transformer
from cloze.stories import Story
from tests.readers.tokenizers import tokenizer_file

pytest.importorskip("tokenizers")
SHORT = "The Harp Board met today. Cllr Drum bought a Lamp"
LONG = " ".join(["Today the train met Fork Gate, and", "Mr Harp", "BOUGHT a boat.\n\n"] * 12)
CONFIG = {
    "kind": "encoder", "layers": 2, "hidden_size": 16, "heads": 2, "positions": 64,
    "texts": "apart", "dropout": 0.1,
}  # fmt: skip
LIKE_MPNET = {
    "kind": "encoder", "layers": 3, "hidden_size": 64, "heads": 2, "positions": 64,
    "texts": "joined", "relative_buckets": 8, "separators": 2,
}  # fmt: skip

CARRY_OVER = Path(__file__).parents[2] / "experiments" / "tagger" / "carry_over.py"
RANKS = {f"layers.{layer}.{m}": 2 + layer for layer in (0, 1) for m in ("qkv", "o", "up", "down")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_in(tmp_path_factory.mktemp("reader"), CONFIG, 8)


@pytest.fixture(scope="module")
def like_mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In 4 bits, with a tagger that uses two of the three layers."""
    return made_in(tmp_path_factory.mktemp("mpnet"), LIKE_MPNET, 4)


def made_in(made: Path, config: dict[str, Any], bits: Bits) -> Path:
    """A reader of random weights with a tagger of random weights, large enough to find names."""
    pieces = Pieces.of_tokenizer(tokenizer_file(made / "tokenizer.json"), pool=8)
    reader = Reader(config_of(config), pieces, seed=3)
    body = reader.network.body
    assert isinstance(body, Transformer)
    if body.buckets:  # small at first, as if distances hardly mattered
        body.relative.weight.normal_(0, 1.5, generator=torch.Generator().manual_seed(5))
    reader.save_pretrained(made / "reader", bits=bits)
    adapters = Adapters(body, RANKS, scale=2.0, layers=2)
    random = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for weight in adapters.parameters():
            weight.normal_(0, 1.2 / body.width**0.5, generator=random)
        adapters.head.weight.normal_(0, 2.0, generator=random)
    save_adapters(made / "reader", adapters)
    return made / "reader"


@pytest.fixture
def model(folder: Path) -> TaggerModel:
    return load_model(folder, "cpu")


@pytest.fixture(params=["folder", "like_mpnet"])
def either(request: pytest.FixtureRequest) -> TaggerModel:
    return load_model(request.getfixturevalue(request.param), "cpu")


def test_names_are_words_of_the_text_and_there_are_some(folder: Path) -> None:
    (short, long) = EncoderTagger(folder).spans([SHORT, LONG])
    assert short
    assert len(long) > 5
    for text, found in ((SHORT, short), (LONG, long)):
        for start, end, _ in found:
            assert text[start:end].strip() == text[start:end] != ""
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(found))


@pytest.mark.parametrize("bits", [32, 8])
def test_a_texts_names_do_not_depend_on_its_company(either: TaggerModel, bits: int) -> None:
    alone = [either.spans([text], bits)[0] for text in (SHORT, LONG, "", "lamp")]
    assert either.spans([SHORT, LONG, "", "lamp"], bits) == alone
    assert either.spans(["lamp", "", LONG, SHORT], bits)[::-1] == alone
    assert alone[2] == []


def test_padding_changes_no_probability(either: TaggerModel) -> None:
    ids, shapes = torch.tensor([[0, 12, 13, 0]]), torch.tensor([[NO_WORD, 2, 2, NO_WORD]])
    signs, none = torch.tensor([[0, -1, -1, 1]]), torch.zeros(1, 4, dtype=torch.bool)
    longer = Pieced(
        F.pad(ids, (0, 3)),
        F.pad(shapes, (0, 3), value=NO_WORD),
        F.pad(signs, (0, 3), value=-1),
        F.pad(none, (0, 3), value=True),
    )
    plain, padded = either.probabilities([Pieced(ids, shapes, signs, none), longer])
    torch.testing.assert_close(padded[:, :4], plain, atol=1e-5, rtol=1e-4)
    assert plain.shape == (1, 4, LABELS)


def test_the_change_is_the_low_rank_product(model: TaggerModel) -> None:
    body = model.network.body
    assert isinstance(body, Transformer)
    layer, own = body.layers[1], model.adapters.layers[1]
    x = torch.randn(5, 16, generator=torch.Generator().manual_seed(1))
    changed = model.adapters.changed(1, layer, torch.float32)  # type: ignore[arg-type]
    for matrix in ("qkv", "o", "up"):
        plain, change = getattr(layer, matrix), getattr(own, matrix)
        expected = x @ plain.weight.T + 2.0 * (x @ change.a.T) @ change.b
        torch.testing.assert_close(x @ changed[f"{matrix}.weight"].T, expected)
    assert torch.equal(changed["n1.weight"], layer.n1.weight)  # type: ignore[union-attr]


def test_without_a_change_the_body_reads_as_the_reader_does(model: TaggerModel) -> None:
    body = model.network.body
    assert isinstance(body, Transformer)
    x = torch.randn(2, 9, 16, generator=torch.Generator().manual_seed(1))
    absent = torch.zeros(2, 9, dtype=torch.bool)
    absent[1, 6:] = True
    nothing = Adapters(body, RANKS, scale=2.0)
    for weight in nothing.layers.parameters():
        torch.nn.init.zeros_(weight)
    with torch.no_grad():
        without = TaggerModel(model.network, model.lay.pieces, nothing)
        (found,) = body.adapted([(x, absent)], partial(without._layer, bits=32), torch.float32)
        torch.testing.assert_close(found[0], body(x, absent)[0])
        torch.testing.assert_close(found[1, :6], body(x, absent)[1, :6])


@pytest.mark.parametrize("bits", [32, 16, 8])
def test_only_the_first_layers_are_computed_and_distances_count(
    like_mpnet: Path, bits: int
) -> None:
    """Against the reader's own layers, filled with the changed weights."""
    model = load_model(like_mpnet, "cpu")
    body = model.network.body
    assert isinstance(body, Transformer)
    assert len(body.layers) == 3
    assert len(model.adapters.layers) == 2
    x = torch.randn(2, 40, 64, generator=torch.Generator().manual_seed(1))
    absent = torch.arange(40)[None] >= torch.tensor([40, 31])[:, None]
    wide = copy.deepcopy(body)
    with torch.no_grad():
        for number, layer in enumerate(wide.layers[:2]):
            layer.load_state_dict(model.adapters.changed(number, layer, torch.float32))  # type: ignore[arg-type]
        expected = wide._begun(x, None)
        for layer in wide.layers[:2]:
            expected = layer(expected, wide._bias(absent, torch.float32))
        dtype = torch.bfloat16 if bits == 16 else torch.float32
        layer_of = partial(model._layer, bits=bits)
        found = body.adapted([(x, absent), (x[1:, :31], absent[1:, :31])], layer_of, dtype, 2)
    off = {32: 1e-4, 16: 0.15, 8: 0.15}[bits]
    torch.testing.assert_close(found[0][~absent].float(), expected[~absent], atol=off, rtol=0)
    torch.testing.assert_close(found[1][0].float(), expected[1, :31], atol=off, rtol=0)


def test_a_file_of_before_uses_all_layers(folder: Path, tmp_path: Path) -> None:
    load_model.cache_clear()
    shutil.copytree(folder, tmp_path / "reader")
    with safe_open(folder / FILE, "pt") as file:
        about = file.metadata()
    assert about.pop("layers") == "2"
    save_file(load_file(folder / FILE), tmp_path / "reader" / FILE, about)
    assert load_model(tmp_path / "reader", "cpu").spans([SHORT, LONG]) == load_model(
        folder, "cpu"
    ).spans([SHORT, LONG])
    for wrong in ("0", "3", "-1", "two", "9" * 5000):
        save_file(load_file(folder / FILE), tmp_path / "reader" / FILE, about | {"layers": wrong})
        load_model.cache_clear()
        with pytest.raises(UserError, match=r"its layers \(.{1,24}\) do not fit a reader of 2"):
            load_model(tmp_path / "reader", "cpu")


def test_the_readers_weights_are_used_and_not_loaded_again(folder: Path) -> None:
    load_model.cache_clear()
    reader = Reader.from_pretrained(folder)
    assert load_model(folder, "cpu").network is reader.network
    assert isinstance(reader.network, EncoderReader)


@pytest.mark.parametrize("bits", [16, 8])
def test_fewer_bits_say_nearly_the_same(either: TaggerModel, bits: int) -> None:
    ids = torch.tensor([[0, 12, 13, 14, 15, 0]])
    shapes, signs = torch.full_like(ids, 2), torch.tensor([[0, -1, -1, -1, -1, 1]])
    none = torch.zeros_like(ids, dtype=torch.bool)
    with torch.inference_mode():
        (wide,) = either.probabilities([Pieced(ids, shapes, signs, none)])
        (narrow,) = either.probabilities([Pieced(ids, shapes, signs, none)], bits)
    assert 0 < (wide - narrow).abs().max() < 0.2


def test_stories_are_annotated_text_by_text(folder: Path, tmp_path: Path) -> None:
    tagger = EncoderTagger(folder)
    stories = [Story("a", SHORT, ("Harp Board met", LONG)), Story("b", LONG, ())]
    spans = list(annotate(iter(stories), tagger))
    assert [s.id for s in spans] == ["a", "b"]
    assert [len(s.texts) for s in spans] == [3, 1]
    assert any(spans[0].texts)
    for story, own in zip(stories, spans, strict=True):
        for text, found in zip((story.article, *story.highlights), own.texts, strict=True):
            assert all(end <= len(text) for _, end, _ in found)
    source = tmp_path / "stories.jsonl"
    source.write_text(
        f'{{"id": "a", "article": "{SHORT}", "highlights": ["Harp Board met"]}}\n', encoding="utf-8"
    )
    annotate_file(source, tmp_path / "spans.jsonl", pipeline=tagger, workers=1)
    (written,) = read_spans(tmp_path / "spans.jsonl")
    (expected,) = annotate([Story("a", SHORT, ("Harp Board met",))], tagger)
    assert written.texts == [[list(span) for span in text] for text in expected.texts]


def test_it_can_be_sent_to_workers_and_names_its_weights(folder: Path) -> None:
    tagger = pickle.loads(pickle.dumps(EncoderTagger(folder)))
    assert tagger == EncoderTagger(folder)
    assert tagger.name.startswith("encoder ")
    assert len(tagger.name) == len("encoder ") + 12


# ---- refusals


def test_what_the_option_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pipeline_called(None) is None
    assert pipeline_called("en_core_web_md") == "en_core_web_md"
    assert pipeline_called("rules:de", "de") == "rules:de"
    monkeypatch.setattr("cloze.readers.tagging.tagger.shipped_models", lambda: [folder])
    assert pipeline_called("encoder") == EncoderTagger(folder)
    assert pipeline_called("encoder:bf16") == EncoderTagger(folder, bits=16)
    assert pipeline_called("encoder:int8") == EncoderTagger(folder, bits=8)
    with pytest.raises(UserError, match="for the CPU, and alone"):
        pipeline_called("encoder:int8:cuda")
    with pytest.raises(UserError, match="has no option 'fp8'"):
        pipeline_called("encoder:fp8")
    with pytest.raises(UserError, match="English only"):
        pipeline_called("encoder", "de")
    monkeypatch.setattr("cloze.readers.tagging.tagger.shipped_models", lambda: [folder.parent])
    with pytest.raises(UserError, match="no reader of this installation has a tagger"):
        pipeline_called("encoder")


def test_a_missing_or_foreign_tagger_is_refused(folder: Path, tmp_path: Path) -> None:
    body = load_model(folder, "cpu").network.body
    assert isinstance(body, Transformer)
    other = tmp_path / "other"
    Reader(config_of(CONFIG), Pieces.load(folder / Pieces.file), seed=5).save_pretrained(other)
    with pytest.raises(UserError, match="has no tagger"):
        load_adapters(other, body)
    (other / FILE).write_bytes((folder / FILE).read_bytes())
    with pytest.raises(UserError, match="trained on other weights"):
        load_adapters(other, body)
    (other / FILE).write_bytes(b"no tensors")
    with pytest.raises(UserError, match="is not a safetensors file"):
        load_adapters(other, body)
    (other / FILE).write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(UserError, match="is not 'cloze tagger, format 1'"):
        load_adapters(other, body)


def test_a_tagger_goes_over_to_a_reader_with_the_same_first_layers(
    like_mpnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def carry_over(name: str) -> None:
        """To a reader whose weights of this name differ."""
        reader = Reader.from_pretrained(like_mpnet)
        with torch.no_grad():
            reader.network.get_parameter(name).mul_(2.0)
        reader.save_pretrained(tmp_path / "after", bits=4, overwrite=True)
        monkeypatch.setattr(sys, "argv", ["carry_over", str(like_mpnet), str(tmp_path / "after")])
        runpy.run_path(str(CARRY_OVER), run_name="__main__")

    carry_over("body.layers.2.up.weight")
    before, after = (EncoderTagger(f) for f in (like_mpnet, tmp_path / "after"))
    assert list(after.spans([SHORT, LONG])) == list(before.spans([SHORT, LONG]))
    for name in ("body.layers.1.up.weight", "embedding.weight", "body.relative.weight"):
        with pytest.raises(SystemExit, match=f"{name} was trained"):
            carry_over(name)


def test_adapters_of_another_shape_are_refused(folder: Path) -> None:
    small = Transformer(
        layers=1, size=16, heads=2, inner=64, positions=64, buckets=0, epsilon=1e-12, rate=0.0
    )
    with pytest.raises(UserError, match="do not fit"):
        load_adapters(folder, small)


# ---- decoding, windows, casing


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), min_size=1, max_size=6))
def test_the_likeliest_parts_are_those_of_all_sequences(rows: list[list[float]]) -> None:
    scores = np.log(np.asarray(rows))

    def allowed(parts: tuple[int, ...]) -> bool:
        return all(b != 2 or a in (1, 2) for a, b in zip((0, *parts), parts, strict=False))

    def total(parts: tuple[int, ...]) -> float:
        return float(sum(scores[i, part] for i, part in enumerate(parts)))

    every = filter(allowed, itertools.product(range(3), repeat=len(rows)))
    found = tuple(likeliest(scores))
    assert allowed(found)
    assert math.isclose(total(found), max(map(total, every)), abs_tol=1e-9)


def test_a_names_type_is_that_of_all_its_words() -> None:
    said = np.zeros((3, LABELS))
    said[0, 1], said[0, 7] = 0.6, 0.4  # begins a person, or an organisation
    said[1, 8], said[2, 8] = 0.9, 0.9  # inside an organisation
    said[1:, 0] = 0.1
    assert names(said) == [(0, 3, "ORG")]
    assert names(np.zeros((0, LABELS))) == []
    opening = np.array([True, False, True])
    assert names(said, opening)[0] == (0, 2, "ORG")  # the last word opens a paragraph


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 300), max_size=5), st.integers(2, 60))
def test_windows_cover_every_piece_with_text_around_it(lengths: list[int], room: int) -> None:
    found = windows(lengths, room)
    for text, length in enumerate(lengths):
        deepest = np.full(length, -1.0)
        for window in (w for w in found if w.text == text):
            assert 0 < window.length <= room
            part = deepest[window.start : window.start + window.length]
            np.maximum(part, depth(window, length), out=part)
        assert (deepest >= (room // OVERLAP - 1) // 2).all()
    again = [window for batch in batches(found, 100) for window in batch]
    assert sorted(again) == sorted(found)
    for batch in batches(found, 100):
        assert len(batch) == 1 or batch[0].length * len(batch) <= 100


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("lamp", Shape.LOWER), ("Lamp", Shape.TITLE), ("LAMP", Shape.UPPER), ("J.", Shape.SINGLE),
        ("McBride", Shape.MIXED), ("iPhone", Shape.MIXED), ("1,220", Shape.NUMBER),
        ("--", Shape.NO_LETTERS), ("Élan", Shape.TITLE), ("20th", Shape.LOWER), ("日", Shape.LOWER),
    ],
)  # fmt: skip
def test_shapes(word: str, expected: Shape) -> None:
    assert shape(word) is expected


def test_a_quotation_mark_leaves_the_place_to_the_word_behind_it() -> None:
    words = ["No", ".", '"', "Yes", ",", '"', "he", "said"]
    found = [number // len(Shape) for number in casing(words, [0, 1, 0, 0, 1, 1, 1, 0])]
    opens, inside = Place.OPENS_SENTENCE, Place.INSIDE
    assert found == [
        Place.OPENS_PARAGRAPH, inside, opens, opens, inside, inside, inside, inside,
    ]  # fmt: skip


def test_words_are_cut_once_and_forgotten_before_they_are_too_many(
    model: TaggerModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = model.spans([SHORT])
    monkeypatch.setattr(laying, "MOST_WORDS", 3)
    assert model.spans([SHORT]) == before
    assert model.spans([LONG, SHORT])[1:] == before


def test_workers_lay_texts_out_as_the_process_itself_does(folder: Path, model: TaggerModel) -> None:
    texts = [[SHORT, LONG], [LONG], [SHORT]]
    by_workers = list(laying.laid_by_workers(texts, folder, workers=2))
    for chunk, own in zip(texts, by_workers, strict=True):
        for laid, other in zip(own, model.lay(chunk), strict=True):
            for array, same in zip(laid, other, strict=True):
                np.testing.assert_array_equal(array, same)
    together = [spans for group in model.spans_of(by_workers) for spans in group]
    assert together == [model.spans([text])[0] for chunk in texts for text in chunk]

"""The Reader: three lines to an answer, many answers in order, saved and loaded whole."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from cloze.answering import Ranking, answers
from cloze.corpus.store import Corpus
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.files import read_json, write_json
from cloze.readers.batch import Batch
from cloze.readers.reader import Reader
from cloze.readers.stored_weights import Bits
from cloze.text import Text
from tests.conftest import document_of, question_of
from tests.readers.cases import KINDS, outputs, reader_config
from tests.readers.points import VOCABULARY, points_of, seeds

GOLDEN = Path(__file__).parent / "golden"
FIRST_KINDS = {"attentive", "deep-lstm", "impatient", "uniform"}


def reader_of(kind: str = "attentive", batch_size: int = 32, **options: object) -> Reader:
    config = reader_config(kind=kind, hidden_size=4, **options)
    return Reader(config, VOCABULARY, batch_size=batch_size)


@pytest.mark.parametrize(
    ("kind", "output"), [(kind, output) for kind in KINDS for output in outputs(kind)]
)
def test_an_answer(kind: str, output: str) -> None:
    document = document_of("the @entity3 train met @entity1 , @entity3 and a prize .")
    question = question_of("@placeholder met @entity1", 3, document)
    ranking = reader_of(kind, output=output).answer_one(document, question)
    assert sorted(ranking.candidates.tolist()) == [1, 3]
    assert document.name_of(ranking.answer) in ("Ostrava Rail", "Kestrel Bay")
    assert ranking.scores.sum() == pytest.approx(1.0)
    assert ranking.scores[0] >= ranking.scores[1]
    shape = {"deep-lstm": None, "impatient": (3, 11)}.get(kind, (11,))
    assert (None if ranking.attention is None else ranking.attention.shape) == shape
    if output == "candidates":
        assert not ranking.outside
    by_text = reader_of(kind, output=output).answer_one(document, question.query)
    assert sorted(by_text.candidates.tolist()) == [1, 3]


def test_outside_is_told() -> None:
    """The whole vocabulary's softmax may prefer a word to every candidate."""
    reader = reader_of()
    document = document_of("the @entity3 train met @entity1")
    with torch.no_grad():
        row = reader.network.answer.weight
        row.zero_()
    assert reader.answer_one(document, question_of("@placeholder met", 3, document)).outside
    with torch.no_grad():
        g = torch.sign(torch.randn(row.shape[1], generator=torch.Generator().manual_seed(0)))
        row[4:12] = g  # every marker: one of the two may be the first of equals, or one elsewhere
        row[12:] = 0
    ranking = reader.answer_one(document, question_of("@placeholder met", 3, document))
    assert ranking.scores.tolist() == pytest.approx([0.5, 0.5])


@settings(max_examples=10)
@given(seed=seeds)
def test_many_are_answered_in_order_as_each_alone(seed: int) -> None:
    reader, points = reader_of("impatient", batch_size=2), points_of(seed, documents=9)
    answered = [
        (document, question, ranking)
        for document, questions, rankings in answers(reader, points, attention=True)
        for question, ranking in zip(questions, rankings, strict=True)
    ]
    assert [q.id for _, q, _ in answered] == [q.id for _, own in points for q in own]
    for document, question, ranking in answered:
        alone = reader.answer_one(document, question)
        np.testing.assert_allclose(ranking.scores, alone.scores, rtol=1e-4)
        assert set(ranking.candidates) == set(document.candidates())
        assert ranking.attention is not None
        assert ranking.attention.shape == (len(question.query), len(document.context))
        np.testing.assert_allclose(ranking.attention, alone.attention, rtol=1e-4, atol=1e-6)


def test_the_size_of_the_batches_changes_nothing(make_corpus: Callable[..., Path]) -> None:
    corpus = Corpus.open(make_corpus(documents=7))
    one, other = (reader_of(batch_size=size).answer(corpus.read("valid")) for size in (3, 32))
    for few, many in zip(one, other, strict=True):
        assert [r.candidates.tolist() for r in few] == [r.candidates.tolist() for r in many]
        for a, b in zip(few, many, strict=True):
            np.testing.assert_allclose(a.scores, b.scores, rtol=1e-5)


def test_a_full_device_reads_fewer_at_once(
    make_corpus: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a batch finds no room its half may; where nothing does, one line says so."""
    corpus = Corpus.open(make_corpus(documents=7))
    expected = list(reader_of().answer(corpus.read("valid")))
    taken, sizes = Reader._rank_batch, []

    def narrow(self: Reader, batch: Batch, *rest: Any) -> list[Ranking]:
        sizes.append(len(batch))
        if len(batch) > room:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 7.07 GiB. GPU 0")
        return taken(self, batch, *rest)

    monkeypatch.setattr(Reader, "_rank_batch", narrow)
    room = 3
    reader = reader_of()
    found = list(reader.answer(corpus.read("valid")))
    assert sizes[0] > 2 * room
    assert sum(size for size in sizes if size <= room) == sum(map(len, expected))
    sizes.clear()
    list(reader.answer(corpus.read("valid")))
    assert max(sizes) <= room  # it remembers
    for few, many in zip(found, expected, strict=True):
        assert [r.candidates.tolist() for r in few] == [r.candidates.tolist() for r in many]
    room = 0
    said = r"^the memory of the device is full \(CUDA out of memory\); .*--device cpu$"
    with pytest.raises(UserError, match=said):
        list(reader_of().answer(corpus.read("valid")))


def test_more_names_than_markers() -> None:
    """The vocabulary has 8 markers: the question's names stay, then those mentioned most."""
    often = " ".join(f"@entity{k} @entity{k}" for k in range(9))
    document = document_of(f"@entity20 @entity21 {often}")
    few = document_of("@entity1 met @entity2", "few")
    asked = [
        question_of("@entity20 met @placeholder", 3, document),
        question_of("@entity20 and @entity21 met @placeholder", 3, document, 1),
        question_of("@placeholder met", 3, document, 2),
    ]
    alone = question_of("@placeholder met", 1, few)
    points = [
        (few, [alone]),
        (document, asked),
        (document_of("@entity1 left", "none"), []),
        (few, [question_of("met @placeholder", 1, few, 1)]),
    ]
    reader = reader_of()
    first, many, nothing, last = reader.answer(points, attention=True)
    assert (len(first), len(many), nothing, len(last)) == (1, 3, [], 1)
    assert sorted(many[0].candidates) == [0, 1, 2, 3, 4, 5, 6, 20]
    assert sorted(many[1].candidates) == [0, 1, 2, 3, 4, 5, 20, 21]
    assert sorted(many[2].candidates) == list(range(8))
    for ranking in many:
        assert ranking.attention is not None
        assert ranking.attention.shape == (len(document.context),)
    np.testing.assert_allclose(first[0].scores, reader.answer_one(few, alone).scores, rtol=1e-5)


def test_its_settings_tell_its_weights_from_others(tmp_path: Path) -> None:
    reader = reader_of()
    reader.save_pretrained(tmp_path / "model")
    again = Reader.from_pretrained(tmp_path / "model", batch_size=5)
    assert again.settings == reader.settings | {"directory": "model", "batch_size": 5}
    assert json.loads(json.dumps(again.settings)) == again.settings
    with torch.no_grad():
        next(again.network.parameters()).view(-1)[0] += 1
    assert again.settings["weights"] != reader.settings["weights"]


def test_no_candidate_no_answer() -> None:
    document = document_of("no name stands here .")
    for output in ("vocabulary", "candidates"):
        ranking = reader_of(output=output).answer_one(document, Text(["@placeholder"], ["x"], [0]))
        assert ranking.answer == -1
        assert len(ranking.scores) == 0


@pytest.mark.parametrize(
    ("document", "query", "message"),
    [
        (Document("empty", Text([], [], []), ()), "@placeholder met", "document empty: has no tok"),
        (document_of("@entity0 met"), "", "has no tokens"),
        (document_of("@entity0 met"), "who met", "the question has no gap; write @placeholder"),
        (document_of("@entity0 met"), "@entity4 @placeholder", "'@entity4' is not among"),
    ],
)
def test_bad_questions_are_refused(document: Document, query: str, message: str) -> None:
    tokens = query.split()
    text = Text(tokens, tokens, [1] * len(tokens))
    with pytest.raises(UserError, match=message):
        reader_of().answer_one(document, text)
    with pytest.raises(UserError, match=message):
        reader_of("deep-lstm").answer_one(document, Question("q", document.id, text, 0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bits", [32, 16, 8])
def test_saved_and_loaded(tmp_path: Path, kind: str, bits: Bits) -> None:
    reader = reader_of(kind, **({"tie_output": True} if kind == "attentive" else {}))
    reader.about["corpus"] = "little | news"
    reader.save_pretrained(tmp_path / "model", bits=bits, sections={"Curves": "see *here*"})
    again = Reader.from_pretrained(tmp_path / "model", exact=True)
    assert again.config == reader.config
    assert again.about == reader.about
    unsaved = reader.network.answer_rows() if reader.config.output == "candidates" else []
    for name, weight in reader.network.named_parameters():
        loaded = dict(again.network.named_parameters())[name]
        off = {32: 0.0, 16: 1e-3, 8: 0.51 / 127}[bits] * weight.detach().abs().max().item()
        # No word can be the answer: their rows are not saved.
        rows = VOCABULARY.first_word if any(weight is w for w in unsaved) else len(weight)
        torch.testing.assert_close(loaded[:rows], weight[:rows], rtol=0, atol=off)
    document, asked = points_of(2)[0]
    before, after = (r.answer_one(document, asked[0]) for r in (reader, again))
    np.testing.assert_allclose(before.scores, after.scores, rtol={32: 1e-6, 16: 1e-2, 8: 0.2}[bits])
    card = (tmp_path / "model" / "README.md").read_text()
    assert f"# {reader.config.name}, little \\| news" in card
    assert "| corpus | little \\| news |" in card
    assert "## Curves\nsee *here*" in card
    assert sorted(p.name for p in (tmp_path / "model").iterdir()) == [
        *("README.md", "config.json", "model.safetensors", "vocabulary.txt")
    ]


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    reader_of().save_pretrained(tmp_path / "model")
    with pytest.raises(UserError, match="already exists"):
        reader_of().save_pretrained(tmp_path / "model")
    reader_of("uniform").save_pretrained(tmp_path / "model", overwrite=True)
    assert Reader.from_pretrained(tmp_path / "model").config.kind == "uniform"


def test_weights_that_are_not_numbers_are_not_saved(tmp_path: Path) -> None:
    reader = reader_of()
    with torch.no_grad():
        reader.network.W_rg.weight[0, 0] = 1e6  # too large for 16 bits
    with pytest.raises(UserError, match=r"W_rg\.weight.*not finite in 16 bits"):
        reader.save_pretrained(tmp_path / "model", bits=16)
    assert not (tmp_path / "model").exists()
    reader.save_pretrained(tmp_path / "model")


def truncate(model: Path) -> None:
    path = model / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-10])


def lose(model: Path) -> None:
    (model / "model.safetensors").unlink()


def next_format(model: Path) -> None:
    write_json(model / "config.json", read_json(model / "config.json") | {"format": 2})


def other_size(model: Path) -> None:
    head = read_json(model / "config.json")
    head["reader"]["hidden_size"] = 5
    write_json(model / "config.json", head)


def other_kind(model: Path) -> None:
    head = read_json(model / "config.json")
    head["reader"]["kind"] = "uniform"
    write_json(model / "config.json", head)


def other_word(model: Path) -> None:
    path = model / "vocabulary.txt"
    path.write_text(path.read_text().replace("train", "plane"))


def headless(model: Path) -> None:
    write_json(model / "config.json", {"format": 1})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (truncate, "model.safetensors: is truncated"),
        (lose, "model.safetensors: is missing; copy the model again"),
        (next_format, "model format 2 is not the format 1"),
        (other_size, "the config says"),
        (other_kind, "the weights do not fit the config: W_um.weight"),
        (other_word, "not the vocabulary that this model was trained with"),
        (headless, "has no 'reader'"),
    ],
)
def test_a_damaged_model_is_refused(
    tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    reader_of().save_pretrained(tmp_path / "model")
    damage(tmp_path / "model")
    with pytest.raises(UserError, match=message):
        Reader.from_pretrained(tmp_path / "model")


def test_no_such_model(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such model folder"):
        Reader.from_pretrained(tmp_path / "nothing")


@pytest.mark.parametrize("model", sorted(GOLDEN.glob("format-*/*/")), ids=lambda path: path.name)
def test_models_of_every_format_still_answer(model: Path) -> None:
    """Saved once by `golden/make.py`; a change of code must not change what they answer."""
    expected = read_json(model / "expected.json")
    reader = Reader.from_pretrained(model)
    document = document_of("the @entity3 train met @entity1 at a prize of @entity2 .")
    ranking = reader.answer_one(document, question_of("@entity1 met @placeholder", 3, document))
    assert ranking.candidates.tolist() == expected["candidates"]
    np.testing.assert_allclose(ranking.scores, expected["scores"], rtol=1e-5)


def test_there_is_a_golden_model_of_each_kind() -> None:
    """The kinds that this format started with."""
    assert {path.name for path in GOLDEN.glob("format-1/*/")} == FIRST_KINDS

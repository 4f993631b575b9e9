"""Models answer a split: through the library and through the command."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from cloze.answering import QuestionAlone, Ranking, answers, ranked
from cloze.baselines.baseline import Baseline
from cloze.corpus.store import Corpus
from cloze.document import Document, Point, Question
from cloze.errors import UserError
from cloze.evaluation.metrics import load
from cloze.evaluation.predictions import Predictions
from cloze.evaluation.run import Options, run
from cloze.naming import blinded

Make = Callable[..., tuple[Corpus, list[Point]]]


class Counting(Baseline):
    """The most frequent entity that the question does not name."""

    name = "Exclusive frequency"

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        counts = {m: len(places) for m, places in document.context.mentions().items()}
        rankings = []
        for question in questions:
            asked = question.query.mentions()
            rankings.append(ranked(list(counts), [0 if m in asked else counts[m] for m in counts]))
        return rankings


class Numerology(Baseline):
    """Answers with the lowest marker: it uses the markers, which it must not."""

    name = "Numerology"

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        markers = sorted(document.candidates())
        return [ranked(markers, [-m for m in markers]) for _ in questions]


def test_predictions_of_a_run(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(15)
    path = run(Counting(), corpus, "valid", tmp_path / "out")
    assert path.name == "exclusive-frequency-press-valid.parquet"
    model = load(path)
    assert len(model) == sum(len(asked) for _, asked in points)
    said = [r.answer for d, asked in points for r in Counting().rank(d, asked)]
    assert model.predicted.tolist() == said
    about = model.about
    assert (about.kind, about.corpus_fingerprint) == ("baseline", corpus.fingerprint)
    assert Path(about.corpus_path) == corpus.path.resolve()
    assert about.made
    assert about.commit


def test_a_limit_counts_questions(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(15)
    path = run(Counting(), corpus, "valid", tmp_path, Options(limit=7))
    assert len(load(path)) == 7


def test_an_honest_model_is_invariant_to_the_naming(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(25)
    options = Options(permutations=4)
    honest = load(run(Counting(), corpus, "valid", tmp_path, options))
    assert honest.permuted.shape == (len(honest), 3)
    assert (honest.permuted == honest.predicted[:, None]).all()
    reader_of_names = load(run(Numerology(), corpus, "valid", tmp_path, options))
    assert (reader_of_names.permuted != reader_of_names.predicted[:, None]).mean() > 0.3


def test_without_text_only_the_candidates_are_left(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(25)
    document = points[0][0]
    bare = blinded(document, seed=1)
    assert sorted(bare.context.markers) == sorted(document.candidates())
    options = Options(question_only=True)
    blind = load(run(Counting(), corpus, "valid", tmp_path, options))
    assert blind.about.model == "Exclusive frequency, question only"
    assert blind.document_tokens.tolist() == [len(d.context) for d, asked in points for _ in asked]
    # With no text to count in, it can only guess among the names that are not in the question.
    right, chance = [], []
    for seed in range(100):
        for document, asked, rankings in answers(QuestionAlone(Counting()), points, seed=seed):
            for question, ranking in zip(asked, rankings, strict=True):
                right.append(ranking.answer == question.answer)
                open_to_guess = set(document.candidates()) - question.query.mentions().keys()
                chance.append(1 / len(open_to_guess))
    assert np.mean(right) == pytest.approx(np.mean(chance), abs=0.02)


def test_an_empty_split_is_a_clear_error(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(0)
    with pytest.raises(UserError, match="has no questions"):
        run(Counting(), corpus, "valid", tmp_path)
    with pytest.raises(UserError, match="no split 'dev'"):
        run(Counting(), corpus, "dev", tmp_path)


def test_a_document_of_one_token(tmp_path: Path) -> None:
    from cloze.corpus.store import write_manifest, write_shard
    from tests.conftest import document_of, question_of

    lone, word = document_of("@entity0", "a"), document_of("hello", "b")
    points = [
        (lone, [question_of("@placeholder", 0, lone)]),
        (word, [question_of("@placeholder", 0, word)]),
    ]
    write_shard(tmp_path / "c", "valid", 0, points)
    write_manifest(tmp_path / "c", name="tiny", options={})
    options = Options(permutations=2, question_only=True)
    for chosen in (Options(), options):
        model = load(run(Counting(), Corpus.open(tmp_path / "c"), "valid", tmp_path, chosen))
        assert model.predicted.tolist() == [0, -1]


def test_the_metadata_is_plain_json(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(2)
    path = run(Counting(), corpus, "valid", tmp_path)
    assert json.dumps(Predictions(path).about.settings)

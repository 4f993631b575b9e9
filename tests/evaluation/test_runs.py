"""Models answer a split: through the library and through the command."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from cloze.answering import Ranking, ranked
from cloze.corpus.store import Corpus
from cloze.document import Document, Point, Question
from cloze.errors import UserError
from cloze.evaluation.metrics import compare, load
from cloze.evaluation.predictions import Predictions
from cloze.evaluation.runs import (
    Options,
    baseline_task,
    permuted,
    run,
    tasks_of_baselines,
    without_text,
)
from cloze.text import marker_of

Make = Callable[..., tuple[Corpus, list[Point]]]


class Counting:
    """The most frequent entity that the question does not name."""

    name = "Exclusive frequency"

    def answer(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        counts = Counter(m for t in document.context.tokens if (m := marker_of(t)) >= 0)
        rankings = []
        for question in questions:
            asked = {marker_of(token) for token in question.query.tokens}
            rankings.append(ranked(list(counts), [0 if m in asked else counts[m] for m in counts]))
        return rankings


class Numerology:
    """Answers with the lowest marker: it reads the names that it must not read."""

    name = "Numerology"

    def answer(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        markers = sorted(document.candidates())
        return [ranked(markers, [-m for m in markers]) for _ in questions]


def test_predictions_of_a_run(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(15)
    path = run(baseline_task("counting", Counting()), corpus, "valid", tmp_path / "out")
    assert path.name == "exclusive-frequency-press-valid.parquet"
    model = load(path)
    assert len(model) == sum(len(asked) for _, asked in points)
    said = [r.answer for d, asked in points for r in Counting().answer(d, asked)]
    assert model.predicted.tolist() == said
    about = model.about
    assert (about.kind, about.corpus_fingerprint) == ("baseline", corpus.fingerprint)
    assert Path(about.corpus_path) == corpus.path.resolve()
    assert about.made
    assert about.commit


def test_a_limit_counts_questions(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(15)
    task = baseline_task("counting", Counting())
    path = run(task, corpus, "valid", tmp_path, Options(limit=7))
    assert len(load(path)) == 7


def test_an_honest_model_is_invariant_to_the_naming(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(25)
    options = Options(permutations=4)
    honest = load(run(baseline_task("c", Counting()), corpus, "valid", tmp_path, options))
    assert honest.permuted.shape == (len(honest), 3)
    assert (honest.permuted == honest.predicted[:, None]).all()
    reader_of_names = load(
        run(baseline_task("n", Numerology()), corpus, "valid", tmp_path, options)
    )
    assert (reader_of_names.permuted != reader_of_names.predicted[:, None]).mean() > 0.3


def test_without_text_only_the_candidates_are_left(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(25)
    document = points[0][0]
    bare = without_text(document, seed=1)
    assert sorted(marker_of(t) for t in bare.context.tokens) == sorted(document.candidates())
    options = Options(question_only=True)
    blind = load(run(baseline_task("c", Counting()), corpus, "valid", tmp_path, options))
    assert blind.about.model == "Exclusive frequency, question only"
    assert blind.document_tokens.tolist() == [len(d.context) for d, asked in points for _ in asked]
    # With no text to count in, the model is as good as a guess among what is not in the question.
    guess = np.mean(1 / np.maximum(blind.entities - 1, 1))
    assert abs(blind.accuracy - guess) < 0.25


def test_permuting_renames_everything_alike(make_press: Make) -> None:
    _, points = make_press(3)
    document, questions = points[0]
    shown, asked, back = permuted(document, questions, seed=5)
    assert [m if m < 0 else back[m] for m in map(marker_of, shown.context.tokens)] == [
        marker_of(token) for token in document.context.tokens
    ]
    for old, new in zip(questions, asked, strict=True):
        assert back[new.answer] == old.answer
        assert shown.name_of(new.answer) == document.name_of(old.answer)
    assert shown.context.surfaces == document.context.surfaces


def test_an_empty_split_is_a_clear_error(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(0)
    with pytest.raises(UserError, match="has no questions"):
        run(baseline_task("c", Counting()), corpus, "valid", tmp_path)
    with pytest.raises(UserError, match="no split 'dev'"):
        run(baseline_task("c", Counting()), corpus, "dev", tmp_path)


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
        task = baseline_task("c", Counting())
        model = load(run(task, Corpus.open(tmp_path / "c"), "valid", tmp_path, chosen))
        assert model.predicted.tolist() == [0, -1]


def test_the_metadata_is_plain_json(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(2)
    path = run(baseline_task("c", Counting()), corpus, "valid", tmp_path)
    assert json.dumps(Predictions(path).about.settings)


def test_baselines_are_found_by_name(make_press: Make, tmp_path: Path) -> None:
    corpus, _ = make_press(6)
    (task,) = tasks_of_baselines(["Exclusive_Frequency"])
    (comparison,) = compare([run(task, corpus, "valid", tmp_path)])
    assert comparison.models[0].name == "Exclusive frequency"
    with pytest.raises(UserError, match="there is no baseline 'guess'; choose from maximum-freq"):
        tasks_of_baselines(["guess"])

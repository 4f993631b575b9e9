"""The predictions of a file as arrays, and several files compared on the same questions.

Accuracy is the share of questions whose best candidate is the right marker. Everything else the
evaluation shows (intervals, curves, agreement) is computed from these arrays.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cloze.errors import UserError
from cloze.evaluation.predictions import About, Predictions
from cloze.paper import place_in_table


@dataclass(frozen=True)
class Answers:
    """One model's answers; every array has one element for each question."""

    source: Predictions
    name: str  # as shown; made unique when two runs of one model are compared
    rows: np.ndarray  # the question's row in the file
    question_ids: np.ndarray  # str
    document_ids: np.ndarray  # str
    documents: np.ndarray  # the same as numbers, which are quicker to group by
    answer: np.ndarray  # the right marker
    predicted: np.ndarray  # -1 if the model's answer is not a candidate
    place: np.ndarray  # of the right answer among the candidates, from 1; 0 if missing
    confidence: np.ndarray
    confidence_is: str  # "probability" or "margin"
    document_tokens: np.ndarray
    question_tokens: np.ndarray
    entities: np.ndarray
    frequency_rank: np.ndarray
    permuted: np.ndarray  # [questions, additional permutations] best markers

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def about(self) -> About:
        return self.source.about

    @property
    def correct(self) -> np.ndarray:
        return np.asarray(self.predicted == self.answer)

    @property
    def accuracy(self) -> float:
        return float(self.correct.mean())

    @property
    def articles(self) -> int:
        return len(np.unique(self.documents))

    @property
    def chance(self) -> float:
        """The accuracy of picking one of the document's entities at random."""
        return float(np.mean(1 / np.maximum(self.entities, 1)))

    def __len__(self) -> int:
        return len(self.answer)

    def only(self, rows: np.ndarray) -> "Answers":
        arrays = {k: v[rows] for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **arrays)


def slug(name: str) -> str:
    """A name for files and anchors.

    >>> slug("Attentive Reader (run 2)")
    'attentive-reader-run-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def load(path: Path) -> Answers:
    """Read a file of predictions; a file without questions is an error."""
    source = Predictions(path)
    if source.columns.num_rows == 0:
        raise UserError(
            "has no questions", where=path, fix="evaluate a split that has some (cloze stats)"
        )
    markers, offsets = source.flat("candidates")
    scores, score_offsets = source.flat("scores")
    if not np.array_equal(offsets, score_offsets):
        raise UserError("candidates and scores differ in number", where=path)
    if np.isnan(scores).any():
        raise UserError("holds scores that are not numbers (NaN)", where=path)
    answer = source.whole("answer")
    predicted = source.top(1)[0][:, 0]
    predicted[source.whole("outside")] = -1  # its answer is a word, which is wrong
    confidence, confidence_is = _confidence(scores, offsets)
    document_ids = source.whole("document_id").astype(str)
    return Answers(
        source=source,
        name=source.about.model,
        rows=np.arange(len(answer)),
        question_ids=source.whole("question_id").astype(str),
        document_ids=document_ids,
        documents=np.unique(document_ids, return_inverse=True)[1],
        answer=answer,
        predicted=predicted,
        place=_place(markers, offsets, answer),
        confidence=confidence,
        confidence_is=confidence_is,
        document_tokens=source.whole("document_tokens"),
        question_tokens=source.whole("question_tokens"),
        entities=source.whole("entities"),
        frequency_rank=source.whole("frequency_rank"),
        permuted=_permuted(source),
    )


def _permuted(source: Predictions) -> np.ndarray:
    questions = source.columns.num_rows
    if source.columns.column("permuted_answers").null_count:
        return np.zeros((questions, 0), np.int32)
    return source.flat("permuted_answers")[0].reshape(questions, -1)


def _place(markers: np.ndarray, offsets: np.ndarray, answer: np.ndarray) -> np.ndarray:
    rows = np.repeat(np.arange(len(answer)), np.diff(offsets))
    hits = np.flatnonzero(markers == answer[rows])
    place = np.zeros(len(answer), np.int32)
    place[rows[hits][::-1]] = (hits - offsets[rows[hits]] + 1)[::-1]  # the first hit wins
    return place


def _confidence(scores: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, str]:
    """How sure the model was of its answer.

    The best candidate's probability if the scores are probabilities (none below 0, no question
    with a sum above 1, and not all of them 0); otherwise how far the best score is above the
    second, since counts and distances cannot be compared across documents. Without a candidate it
    is -inf: surely wrong.
    """
    lengths, starts = np.diff(offsets), offsets[:-1]
    some, several = lengths > 0, lengths > 1
    sums = np.zeros(len(lengths))
    np.add.at(sums, np.repeat(np.arange(len(lengths)), lengths), scores)
    best = np.full(len(lengths), -np.inf)
    best[some] = scores[starts[some]]
    none_said = len(scores) and not sums.any()
    if (scores >= 0).all() and (sums <= 1.001).all() and not none_said:
        return best, "probability"
    margin = np.where(some, np.inf, -np.inf)  # the only candidate is a sure answer
    margin[several] = best[several] - scores[starts[several] + 1]
    return margin, "margin"


@dataclass(frozen=True)
class Comparison:
    """Models on one split of one corpus, over the same questions in the same order."""

    corpus: str
    split: str
    models: list[Answers]  # in the order of the paper's Table 5
    left_out: int  # questions that not every model answered

    @property
    def title(self) -> str:
        return f"{self.corpus} {self.split}"

    @property
    def slug(self) -> str:
        return slug(self.title)

    @property
    def best(self) -> Answers:
        return max(self.models, key=lambda model: model.accuracy)


def compare(paths: Sequence[Path]) -> list[Comparison]:
    """Load files and group them by corpus and split, keeping the questions all models answered."""
    groups: dict[tuple[str, str], list[Answers]] = {}
    for loaded in map(load, paths):
        groups.setdefault((loaded.about.corpus, loaded.about.split), []).append(loaded)
    order = {"train": 0, "valid": 1, "test": 2}
    keys = sorted(groups, key=lambda key: (key[0], order.get(key[1], 3), key[1]))
    return [_align(*key, groups[key]) for key in keys]


def _align(corpus: str, split: str, models: list[Answers]) -> Comparison:
    prints = {model.about.corpus_fingerprint for model in models}
    if len(prints) > 1:
        raise UserError(
            f"the predictions on {corpus} {split} come from {len(prints)} different builds of it "
            f"({', '.join(sorted(prints))})",
            fix="evaluate all models on one corpus folder",
        )
    common = set(models[0].question_ids)
    for model in models[1:]:
        common &= set(model.question_ids)
    if not common:
        raise UserError(f"the models on {corpus} {split} have no question in common")
    order = [q for q in models[0].question_ids if q in common]
    aligned = []
    for model in models:
        row = {question: number for number, question in enumerate(model.question_ids)}
        aligned.append(model.only(np.array([row[question] for question in order])))
    aligned = _unique_names(aligned)
    aligned.sort(key=lambda model: place_in_table(model.name, model.about.kind))
    return Comparison(corpus, split, aligned, max(map(len, models)) - len(order))


def _unique_names(models: list[Answers]) -> list[Answers]:
    names = [model.about.model for model in models]
    return [
        replace(m, name=f"{m.about.model} ({m.path.stem})") if names.count(m.name) > 1 else m
        for m in models
    ]


def agreement(models: Sequence[Answers]) -> np.ndarray:
    """[models, models] share of questions on which two models give the same answer."""
    said = np.stack([model.predicted for model in models])  # [models, questions]
    return np.asarray((said[:, None] == said[None, :]).mean(axis=2))


def right_together(models: Sequence[Answers]) -> dict[str, float]:
    """Shares of questions that all models, no model, or at least one answers correctly."""
    right = np.stack([model.correct for model in models])
    return {
        "all": float(right.all(axis=0).mean()),
        "none": float((~right.any(axis=0)).mean()),
        "any": float(right.any(axis=0).mean()),
    }

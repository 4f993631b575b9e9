"""Are a model's probabilities honest, and how to correct them if not.

Of answers given with a probability of 0.8, four in five should be right. The expected calibration
error says how far a model is from that: the answers are put into 15 bins of equal width by their
probability, and the difference between mean probability and share of right answers is averaged over
the answers. A temperature T makes p(a) proportional to p(a)^(1/T): above 1 it makes the model less
sure, below 1 surer, and it never changes the order. It is fitted by the likelihood of the right
answers.
"""

from dataclasses import replace

import numpy as np

from cloze.confidence import Confidence, Level
from cloze.errors import UserError
from cloze.evaluation.metrics import Answers
from cloze.randomness import generator

BINS = 15
LEVELS = 10  # of the record that is stored with a reader
FEWEST = 30  # answers at a level, for its share to mean something
_TINY = float(np.finfo(np.float32).tiny)  # a probability too small for 32 bits
_SHARPEST, _SOFTEST = 0.05, 20.0  # temperatures that are tried


def bins_of(confidence: np.ndarray) -> np.ndarray:
    """The bin of each answer, of equal width; 1 belongs to the last."""
    return np.asarray(np.clip(confidence * BINS, 0, BINS - 1), int)


def calibration_error(confidence: np.ndarray, correct: np.ndarray) -> float:
    """How far probability and share of right answers differ, on average over the answers."""
    sure = np.clip(confidence, 0, 1)  # without a candidate it is minus infinity
    gaps = np.bincount(bins_of(sure), weights=sure - correct)
    return float(np.abs(gaps).sum() / len(sure))


def error_by_chance(confidence: np.ndarray, rounds: int = 100) -> float:
    """What the error is on average if every probability is exactly right: the fewer the answers,
    the further a bin's share lies from its probability by chance."""
    sure, random = np.clip(confidence, 0, 1), generator(0)
    drawn = (random.random(len(sure)) < sure for _ in range(rounds))
    return float(np.mean([calibration_error(sure, correct) for correct in drawn]))


def error_of(model: Answers) -> float | None:
    """The expected calibration error of a model that gives probabilities."""
    if model.confidence_is != "probability":
        return None
    return calibration_error(model.confidence, model.correct)


def tempered(scores: np.ndarray, offsets: np.ndarray, temperature: float) -> np.ndarray:
    """The probabilities of all questions, one list after another, under a temperature."""
    logs = np.log(np.maximum(scores.astype(np.float64), _TINY)) / temperature
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    best = np.full(len(lengths), -np.inf)
    np.maximum.at(best, rows, logs)
    powers = np.exp(logs - best[rows])
    return np.asarray(powers / np.bincount(rows, weights=powers, minlength=len(lengths))[rows])


def fit_temperature(scores: np.ndarray, offsets: np.ndarray, places: np.ndarray) -> float:
    """The temperature under which the right answers are likeliest.

    `places` are the right answers' among their candidates, from 1; 0, a missing one, teaches
    nothing. The loss is convex in 1 / T, so narrowing the interval by the golden section finds it.
    """
    known = np.flatnonzero(places > 0)
    wanted = offsets[known] + places[known] - 1
    if not len(known):
        raise UserError("no right answer is among the candidates; nothing can be fitted")

    def loss(sharpness: float) -> float:
        chances = tempered(scores, offsets, 1 / sharpness)[wanted]
        return float(-np.log(np.maximum(chances, 1e-300)).mean())

    low, high = 1 / _SOFTEST, 1 / _SHARPEST
    golden = (np.sqrt(5) - 1) / 2
    while high - low > 1e-5 * high:
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, b) if loss(a) <= loss(b) else (a, high)
    return float(2 / (low + high))


def levels(confidence: np.ndarray, correct: np.ndarray) -> list[Level]:
    """Up to ten equal parts of the answers by probability, joined until surer parts are more often
    right.

    Parts are equal in number, since a share of 400 answers means more than one of 4. If a part
    has a higher share of right answers than the next surer one, that is chance; they are joined.
    """
    order = np.argsort(confidence, kind="stable")
    count = max(1, min(LEVELS, len(order) // FEWEST))
    found: list[Level] = []
    for part in np.array_split(order, count):
        least = float(max(confidence[part[0]], 0.0))
        found.append(Level(least=least, answers=len(part), right=int(correct[part].sum())))
        while len(found) > 1 and not _apart(*found[-2:]):
            last, before = found.pop(), found.pop()
            found.append(
                Level(
                    least=before.least,
                    answers=before.answers + last.answers,
                    right=before.right + last.right,
                )
            )
    return found


def _apart(lower: Level, upper: Level) -> bool:
    return lower.least < upper.least and lower.share < upper.share


def under(model: Answers, temperature: float) -> Answers:
    """The same answers with the probabilities they have under a temperature."""
    scores, offsets = model.source.flat("scores")
    chances = tempered(scores, offsets, temperature)
    has = np.diff(offsets) > 0
    best = np.full(len(has), -np.inf)
    best[has] = chances[offsets[:-1][has]]
    return replace(model, confidence=best[model.rows])


def calibrate(model: Answers) -> Confidence:
    """The temperature for a model's answers, and what its probabilities are worth under it."""
    if model.confidence_is != "probability":
        raise UserError(f"the scores of {model.name} are not probabilities", where=model.path)
    scores, offsets = model.source.flat("scores")
    factor = fit_temperature(scores, offsets, model.place)
    found = under(model, factor)
    before = float(model.about.settings.get("temperature", 1.0))
    return Confidence(
        temperature=before * factor,
        corpus=model.about.corpus,
        split=model.about.split,
        questions=len(model),
        error=calibration_error(found.confidence, found.correct),
        levels=levels(found.confidence, found.correct),
    )


def error_on_unseen(model: Answers) -> float:
    """The calibration error of each half of the documents under the other half's temperature."""
    scores, offsets = model.source.flat("scores")
    held_out = model.documents % 2 == 0
    confidence = np.empty(len(model))
    for half in (held_out, ~held_out):
        factor = fit_temperature(scores, offsets, np.where(half, 0, model.place))
        confidence[half] = under(model, factor).confidence[half]
    return calibration_error(confidence, model.correct)

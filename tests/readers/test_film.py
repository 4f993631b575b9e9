"""How the Impatient Reader's answer changes from word to word of the question."""

import numpy as np
import torch

from cloze.ask.article import Asked, prepare_asked
from tests.ask.conftest import ARTICLE, QUESTION, capitals, random_reader
from tests.readers.cases import (
    batch_of,
    example,
    network_of,
    over_tokens,
    reader_config,
    weights_of,
)
from tests.readers.oracles import impatient

LENGTHS = [(9, 1), (23, 6), (17, 4)]


def test_every_step_is_the_papers_equations() -> None:
    config = reader_config("impatient", **impatient.CONFIGS["plain"])
    random = np.random.default_rng(5)
    network = network_of(config, seed=7)
    examples = [example(random, d, q) for d, q in LENGTHS]
    batch = batch_of(examples)
    with torch.no_grad():
        steps = network.film(batch)
    assert steps is not None
    for b, e in enumerate(examples):
        expected, _ = impatient.film(weights_of(network), config, e.document, e.query)
        for i, logits in enumerate(expected):
            found = over_tokens(steps[i].numpy(), batch, config)[b, 1:]
            np.testing.assert_allclose(found, logits[1:], rtol=1e-5, atol=1e-6)


def _asked(kind: str) -> tuple[np.ndarray | None, np.ndarray, int]:
    reader = random_reader(kind, 2)
    asked = Asked.of(ARTICLE, question=QUESTION)
    prepared = prepare_asked(asked, capitals(asked.to_tag))
    assert prepared.question is not None
    ranking = reader.answer_one(prepared.document, prepared.question)
    steps = reader.film(prepared.document, prepared.question, ranking)
    return steps, ranking.scores, len(prepared.question.query)


def test_the_film_ends_with_the_answer() -> None:
    steps, scores, words = _asked("impatient")
    assert steps is not None
    assert steps.shape == (words, len(scores))
    np.testing.assert_allclose(steps.sum(1), 1, rtol=1e-5)
    np.testing.assert_allclose(steps[-1], scores, rtol=1e-5)
    assert np.abs(steps[0] - scores).max() > 1e-3  # it did change on the way


def test_a_reader_that_reads_once_has_no_film() -> None:
    assert _asked("attentive")[0] is None

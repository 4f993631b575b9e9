"""Each network against the paper's equations in float64 NumPy: logits and attention."""

import numpy as np
import pytest

from cloze.readers.config import ReaderConfig
from tests.readers import oracle
from tests.readers.cases import batch_of, example, network_of, weights_of

CONFIGS = {
    "deep": ReaderConfig(kind="deep-lstm", hidden_size=5, embedding_size=7),
    "deep, full forget gate": ReaderConfig(kind="deep-lstm", hidden_size=5, forget_gate="full"),
    "deep, cqa, four layers": ReaderConfig(kind="deep-lstm", hidden_size=3, layers=4, feed="cqa"),
    "deep, one layer, tied": ReaderConfig(
        kind="deep-lstm", hidden_size=4, layers=1, tie_output=True
    ),
    "deep, tied by a bridge": ReaderConfig(kind="deep-lstm", hidden_size=4, tie_output=True),
    "attentive": ReaderConfig(kind="attentive", hidden_size=5, embedding_size=7),
    "attentive, sizes": ReaderConfig(
        kind="attentive", hidden_size=3, attention_size=11, joint_size=13
    ),
    "attentive, tied": ReaderConfig(kind="attentive", hidden_size=4, tie_output=True),
    "uniform": ReaderConfig(kind="uniform", hidden_size=5),
    "impatient": ReaderConfig(kind="impatient", hidden_size=5, embedding_size=7),
    "impatient, sizes": ReaderConfig(
        kind="impatient", hidden_size=3, attention_size=11, joint_size=13
    ),
}
LENGTHS = [(1, 1), (1, 5), (9, 1), (23, 6), (60, 12)]


@pytest.mark.parametrize("implementation", ["reference", "auto"])
@pytest.mark.parametrize("name", CONFIGS)
def test_network_is_the_paper(name: str, implementation: str) -> None:
    config = CONFIGS[name]
    random = np.random.default_rng(len(name))
    network = network_of(config, seed=7, implementation=implementation)
    examples = [example(random, d, q) for d, q in LENGTHS]
    logits, attention = network(batch_of(examples))
    for b, e in enumerate(examples):
        expected, s = oracle.logits_and_attention(weights_of(network), config, e.document, e.query)
        got = logits[b].detach().numpy()
        assert got[0] == -np.inf  # padding is no word
        scale = np.abs(expected[1:]).max()
        np.testing.assert_allclose(got[1:], expected[1:], rtol=1e-6, atol=1e-6 * scale)
        if s is None:
            assert attention is None
        else:
            looked = attention[b].detach().numpy()
            looked = looked[..., : len(e.document)]
            looked = looked if s.ndim == 1 else looked[: len(e.query)]
            np.testing.assert_allclose(looked, s, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", ["deep-lstm", "attentive", "impatient"])
def test_candidate_logits_are_rows_of_the_whole(kind: str) -> None:
    random = np.random.default_rng(3)
    batch = batch_of([example(random, d, q) for d, q in LENGTHS])
    whole = network_of(ReaderConfig(kind=kind, hidden_size=4))
    restricted = network_of(ReaderConfig(kind=kind, hidden_size=4, output="candidates"))
    all_logits, some = whole(batch)[0], restricted(batch)[0]
    assert some.shape == batch.candidates.shape
    for b in range(len(batch)):
        for place, token in enumerate(batch.candidates[b].tolist()):
            expected = all_logits[b, token].item() if token else float("-inf")
            assert some[b, place].item() == pytest.approx(expected)

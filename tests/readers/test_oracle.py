"""Each network against its equations in float64 NumPy: logits and attention."""

import importlib
from typing import Any

import numpy as np
import pytest
import torch

from tests.readers.cases import (
    KINDS,
    batch_of,
    example,
    network_of,
    outputs,
    over_tokens,
    reader_config,
    weights_of,
)

ORACLES: dict[str, Any] = {
    kind: importlib.import_module(f"tests.readers.oracles.{kind.replace('-', '_')}")
    for kind in KINDS
}
LENGTHS = [(1, 1), (1, 5), (9, 1), (23, 6), (60, 12)]


@pytest.mark.parametrize("implementation", ["reference", "auto"])
@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, own in ORACLES.items() for name in own.CONFIGS]
)
def test_network_is_the_paper(kind: str, name: str, implementation: str) -> None:
    config = reader_config(kind, **ORACLES[kind].CONFIGS[name])
    random = np.random.default_rng(len(kind + name))
    network = network_of(config, seed=7, implementation=implementation)
    examples = [example(random, d, q) for d, q in LENGTHS]
    batch = batch_of(examples)
    trained = over_tokens(network(batch)[0].detach().numpy(), batch, config)
    with torch.no_grad():  # an answer; a reader may take a shorter way to it
        logits, attention = network(batch)
    found = over_tokens(logits.numpy(), batch, config)
    for b, e in enumerate(examples):
        expected, s = ORACLES[kind].logits_and_attention(
            weights_of(network), config, e.document, e.query
        )
        assert found[b, 0] == -np.inf  # padding is not a word
        scale = np.abs(expected[1:][np.isfinite(expected[1:])]).max()
        np.testing.assert_allclose(found[b, 1:], expected[1:], rtol=1e-6, atol=1e-6 * scale)
        np.testing.assert_allclose(trained[b, 1:], expected[1:], rtol=1e-6, atol=1e-6 * scale)
        if s is None:
            assert attention is None
        else:
            looked = attention[b].detach().numpy()
            looked = looked[..., : len(e.document)]
            looked = looked if s.ndim == 1 else looked[: len(e.query)]
            np.testing.assert_allclose(looked, s, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if len(outputs(kind)) == 2])
def test_candidate_logits_are_rows_of_the_whole(kind: str) -> None:
    random = np.random.default_rng(3)
    batch = batch_of([example(random, d, q) for d, q in LENGTHS])
    whole = network_of(reader_config(kind=kind, hidden_size=4))
    restricted = network_of(reader_config(kind=kind, hidden_size=4, output="candidates"))
    all_logits, some = whole(batch)[0], restricted(batch)[0]
    assert some.shape == batch.candidates.shape
    for b in range(len(batch)):
        for place, token in enumerate(batch.candidates[b].tolist()):
            expected = all_logits[b, token].item() if token else float("-inf")
            assert some[b, place].item() == pytest.approx(expected)

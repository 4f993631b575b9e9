"""The first weights of every kind, as they were when the documented runs were made.

A seed in a config or in the docs means these weights: a change of the code that draws them must
not change them. `python -m tests.readers.test_first_weights` writes the file anew.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cloze.readers.registry import build, config_of

RECORDED = Path(__file__).parent / "golden" / "first-weights.json"
SIZE, SEED = 23, 5

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "sizes": {"embedding_size": 6},
    "memory": {"memory": 40, "forget_bias": 0.5},
    "normal": {"embedding_init": "normal", "embedding_scale": 1.0, "output_scale": 0.3},
    "uniform weights": {"recurrent_init": "uniform", "weight_scale": 0.05},
    "tied": {"tie_output": True},
    "tied by a bridge": {"tie_output": True, "embedding_size": 6},
    "candidates": {"output": "candidates", "memory": 40},
}
ATTENTION = {"attention and joint": {"attention_size": 5, "joint_size": 7, "tie_output": True}}
JOINT = {"joint": {"joint_size": 7, "tie_output": True}}
DEEP = {
    "three layers": {"layers": 3, "memory": 40},
    "one layer": {"layers": 1, "tie_output": True},
    "full forget gate": {"forget_gate": "full", "feed": "cqa", "embedding_size": 6},
}
CASES: dict[str, dict[str, dict[str, Any]]] = {
    "attentive": OPTIONS | ATTENTION,
    "uniform": OPTIONS | JOINT,
    "impatient": OPTIONS | ATTENTION,
    "deep-lstm": OPTIONS | DEEP,
}


def first_weights(kind: str, options: dict[str, Any]) -> dict[str, list[Any]]:
    """Each parameter's shape, a sum that depends on every value, and a hash of its bytes."""
    config = config_of({"kind": kind, "hidden_size": 4, **options})
    network = build(config, SIZE, seed=SEED)
    return {name: _summary(weight.detach()) for name, weight in network.named_parameters()}


def _summary(weight: torch.Tensor) -> list[Any]:
    values = weight.numpy().astype("<f4")
    flat = values.ravel().astype("f8")
    weighted = float(flat @ np.linspace(1.0, 2.0, flat.size))
    return [list(values.shape), weighted, hashlib.sha256(values.tobytes()).hexdigest()[:16]]


def record() -> dict[str, Any]:
    return {
        kind: {name: first_weights(kind, options) for name, options in cases.items()}
        for kind, cases in CASES.items()
    }


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, cases in CASES.items() for name in cases]
)
def test_a_seed_means_the_same_weights_as_ever(kind: str, name: str) -> None:
    before = json.loads(RECORDED.read_text())[kind][name]
    now = first_weights(kind, CASES[kind][name])
    assert now.keys() == before.keys()
    for parameter, (shape, weighted, sha256) in now.items():
        was_shape, was_weighted, was_sha256 = before[parameter]
        assert shape == was_shape, parameter
        assert weighted == pytest.approx(was_weighted, abs=1e-5), parameter
        # An orthogonal matrix comes from LAPACK, whose last bit differs between machines.
        if not parameter.endswith("recurrent"):
            assert sha256 == was_sha256, parameter


if __name__ == "__main__":
    lines = (
        f'"{kind}": {{\n'
        + ",\n".join(f' "{name}": {json.dumps(found)}' for name, found in cases.items())
        + "\n}"
        for kind, cases in record().items()
    )
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")

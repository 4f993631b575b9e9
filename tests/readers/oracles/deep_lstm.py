from typing import Any

import numpy as np

from tests.readers.oracles.equations import Weights, by_gate, lstm, softmax_over_words

DELIMITER_ID = 3
CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"hidden_size": 5, "embedding_size": 7},
    "full forget gate": {"hidden_size": 5, "forget_gate": "full"},
    "cqa, four layers": {"hidden_size": 3, "layers": 4, "feed": "cqa"},
    "one layer, tied": {"hidden_size": 4, "layers": 1, "tie_output": True},
    "tied by a bridge": {"hidden_size": 4, "tie_output": True},
}


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, None]:
    first, second = (query, document) if config.feed == "qca" else (document, query)
    x = [w["embedding.weight"][token] for token in [*first, DELIMITER_ID, *second]]
    below: list[np.ndarray] | None = None
    y = []
    for k in range(config.layers):
        name = f"layers.{k}"
        W = by_gate(w[f"{name}.W_x.weight"])
        inputs = forget_inputs = x
        if below is not None:
            inputs = [np.concatenate([x_t, b_t]) for x_t, b_t in zip(x, below, strict=True)]  # x'
            printed = config.forget_gate == "printed"
            forget_inputs = x if printed else inputs
            W_below = by_gate(w[f"{name}.W_below"], "ico" if printed else "ifco")
            W |= {gate: np.hstack([W[gate], W_below[gate]]) for gate in W_below}
        h = lstm(
            inputs,
            forget_inputs,
            W,
            by_gate(w[f"{name}.W_x.bias"]),
            w[f"{name}.lstm.recurrent"][0],
            w[f"{name}.lstm.peepholes"][0],
        )
        below = [w[f"{name}.W_y.weight"] @ h_t + w[f"{name}.W_y.bias"] for h_t in h]
        y.append(below[-1])
    return softmax_over_words(w, config, np.concatenate(y)), None

"""What the readers of the paper share, in plain float64 NumPy, written from its equations.

Each file beside this one is a reader: `logits_and_attention` for one example, without batches or
padding, sharing nothing with the network but the names of its weights; and `CONFIGS`, the settings
under which the network is compared with it.
"""

from typing import Any

import numpy as np

Weights = dict[str, np.ndarray]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def lstm(
    inputs: list[np.ndarray],
    forget_inputs: list[np.ndarray],
    W: dict[str, np.ndarray],  # W_x and b by gate; the forget gate may read something else
    b: dict[str, np.ndarray],
    recurrent: np.ndarray,
    peepholes: np.ndarray,
) -> list[np.ndarray]:
    """h(1), ..., h(T) of the equations of section 3.2."""
    size = recurrent.shape[1]
    W_h = {gate: recurrent[k * size : (k + 1) * size] for k, gate in enumerate("ifco")}
    w_ci, w_cf, w_co = peepholes
    h, c = np.zeros(size), np.zeros(size)
    outputs = []
    for x, x_f in zip(inputs, forget_inputs, strict=True):
        i = sigmoid(W["i"] @ x + W_h["i"] @ h + w_ci * c + b["i"])
        f = sigmoid(W["f"] @ x_f + W_h["f"] @ h + w_cf * c + b["f"])
        c = f * c + i * np.tanh(W["c"] @ x + W_h["c"] @ h + b["c"])
        o = sigmoid(W["o"] @ x + W_h["o"] @ h + w_co * c + b["o"])
        h = o * np.tanh(c)
        outputs.append(h)
    return outputs


def by_gate(stacked: np.ndarray, gates: str = "ifco") -> dict[str, np.ndarray]:
    return dict(zip(gates, np.split(stacked, len(gates)), strict=True))


def bidirectional(w: Weights, name: str, tokens: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The forward and backward outputs, each [T, H], both in the order of the tokens."""
    x = [w["embedding.weight"][token] for token in tokens]
    directions = []
    for d, order in enumerate((slice(None), slice(None, None, -1))):
        W_x = np.split(w[f"{name}.lstm.W_x"], 2)[d]
        bias = np.split(w[f"{name}.lstm.bias"], 2)[d]
        h = lstm(
            x[order],
            x[order],
            by_gate(W_x),
            by_gate(bias),
            w[f"{name}.lstm.recurrent"][d],
            w[f"{name}.lstm.peepholes"][d],
        )
        directions.append(np.array(h[order]))
    return directions[0], directions[1]


def softmax_over_words(w: Weights, config: Any, g: np.ndarray) -> np.ndarray:
    """W(a) g(d, q) for every word a."""
    if config.tie_output and "answer.bridge.weight" in w:
        g = w["answer.bridge.weight"] @ g
    W = w["embedding.weight"] if config.tie_output else w["answer.weight"]
    return np.array([row @ g for row in W])

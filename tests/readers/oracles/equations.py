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


def gru(inputs: list[np.ndarray], w: Weights, name: str, end: str) -> list[np.ndarray]:
    """h(1), ..., h(T) of PyTorch's GRU in one direction."""
    W_r, W_z, W_n = np.split(w[f"{name}.gru.weight_ih_l0{end}"], 3)
    U_r, U_z, U_n = np.split(w[f"{name}.gru.weight_hh_l0{end}"], 3)
    b_r, b_z, b_n = np.split(w[f"{name}.gru.bias_ih_l0{end}"], 3)
    c_r, c_z, c_n = np.split(w[f"{name}.gru.bias_hh_l0{end}"], 3)
    h = np.zeros(len(b_r))
    outputs = []
    for x in inputs:
        r = sigmoid(W_r @ x + b_r + U_r @ h + c_r)
        z = sigmoid(W_z @ x + b_z + U_z @ h + c_z)
        n = np.tanh(W_n @ x + b_n + r * (U_n @ h + c_n))
        h = (1 - z) * n + z * h
        outputs.append(h)
    return outputs


def bidirectional(w: Weights, name: str, tokens: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The forward and backward outputs, each [T, H], both in the order of the tokens."""
    return read_both_ways(w, name, [w["embedding.weight"][token] for token in tokens])


def read_both_ways(w: Weights, name: str, x: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    directions = []
    for d, order in enumerate((slice(None), slice(None, None, -1))):
        if f"{name}.gru.weight_ih_l0" in w:
            h = gru(x[order], w, name, ("", "_reverse")[d])
        else:
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

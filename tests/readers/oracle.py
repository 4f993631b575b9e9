"""The readers in plain float64 NumPy, written from the equations of the paper, one example at a
time: no batches, no padding, nothing shared with the networks but the names of their weights.
"""

import numpy as np

from cloze.readers.config import ReaderConfig

Weights = dict[str, np.ndarray]
DELIMITER_ID = 3


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def logits_and_attention(
    w: Weights, config: ReaderConfig, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray | None]:
    """W(a) g(d, q) for every word a but padding, and s."""
    g, s = {
        "deep-lstm": deep_lstm,
        "attentive": attentive,
        "uniform": attentive,
        "impatient": impatient,
    }[config.kind](w, config, document, query)
    if config.tie_output and "answer.bridge.weight" in w:
        g = w["answer.bridge.weight"] @ g
    W = w["embedding.weight"] if config.tie_output else w["answer.weight"]
    return np.array([W[a] @ g for a in range(len(W))]), s


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
    """The forward and the backward outputs, each [T, H], the latter at its tokens' places."""
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


def attentive(
    w: Weights, config: ReaderConfig, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    forward_q, backward_q = bidirectional(w, "query_encoder", query)
    u = np.concatenate([forward_q[-1], backward_q[0]])
    y_d = np.concatenate(bidirectional(w, "document_encoder", document), axis=1)  # [T, 2H]
    if config.kind == "uniform":
        s = np.full(len(document), 1.0 / len(document))
    else:
        W_ym, W_um = w["W_ym.weight"], w["W_um.weight"]
        m = [np.tanh(W_ym @ y + W_um @ u) for y in y_d]
        s = softmax(np.array([w["w_ms.weight"][0] @ m_t for m_t in m]))
    r = sum(s_t * y for s_t, y in zip(s, y_d, strict=True))
    return np.tanh(w["W_rg.weight"] @ r + w["W_ug.weight"] @ u), s


def impatient(
    w: Weights, config: ReaderConfig, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    forward_q, backward_q = bidirectional(w, "query_encoder", query)
    u = np.concatenate([forward_q[-1], backward_q[0]])
    y_q = np.concatenate([forward_q, backward_q], axis=1)
    y_d = np.concatenate(bidirectional(w, "document_encoder", document), axis=1)
    r = w["r_0"]
    rows = []
    for y_q_i in y_q:
        c = w["W_rm.weight"] @ r + w["W_qm.weight"] @ y_q_i
        m = [np.tanh(w["W_dm.weight"] @ y + c) for y in y_d]
        s = softmax(np.array([w["w_ms.weight"][0] @ m_t for m_t in m]))
        r = y_d.T @ s + np.tanh(w["W_rr.weight"] @ r)
        rows.append(s)
    return np.tanh(w["W_rg.weight"] @ r + w["W_qg.weight"] @ u), np.array(rows)


def deep_lstm(
    w: Weights, config: ReaderConfig, document: list[int], query: list[int]
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
    return np.concatenate(y), None

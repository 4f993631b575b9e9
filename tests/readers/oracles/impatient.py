from typing import Any

import numpy as np

from tests.readers.oracles.equations import Weights, bidirectional, softmax, softmax_over_words

CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"hidden_size": 5, "embedding_size": 7},
    "sizes": {"hidden_size": 3, "attention_size": 11, "joint_size": 13},
}


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    every, rows = film(w, config, document, query)
    return every[-1], rows


def film(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[list[np.ndarray], np.ndarray]:
    """The logits if the rereading stopped after each token of the query."""
    forward_q, backward_q = bidirectional(w, "query_encoder", query)
    u = np.concatenate([forward_q[-1], backward_q[0]])
    y_q = np.concatenate([forward_q, backward_q], axis=1)
    y_d = np.concatenate(bidirectional(w, "document_encoder", document), axis=1)
    r = w["r_0"]
    rows, logits = [], []
    for y_q_i in y_q:
        c = w["W_rm.weight"] @ r + w["W_qm.weight"] @ y_q_i
        m = [np.tanh(w["W_dm.weight"] @ y + c) for y in y_d]
        s = softmax(np.array([w["w_ms.weight"][0] @ m_t for m_t in m]))
        r = y_d.T @ s + np.tanh(w["W_rr.weight"] @ r)
        rows.append(s)
        g = np.tanh(w["W_rg.weight"] @ r + w["W_qg.weight"] @ u)
        logits.append(softmax_over_words(w, config, g))
    return logits, np.array(rows)

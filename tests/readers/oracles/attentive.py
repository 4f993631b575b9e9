from typing import Any

import numpy as np

from tests.readers.oracles.equations import Weights, bidirectional, softmax, softmax_over_words

CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"hidden_size": 5, "embedding_size": 7},
    "sizes": {"hidden_size": 3, "attention_size": 11, "joint_size": 13},
    "tied": {"hidden_size": 4, "tie_output": True},
}


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    forward_q, backward_q = bidirectional(w, "query_encoder", query)
    u = np.concatenate([forward_q[-1], backward_q[0]])
    y_d = np.concatenate(bidirectional(w, "document_encoder", document), axis=1)  # [T, 2H]
    W_ym, W_um = w["W_ym.weight"], w["W_um.weight"]
    m = [np.tanh(W_ym @ y + W_um @ u) for y in y_d]
    s = softmax(np.array([w["w_ms.weight"][0] @ m_t for m_t in m]))
    r = sum(s_t * y for s_t, y in zip(s, y_d, strict=True))
    g = np.tanh(w["W_rg.weight"] @ r + w["W_ug.weight"] @ u)
    return softmax_over_words(w, config, g), s

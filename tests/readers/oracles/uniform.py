from typing import Any

import numpy as np

from tests.readers.oracles.equations import Weights, bidirectional, softmax_over_words

CONFIGS: dict[str, dict[str, Any]] = {"plain": {"hidden_size": 5}}


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    forward_q, backward_q = bidirectional(w, "query_encoder", query)
    u = np.concatenate([forward_q[-1], backward_q[0]])
    y_d = np.concatenate(bidirectional(w, "document_encoder", document), axis=1)  # [T, 2H]
    g = np.tanh(w["W_rg.weight"] @ y_d.mean(0) + w["W_ug.weight"] @ u)
    return softmax_over_words(w, config, g), np.full(len(document), 1.0 / len(document))

from typing import Any

import numpy as np

from tests.readers.oracles.attention_sum import FIRST_MARKER, POOL
from tests.readers.oracles.equations import Weights, bidirectional, softmax, softmax_over_words

CONFIGS: dict[str, dict[str, Any]] = {
    "gru": {"hidden_size": 5, "embedding_size": 7},
    "lstm": {"hidden_size": 4, "cell": "lstm"},
    "tied": {"hidden_size": 3, "embedding_size": 4, "tie_output": True},
}


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    forward_q, backward_q = bidirectional(w, "query_encoder", query)
    u = np.concatenate([forward_q[-1], backward_q[0]])
    y_d = np.concatenate(bidirectional(w, "document_encoder", document), axis=1)
    s = softmax(np.array([u @ w["W_s.weight"] @ y for y in y_d]))
    o = sum(s_t * y for s_t, y in zip(s, y_d, strict=True))
    logits = softmax_over_words(w, config, o)
    mentioned = {token for token in document if FIRST_MARKER <= token < FIRST_MARKER + POOL}
    return np.array([x if a in mentioned else -np.inf for a, x in enumerate(logits)]), s

from typing import Any

import numpy as np

from tests.readers.oracles.equations import Weights, bidirectional, softmax

FIRST_MARKER, POOL = 4, 6
CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"hidden_size": 5},
    "sizes": {"hidden_size": 3, "embedding_size": 7},
    "gru": {"hidden_size": 5, "embedding_size": 7, "cell": "gru"},
}


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    forward_q, backward_q = bidirectional(w, "query_encoder", query)
    u = np.concatenate([forward_q[-1], backward_q[0]])
    y_d = np.concatenate(bidirectional(w, "document_encoder", document), axis=1)
    scores = y_d @ u
    return by_mentions(w, scores, document), softmax(scores)


def by_mentions(w: Weights, scores: np.ndarray, document: list[int]) -> np.ndarray:
    logits = np.full(len(w["embedding.weight"]), -np.inf)
    for marker in range(FIRST_MARKER, FIRST_MARKER + POOL):
        mentions = [t for t, token in enumerate(document) if token == marker]
        if mentions:
            logits[marker] = np.log(sum(np.exp(scores[t]) for t in mentions))
    return logits

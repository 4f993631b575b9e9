from typing import Any

import numpy as np

from tests.readers.oracles.attention_sum import by_mentions
from tests.readers.oracles.equations import Weights, read_both_ways, softmax

GAP = 2
CONFIGS: dict[str, dict[str, Any]] = {
    "three hops": {"hidden_size": 3, "embedding_size": 5},
    "one hop": {"hidden_size": 4, "hops": 1},
    "common words": {"hidden_size": 3, "hops": 2, "common_words": True},
    "one hop, common words": {"hidden_size": 3, "hops": 1, "common_words": True},
    "lstm": {"hidden_size": 3, "embedding_size": 4, "cell": "lstm", "hops": 2},
}


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    x = [w["embedding.weight"][token] for token in document]
    x_q = [w["embedding.weight"][token] for token in query]
    for k in range(config.hops):
        last = k == config.hops - 1
        if last and config.common_words:
            x = [np.append(v, float(t in query)) for v, t in zip(x, document, strict=True)]
        D = np.concatenate(read_both_ways(w, f"document_encoders.{k}", x), axis=1)
        Q = np.concatenate(read_both_ways(w, f"query_encoders.{k}", x_q), axis=1)
        if not last:
            x = [d * (Q.T @ softmax(Q @ d)) for d in D]
    scores = D @ Q[query.index(GAP)]
    return by_mentions(w, scores, document), softmax(scores)

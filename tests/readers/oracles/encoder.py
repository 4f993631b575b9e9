from math import erf, log
from typing import Any

import numpy as np

from tests.readers.oracles.equations import Weights, softmax

FIRST_MARKER, POOL, GAP = 4, 6, 2
CONFIGS: dict[str, dict[str, Any]] = {
    "as BERT": {"hidden_size": 8, "heads": 2, "layers": 2, "inner_size": 12},
    "as MPNet": {"hidden_size": 6, "heads": 3, "relative_buckets": 32, "separators": 2},
    "texts apart": {"hidden_size": 6, "heads": 2, "texts": "apart"},
    "in windows": {"hidden_size": 4, "layers": 1, "positions": 32, "separators": 2},
    "apart, in windows": {"hidden_size": 4, "layers": 1, "positions": 32, "texts": "apart"},
}


def normalised(w: Weights, name: str, x: np.ndarray, epsilon: float) -> np.ndarray:
    centred = x - x.mean(1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(1, keepdims=True) + epsilon)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def linear(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def bucket(distance: int) -> int:
    """32 buckets as in T5 and MPNet: 16 per side, single steps up to 8, logarithms up to 128."""
    n = abs(distance)
    near = n if n < 8 else min(15, 8 + int(log(n / 8) / log(16) * 8))
    return near + (16 if distance > 0 else 0)


def transformed(
    w: Weights, config: Any, x: np.ndarray, at: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """h(1), ..., h(T): attention and an inner layer, each added and normalised, layer by layer; and
    the last layer's attention [T, T], the mean over its heads."""
    length, size = x.shape
    heads, eps = config.heads or 1, config.norm_epsilon
    x = normalised(w, "body.norm", x + w["body.position.weight"][at], eps)
    for k in range(config.layers):
        name = f"body.layers.{k}"
        q, key, v = np.split(linear(w, f"{name}.qkv", x), 3, axis=1)
        read, looked = [], np.zeros((length, length))
        for head in range(heads):
            own = slice(head * size // heads, (head + 1) * size // heads)
            scores = q[:, own] @ key[:, own].T / np.sqrt(size // heads)
            if config.relative_buckets:
                for i in range(length):
                    for j in range(length):
                        scores[i, j] += w["body.relative.weight"][bucket(j - i), head]
            weights = np.stack([softmax(row) for row in scores])
            looked += weights / heads
            read.append(weights @ v[:, own])
        x = normalised(w, f"{name}.n1", x + linear(w, f"{name}.o", np.hstack(read)), eps)
        inner = linear(w, f"{name}.up", x)
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))  # GELU
        x = normalised(w, f"{name}.n2", x + linear(w, f"{name}.down", inner), eps)
    return x, looked


def logits_and_attention(
    w: Weights, config: Any, document: list[int], query: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    begin, end = w["signs.weight"]
    apart = config.texts == "apart"
    beside = 0 if apart else config.separators + len(query)
    room = min(len(document), config.positions - 2 - beside)
    stride = max(1, room - room // 4)
    starts = [*range(0, len(document) - room, stride), len(document) - room]
    scores, seen = np.full(len(document), -np.inf), np.zeros(len(document))
    for start in starts:  # windows; there is only one unless the text is long
        texts = [w["embedding.weight"][t] for t in query]
        article = [w["embedding.weight"][t] for t in document[start : start + room]]
        if apart:
            article_side, query_side = w["sides.weight"]
            asked = np.array([begin, *texts, end]) + query_side
            x = np.vstack([asked, np.array([begin, *article, end]) + article_side])
            h, looked = transformed(w, config, x, [*range(len(query) + 2), *range(room + 2)])
        else:
            x = np.array([begin, *texts, *[end] * config.separators, *article, end])
            h, looked = transformed(w, config, x, list(range(len(x))))
        gap = h[1 + query.index(GAP)]
        seen[start : start + room] += looked[1 + query.index(GAP)][-1 - room : -1]
        h = h[-1 - room : -1]
        found = h @ (w["W.weight"] @ gap) + h @ w["v.weight"][0]
        scores[start : start + room] = np.maximum(scores[start : start + room], found)
    logits = np.full(len(w["embedding.weight"]), -np.inf)
    for marker in range(FIRST_MARKER, FIRST_MARKER + POOL):
        mentions = [t for t, token in enumerate(document) if token == marker]
        if mentions:
            logits[marker] = np.log(sum(np.exp(scores[t]) for t in mentions))
    pointed = np.array([FIRST_MARKER <= t < FIRST_MARKER + POOL for t in document])
    pointer = softmax(np.where(pointed, scores, -np.inf))
    return logits, (pointer + seen / seen.sum()) / 2

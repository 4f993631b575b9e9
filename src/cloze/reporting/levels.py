"""Attention as levels of colour, for every heat map: on a page, in a picture, in the terminal.

The pages do the same in templates/heatmap.js, for attention that comes as weights.
"""

from dataclasses import dataclass

import numpy as np

from cloze.text import Text


@dataclass(frozen=True)
class Levels:
    """Attention in 256 levels: level = 255 √(weight / peak), so that faint weights are visible."""

    levels: np.ndarray  # uint8 [steps, tokens]
    peak: float  # the weight of level 255, over all steps
    spread: list[float]  # for each step, over how many tokens the attention is spread


def quantise(attention: np.ndarray) -> Levels:
    """attention: [tokens] or [steps, tokens], each row summing to one.

    The darkest level is the highest weight, but at least twenty times uniform attention: a reader
    that glances everywhere must not look as if it stared everywhere. The spread is the perplexity
    of a row: 1 if all attention is on one token, the number of tokens if it is uniform.
    """
    weights = np.atleast_2d(np.asarray(attention, np.float64))
    uniform = 1 / max(weights.shape[1], 1)
    peak = max(float(weights.max(initial=0.0)), min(1.0, 20 * uniform))
    levels = np.round(255 * np.sqrt(np.clip(weights, 0, None) / peak))
    totals = weights.sum(axis=1, keepdims=True)
    shares = weights / np.where(totals > 0, totals, 1.0)
    entropy = -(shares * np.log(np.maximum(shares, 1e-12))).sum(axis=1)
    return Levels(levels.astype(np.uint8), peak, np.exp(entropy).tolist())


def excerpt(text: Text, levels: np.ndarray, most: int) -> list[int]:
    """The tokens of the sentences with the highest peaks over all steps, in their order."""
    peaks = levels.max(axis=0)
    ranked = sorted(text.sentences(), key=lambda places: -int(peaks[places].max()))
    chosen: list[int] = []
    for places in ranked:
        if chosen and len(chosen) + places.stop - places.start > most:
            break
        chosen += range(places.start, places.stop)
    return sorted(chosen)

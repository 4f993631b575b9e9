"""Texts and attention made small enough to live inside a page.

A text is its surfaces in one string, its spacing as digits and its markers as pairs; what the
page can work out (the lower-cased words) is not stored. Attention is one byte a token. Both
are compressed, and the page unpacks only what is looked at.
"""

import base64
import gzip
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from cloze.text import A_WORD, THE_GAP, Text


def pack_text(text: Text) -> dict[str, Any]:
    """
    >>> pack_text(Text(["the", "@entity4", "host"], ["The", "Top Gear", "host"], [1, 1, 0]))
    {'w': 'The\\tTop Gear\\thost', 'k': '110', 'm': [1, 4]}
    """
    markers: list[int] = []
    odd: list[Any] = []  # words that are not their surface in lower case
    for place, (surface, marker, _) in enumerate(text.words()):
        if marker != A_WORD:
            markers += [place, -1 if marker == THE_GAP else marker]
        elif text.tokens[place] != surface.lower():
            odd += [place, text.tokens[place]]
    packed: dict[str, Any] = {
        "w": "\t".join(surface.replace("\t", " ") for surface in text.surfaces),
        "k": "".join(map(str, text.spacing)),
        "m": markers,
    }
    return packed | ({"o": odd} if odd else {})


@dataclass(frozen=True)
class Levels:
    """Attention in 256 levels: level = 255 √(weight / peak), so that faint weights are seen."""

    levels: np.ndarray  # uint8 [steps, tokens]
    peak: float  # the weight of level 255, over all steps
    spread: list[float]  # for each step, over how many tokens the attention is spread

    def pack(self) -> dict[str, Any]:
        return {
            "steps": len(self.levels),
            "peak": round(self.peak, 5),
            "spread": [round(x, 1) for x in self.spread],
            "z": compress(self.levels.tobytes()),
        }


def quantise(attention: np.ndarray) -> Levels:
    """attention: [tokens] or [steps, tokens], each row summing to one.

    The darkest level is the highest weight, but never less than twenty times what uniform
    attention would be: a reader that looks everywhere must not look as if it stared everywhere.
    The spread is the perplexity of a row: 1 where all attention is on one token, the number of
    tokens where it is uniform.
    """
    weights = np.atleast_2d(np.asarray(attention, np.float64))
    uniform = 1 / max(weights.shape[1], 1)
    peak = max(float(weights.max(initial=0.0)), min(1.0, 20 * uniform))
    levels = np.round(255 * np.sqrt(np.clip(weights, 0, None) / peak))
    totals = weights.sum(axis=1, keepdims=True)
    shares = weights / np.where(totals > 0, totals, 1.0)
    entropy = -(shares * np.log(np.maximum(shares, 1e-12))).sum(axis=1)
    return Levels(levels.astype(np.uint8), peak, np.exp(entropy).tolist())


def compress(data: bytes) -> str:
    """Base64 of gzip, which browsers read without a library; the same bytes give the same text."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def array_text(values: np.ndarray) -> str:
    """Base64 of a little-endian array, for the page's typed arrays."""
    little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def data_link(name: str, text: str, label: str) -> str:
    """A link in the page that saves a file which the page itself holds."""
    data = base64.b64encode(text.encode()).decode("ascii")
    return f'<a download="{name}" href="data:text/plain;base64,{data}">{label}</a>'


def json_for_page(value: Any) -> str:
    """JSON that may stand inside a script element, whatever the texts contain."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

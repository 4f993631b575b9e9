"""Make texts and attention small enough to fit into a page.

A text is its surfaces in one string, its spacing as digits and its markers as pairs; what the
page can work out (the lower-cased words) is not stored. Attention is one byte per token. Both
are compressed, and the page unpacks only what is looked at.
"""

import base64
import gzip
import json
from typing import Any

import numpy as np

from cloze.reporting.levels import Levels
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


def pack_levels(levels: Levels) -> dict[str, Any]:
    return {
        "steps": len(levels.levels),
        "peak": round(levels.peak, 5),
        "spread": [round(x, 1) for x in levels.spread],
        "z": compress(levels.levels.tobytes()),
    }


def compress(data: bytes) -> str:
    """Base64 of gzip, which browsers read without a library; the same bytes give the same text."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def array_text(values: np.ndarray) -> str:
    """Base64 of a little-endian array, for the page's typed arrays."""
    little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def json_for_page(value: Any) -> str:
    """JSON that is safe inside a script element, whatever the texts contain."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

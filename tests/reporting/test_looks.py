"""Colours that can be told apart from each other and from the page, by day and by night."""

import re
from importlib.resources import files
from itertools import combinations

import pytest

from cloze.reporting.looks import _PAPER, _SPARE

LEAST = 24  # of CIE76's distance; 2 can just be seen side by side
STYLE = (files("cloze.reporting") / "templates" / "base.css").read_text(encoding="utf-8")
LIGHT, _, DARK = STYLE.partition("prefers-color-scheme: dark")
COLOURS = [*(look.colour for look in _PAPER.values()), *_SPARE]


def paper(style: str) -> str:
    found = re.search(r"--paper: (#\w{6})", style)
    assert found
    return found[1]


def in_the_dark(colour: str) -> str:
    found = re.search(rf"--c{colour[1:]}: (#\w{{6}})", DARK)
    assert found, f"{colour} has no colour for the dark"
    return found[1]


def lab(colour: str) -> tuple[float, float, float]:
    """CIELAB of an sRGB colour under D65."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    a, c, d = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * c - 16, 500 * (a - c), 200 * (c - d)


def apart(one: str, other: str) -> float:
    return sum((p - q) ** 2 for p, q in zip(lab(one), lab(other), strict=True)) ** 0.5


@pytest.mark.parametrize(
    ("colours", "background"),
    [(COLOURS, paper(LIGHT)), ([in_the_dark(c) for c in COLOURS], paper(DARK))],
    ids=["light", "dark"],
)
def test_colours_differ(colours: list[str], background: str) -> None:
    assert min(apart(*pair) for pair in combinations(colours, 2)) >= LEAST
    assert min(apart(colour, background) for colour in colours) >= 1.4 * LEAST

"""What the page unpacks is what was packed."""

import base64
import gzip
import json

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cloze.reporting.levels import quantise
from cloze.reporting.packing import array_text, json_for_page, pack_levels, pack_text
from cloze.text import PLACEHOLDER, Text

WORD = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)
TOKEN = st.one_of(
    WORD.map(lambda word: (word.lower(), word)),
    st.tuples(WORD, WORD),
    st.tuples(st.integers(0, 600).map("@entity{}".format), WORD),
    WORD.map(lambda word: (PLACEHOLDER, word)),
)


def _unpack(packed: dict) -> tuple[list[str], list[str], list[int]]:
    """The page's own rule (templates/heatmap.js), repeated in Python."""
    surfaces = packed["w"].split("\t") if packed["k"] else []
    tokens = [surface.lower() for surface in surfaces]
    pairs = zip(packed["m"][::2], packed["m"][1::2], strict=True)
    for place, marker in pairs:
        tokens[place] = PLACEHOLDER if marker < 0 else f"@entity{marker}"
    odd = packed.get("o", [])
    for place, token in zip(odd[::2], odd[1::2], strict=True):
        tokens[place] = token
    return tokens, surfaces, [int(k) for k in packed["k"]]


@given(st.lists(st.tuples(TOKEN, st.integers(0, 2)), max_size=12))
def test_texts_come_back(words: list[tuple[tuple[str, str], int]]) -> None:
    text = Text([t for (t, _), _ in words], [s for (_, s), _ in words], [k for _, k in words])
    packed = json.loads(json.dumps(pack_text(text)))
    assert _unpack(packed) == (text.tokens, text.surfaces, text.spacing)


@given(arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 20)),
              elements=st.floats(0, 1, width=32)))  # fmt: skip
@example(np.array([[2.0**-52]], np.float32))
def test_attention_keeps_its_shape(weights: np.ndarray) -> None:
    found = quantise(weights)
    raw = gzip.decompress(base64.b64decode(pack_levels(found)["z"]))
    levels = np.frombuffer(raw, np.uint8).reshape(weights.shape)
    back = (levels / 255) ** 2 * found.peak
    # Half a level is at most peak / 255 in weight.
    np.testing.assert_allclose(back, weights, atol=found.peak / 255 + 1e-7)
    assert all(0.99 <= spread <= weights.shape[1] * 1.001 for spread in found.spread)


def test_spread_is_one_on_one_token_and_all_when_uniform() -> None:
    found = quantise(np.array([[1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]))
    assert np.round(found.spread, 6).tolist() == [1, 4]


def test_nothing_closes_the_script_element() -> None:
    text = json_for_page({"w": "</script><!-- \u2028"})
    assert "<" not in text
    assert json.loads(text) == {"w": "</script><!-- \u2028"}


def test_arrays_are_little_endian() -> None:
    raw = base64.b64decode(array_text(np.array([1, -1], ">i2")))
    assert raw == b"\x01\x00\xff\xff"

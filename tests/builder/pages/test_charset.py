"""No page and no label, however wrong, is an error."""

from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze.builder.pages.charset import decoded

LABELS = st.sampled_from(sorted({*aliases, *aliases.values(), "unicode_escape", "idna"}))


@given(st.binary(max_size=200), st.none() | LABELS | st.text(max_size=20))
def test_anything_becomes_text(content: bytes, label: str | None) -> None:
    assert isinstance(decoded(content, label), str)
    labelled = f"<meta charset={label}>".encode("utf-8", "replace") + content
    assert isinstance(decoded(labelled, None), str)


@pytest.mark.parametrize("label", [None, "utf-8", "iso-8859-1", "shift_jis", "utf-16", "nonsense"])
@given(text=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\x1b\ufeff")))
def test_utf_8_is_never_taken_for_anything_else(label: str | None, text: str) -> None:
    assert decoded(b"<p>" + text.encode(), label) == f"<p>{text}"

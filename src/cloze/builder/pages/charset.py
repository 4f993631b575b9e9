"""The text of a page, whatever it says about its encoding.

Labels are often wrong, and UTF-8 is not found by chance: what decodes as UTF-8 is UTF-8. Otherwise
a label is believed if the bytes agree, the server's before the page's own. What is left is read as
Windows-1252, as browsers do.
"""

import codecs
import re

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_IN_PAGE = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I)
_HEAD = 2048  # bytes in which a page must name its encoding
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_LAST = "windows-1252"
# Pages that call themselves one of these use the characters that only Windows-1252 has.
_MEANS = {"iso8859-1": _LAST, "ascii": _LAST, "latin-1": _LAST}

_OF_PYTHON = {"unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"}


def decoded(content: bytes, label: str | None) -> str:
    """
    >>> decoded("Zoë’s café".encode("windows-1252"), "utf-8")
    'Zoë’s café'
    >>> decoded(b"Zo\\xc3\\xab", "iso-8859-1")
    'Zoë'
    """
    text = _text(content, label)
    return _DECLARATION.sub("", text)  # it names an encoding, and this is text now


def _text(content: bytes, label: str | None) -> str:
    for mark, marked in _MARKS.items():
        if content.startswith(mark):
            return content[len(mark) :].decode(marked, "replace")
    named = _IN_PAGE.search(content[:_HEAD])
    labels = [label, named[1].decode("ascii", "replace") if named else None]
    shifts = b"\0" in content or b"\x1b" in content  # UTF-16 or ISO-2022, which pass for ASCII
    for encoding in (*labels, "utf-8") if shifts else ("utf-8", *labels):
        known = _known(encoding)
        if known is not None:
            try:
                return content.decode(known)
            except UnicodeError:
                continue
    return content.decode(_LAST, "replace")


def _known(label: str | None) -> str | None:
    """The name of a text encoding that Python has; `rot13` and `zip` are none."""
    try:
        found = codecs.lookup(label or "")
    except (LookupError, ValueError):
        return None
    if not getattr(found, "_is_text_encoding", True) or found.name in _OF_PYTHON:
        return None
    return _MEANS.get(found.name, found.name)

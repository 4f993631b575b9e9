"""Files of word lists: `# heading` and, below it, words or entries on as many lines as it takes."""

import re
from importlib.resources import files


def sections(name: str) -> dict[str, str]:
    """The text below each heading of a file of this folder, on one line."""
    text = (files("cloze.newsroom") / name).read_text(encoding="utf-8")
    _, *parts = re.split(r"^# (.*)\n", text, flags=re.M)
    return {
        heading: " ".join(body.split())
        for heading, body in zip(parts[::2], parts[1::2], strict=True)
    }

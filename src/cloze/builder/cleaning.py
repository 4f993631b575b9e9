"""Site furniture, cleaned by named rules.

A rule blanks what it removes, character for character, so that spans computed on the original text
still point at the right words.
"""

import re
from collections.abc import Callable

Rule = Callable[[str], str]

_PLACE = r"[A-Z][\w.'’-]*(?:,? (?:[A-Z][\w.'’-]*|de|of|and|the|province|aboard))*,?"
_AGENCY = r"CNN(?: [A-Z]\w*)*|Reuters|AP|AFP|Associated Press|Bloomberg|UPI|DPA|dpa|Xinhua|PA"
_DATELINE = re.compile(
    rf"\A\s*(?:{_PLACE}\s+)?"
    rf"\((?:(?:{_AGENCY})\)\s*(?:--?|[–—])?"
    # or any short name in brackets that a dash follows or that the text leans on
    r"|[A-Z][\w.]*(?: [A-Z]\w*){0,4}\)(?:\s*--|(?=[\"“A-Z])))\s*"
)
_TIME = r"\d{1,2}:\d\d \w{2,4}, \d{1,2} \w+ \d{4}"
_PUBLISHED = re.compile(
    rf"(?:^By\s*\n[^\n]{{1,120}}\n\s*)?^PUBLISHED:\s*{_TIME}(?:[\s|]*UPDATED:\s*{_TIME})?\s*",
    re.MULTILINE,
)
_LAST_UPDATED = re.compile(
    r"(?:^By\s*\n[^\n]{1,120}\n\s*)?^Last updated at[^\n]{1,60}\d{4}\s*", re.MULTILINE
)
_BYLINE = re.compile(r"\A\s*By\s*\n[^\n]{1,120}\n\s*")
_SCROLL = re.compile(r"^scroll down[^\n]{0,40}$", re.MULTILINE | re.IGNORECASE)
_NEW = re.compile(r"\A\s*(?:NEW|New|UPDATED?|JUST IN|BREAKING)\s*:\s*")
_INVISIBLE = dict.fromkeys((*range(8203, 8208), *range(8288, 8293), 65279, 127), " ")
_INVISIBLE |= {code: " " for code in range(0x20) if chr(code) not in "\t\n\r"}


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)


def invisible(text: str) -> str:
    """Control characters, zero-width spaces and marks of direction."""
    return text if text.isascii() and text.isprintable() else text.translate(_INVISIBLE)


def byline(article: str) -> str:
    """The author and the times of publication.

    >>> byline("By\\nAlex Ward\\n\\nPUBLISHED:\\n\\n09:16 EST, 29 May 2013\\n\\nA trader").strip()
    'A trader'
    """
    if "PUBLISHED:" in article:
        article = _blank(_PUBLISHED, article)
    if "Last updated at" in article:
        article = _blank(_LAST_UPDATED, article)
    return _blank(_BYLINE, article)


def dateline(article: str) -> str:
    """Place and agency in front of the first sentence.

    >>> dateline("LONDON (Reuters) - Shares fell.").strip()
    'Shares fell.'
    """
    return _blank(_DATELINE, article)


def directions(article: str) -> str:
    """ "Scroll down for video" and the like, on a line of their own."""
    return _blank(_SCROLL, article)


def new(highlight: str) -> str:
    """
    >>> new("NEW: The host was dropped").strip()
    'The host was dropped'
    """
    return _blank(_NEW, highlight)


ARTICLE_RULES: tuple[Rule, ...] = (invisible, byline, dateline, directions)
HIGHLIGHT_RULES: tuple[Rule, ...] = (invisible, new)


def clean_article(article: str) -> str:
    for rule in ARTICLE_RULES:
        article = rule(article)
    return article


def clean_highlight(highlight: str) -> str:
    for rule in HIGHLIGHT_RULES:
        highlight = rule(highlight)
    return highlight

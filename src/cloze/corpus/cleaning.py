"""Site furniture, cleaned by named rules.

A rule blanks what it removes, character for character, so that spans computed on the original text
still point at the right words.
"""

import re
from collections.abc import Callable

# (CNN) -- , (CNN)A ..., LONDON (Reuters) - , LONDON, England (CNN) --
_DATELINE = re.compile(
    r"\A\s*(?:[A-Z][\w .,'’/-]{1,60}?)?\((?:CNN[\w .]*|Reuters|AP|AFP|[A-Z][\w .]{1,30})\)\s*"
    r"(?:--|-|–|—)?\s*"
)
_BYLINE = re.compile(
    r"\A\s*By\s.{0,400}?PUBLISHED:.{0,80}?(?:UPDATED:.{0,80}?)?(?=\n\n|\Z)\s*", re.DOTALL
)
_PUBLISHED = re.compile(r"^(?:PUBLISHED|UPDATED|Last updated at):?.{0,80}$", re.MULTILINE)
_NEW = re.compile(r"\A\s*(?:NEW|UPDATED?|JUST IN)\s*:\s*")

Rule = Callable[[str], str]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)


def without_dateline(article: str) -> str:
    """
    >>> without_dateline("LONDON (Reuters) - Shares fell.").strip()
    'Shares fell.'
    """
    return _blank(_DATELINE, article)


def without_byline(article: str) -> str:
    return _blank(_PUBLISHED, _blank(_BYLINE, article))


def without_new(highlight: str) -> str:
    """
    >>> without_new("NEW: The host was dropped").strip()
    'The host was dropped'
    """
    return _blank(_NEW, highlight)


ARTICLE_RULES: dict[str, Rule] = {"byline": without_byline, "dateline": without_dateline}
HIGHLIGHT_RULES: dict[str, Rule] = {"new": without_new}


def clean_article(article: str) -> str:
    for rule in ARTICLE_RULES.values():
        article = rule(article)
    return article


def clean_highlight(highlight: str) -> str:
    for rule in HIGHLIGHT_RULES.values():
        highlight = rule(highlight)
    return highlight

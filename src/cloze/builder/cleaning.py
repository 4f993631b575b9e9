"""Site furniture, cleaned by named rules.

A rule blanks what it removes, character for character, so that spans computed on the original text
still point at the right words. Each language's file (`names/languages`) lists what its websites put
around a text; invisible characters are the same in all of them.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from cloze.names.language import Language

_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2060-\u2064\ufeff]")


class Rule(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    needs: str  # a text without it cannot match

    def clean(self, text: str) -> str:
        if self.needs not in text:
            return text
        return self.pattern.sub(lambda found: " " * len(found.group()), text)


@lru_cache
def rules(language: Language, of: str) -> tuple[Rule, ...]:
    """The rules for an "article" or a "highlight", in order."""

    def compiled(pattern: str) -> re.Pattern[str]:
        for part, meaning in language.cleaning.get("parts", {}).items():
            pattern = pattern.replace(f"{{{part}}}", meaning)
        return re.compile(pattern)

    return tuple(
        Rule(rule["name"], compiled(rule["pattern"]), rule.get("needs", ""))
        for rule in language.cleaning.get(of, ())
    )


def invisible(text: str) -> str:
    """Control characters, zero-width spaces and marks of direction."""
    return _INVISIBLE.sub(" ", text)


def clean_article(article: str, language: Language) -> str:
    """
    >>> from cloze.names.language import load_language
    >>> clean_article("LONDON (Reuters) - Shares fell.", load_language("en")).strip()
    'Shares fell.'
    """
    return _clean(article, rules(language, "article"))


def clean_highlight(highlight: str, language: Language) -> str:
    """
    >>> from cloze.names.language import load_language
    >>> clean_highlight("NEW: The host was dropped", load_language("en")).strip()
    'The host was dropped'
    """
    return _clean(highlight, rules(language, "highlight"))


def _clean(text: str, rules: tuple[Rule, ...]) -> str:
    text = invisible(text)
    for rule in rules:
        text = rule.clean(text)
    return text

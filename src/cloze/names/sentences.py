"""Where sentences begin, for the capital that stands there says little."""

from cloze.names.language import Language
from cloze.names.tokens import Tokens
from cloze.text import Spacing


def opens_sentence(tokens: Tokens, place: int, language: Language) -> bool:
    """Whether the capital of the word here may be owed to its place."""
    return (
        place == 0
        or tokens.words[place - 1] in language.opens_after
        or tokens.spacing[place - 1] == Spacing.PARAGRAPH
        or (language.rules >= 2 and (_follows_dash(tokens, place) or _is_numbered(tokens, place)))
    )


def _follows_dash(tokens: Tokens, place: int) -> bool:
    """LONDON, March 4 - Engineers"""
    return (
        place > 1
        and tokens.words[place - 1] == "-"
        and tokens.spacing[place - 1] == tokens.spacing[place - 2] == Spacing.SPACE
    )


def _is_numbered(tokens: Tokens, place: int) -> bool:
    """Behind a number or a time at the head of a paragraph: 12.31 Puncture for the leader"""
    return tokens.words[place - 1][0].isdigit() and (
        place == 1 or tokens.spacing[place - 2] == Spacing.PARAGRAPH
    )

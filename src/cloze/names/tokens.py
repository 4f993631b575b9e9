"""Running text split into words, as in the paper's own example.

    most-watched shows, "Top Gear" didn't   ->   most - watched shows , `` top gear '' did n't

Hyphens, punctuation and clitics ('s, n't, 're) are tokens of their own; abbreviations, initials,
numbers and addresses stay whole. A token never holds white space. The cased words and the spacing
are kept, so that the original text can be written out again.
"""

import re
from functools import lru_cache
from itertools import accumulate, islice
from operator import add
from typing import NamedTuple

from cloze.names.language import Language
from cloze.text import AFTER, Spacing

# Chinese and Japanese write no spaces between words: there every character is a token.
_IDEOGRAPHS = "\u2e80-\u2fff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
_SPACING = {after: spacing for spacing, after in enumerate(AFTER)}


@lru_cache
def _pattern(language: Language, among_ideographs: bool) -> re.Pattern[str]:
    """What a token is."""
    word = rf"[^\W{_IDEOGRAPHS}]" if among_ideographs else r"\w"
    clitic = rf"['’](?:{'|'.join(language.clitics)})\b" if language.clitics else r"(?!)"
    spaced = "|".join(map(_spaced, language.spaced_abbreviations)) or "(?!)"
    ordinals = "|".join(language.ordinals) or "(?!)"
    split = "|".join(language.split_words) or "(?!)"
    return re.compile(
        r"("
        rf"(?!(?:{split})\b)[A-Za-z][a-z]*(?=\s)|[,.](?=\s)"  # most tokens, told quickly
        r"|(?:https?://|www\.)\S*[\w/]"  # addresses
        r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
        rf"|(?:{'|'.join(map(re.escape, language.abbreviations)) or '(?!)'})\.(?!\w)"
        rf"|{spaced}"
        r"|(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![\w.]))?"  # U.S. a.m. J.R.R
        r"|[^\W\d_]\.(?=[ \xa0][A-Z])"  # an initial: J. Edgar
        rf"|{ordinals}"
        rf"|\d+(?:[.,:/]\d+)*(?:(?!_){word})*"  # 1,220 3.5 10:30 1980s 24/7
        r"|[a-z]+(?:/[a-z]+)+\b"  # and/or
        + "".join(f"|{pattern}" for pattern in language.patterns).replace("{word}", word)
        + rf"|{clitic}"
        # words: O'Brien, AT&T, CNN.com; but said.The is two sentences that lost a space
        rf"|{word}+(?:(?!{clitic})['’](?={word}){word}+|&{word}+|\.(?=[a-z]{{2,}}|\d){word}+)*"
        r"|\.{2,}|-{2,}|\S"
        r")(\s*)"
    )


def _spaced(abbreviation: str) -> str:
    """Each part of "z. B.", if the parts before it and after it are there too; the first may be
    capitalised."""
    first, *others = map(re.escape, abbreviation.split())
    parts = [f"[{first[0]}{first[0].upper()}]{first[1:]}", *others]
    found = []
    for place, part in enumerate(parts):
        before = "".join(f"{other}[ \\xa0]" for other in parts[:place])
        after = "".join(f"[ \\xa0]{other}" for other in parts[place + 1 :])
        found.append(f"(?<={before}){part}(?={after})")
    return "|".join(found)


class Tokens(NamedTuple):
    """The words of a text as written, where each begins, and the spacing after it."""

    words: list[str]
    starts: list[int]
    spacing: list[int]


def tokenise(text: str, language: Language) -> Tokens:
    """
    >>> from cloze.names.language import load_language
    >>> tokenise("Clarkson's most-watched show.", load_language("en")).words
    ['Clarkson', "'s", 'most', '-', 'watched', 'show', '.']
    """
    among_ideographs = not text.isascii() and _IDEOGRAPH.search(text) is not None
    pairs = _pattern(language, among_ideographs).findall(text)
    if not pairs:
        return Tokens([], [], [])
    begin = len(text) - len(text.lstrip())
    words, gaps = zip(*pairs, strict=True)
    starts = accumulate(map(add, map(len, words), map(len, gaps)), initial=begin)
    spacing = {gap: _SPACING[gap] if gap in _SPACING else _spacing(gap) for gap in set(gaps)}
    return Tokens(
        list(words), list(islice(starts, len(words))), list(map(spacing.__getitem__, gaps))
    )


def _spacing(gap: str) -> int:
    """A single line break is a space: paragraphs are separated by blank lines."""
    return int(Spacing.PARAGRAPH if gap.count("\n") > 1 else Spacing.SPACE)


_OPENING_AFTER = frozenset("([{-") | {"--", "–", "—", "``", "`"}


@lru_cache
def _marks(language: Language) -> dict[str, str]:
    """Quotation marks, and how a reader sees them; the straight one needs its context."""
    return (
        {'"': ""}
        | dict.fromkeys(language.opening, "``")
        | dict.fromkeys(language.closing, "''")
        | dict.fromkeys(language.opening_single, "`")
        | dict.fromkeys(language.closing_single, "'")
    )


def lowered(tokens: Tokens, language: Language) -> list[str]:
    """What a reader sees: lower-cased words, and quotation marks that say which way they face.

    >>> from cloze.names.language import load_language
    >>> english = load_language("en")
    >>> " ".join(lowered(tokenise('The "Top Gear" host said "no"', english), english))
    "the `` top gear '' host said `` no ''"
    """
    words = list(map(str.lower, tokens.words))
    marks = _marks(language)
    if not marks.keys().isdisjoint(words):
        _turn_quotes(words, tokens.spacing, marks)
    return words


def _turn_quotes(words: list[str], spacing: list[int], marks: dict[str, str]) -> None:
    is_open, done = False, 0
    for i in [i for i, word in enumerate(words) if word in marks]:
        word, after = words[i], spacing[i]
        before = spacing[i - 1] if i else int(Spacing.PARAGRAPH)
        if int(Spacing.PARAGRAPH) in spacing[done:i]:
            is_open = False
        done = i
        if word == '"':
            # A mark opens if it touches only the word after it; if it touches both neighbours or
            # neither, the mark before it decides.
            if (before == Spacing.NOTHING) == (after == Spacing.NOTHING):
                is_open = not is_open or words[i - 1] in _OPENING_AFTER
            else:
                is_open = before != Spacing.NOTHING
            words[i] = "``" if is_open else "''"
        else:
            words[i] = marks[word]


def piece(text: str, tokens: Tokens, first: int, last: int) -> str:
    """The text from token `first` to the end of the one before `last`, on one line."""
    end = tokens.starts[last - 1] + len(tokens.words[last - 1])
    return " ".join(text[tokens.starts[first] : end].split())

"""Words out of running text, split as in the paper's own example.

    most-watched shows, "Top Gear" didn't   ->   most - watched shows , `` top gear '' did n't

Hyphens, punctuation and clitics ('s, n't, 're) stand alone; abbreviations, initials, numbers and
addresses stay whole. A token never holds white space. The cased words and what stands between them
are kept, so that the original text can be written out again.
"""

import re
from itertools import accumulate
from typing import NamedTuple

from cloze.text import AFTER, Spacing

# A full stop after one of these belongs to the word. (Those that are also plain words, such as
# "no." or "sat.", are left out: at the end of a sentence they would swallow the stop.)
_ABBREVIATIONS = (
    "Mr Mrs Ms Messrs Dr Prof Rev Hon Fr Sen Sens Rep Reps Gov Govs Gen Lt Col Cmdr Maj Capt "
    "Sgt Cpl Pvt Adm Brig Supt Det Insp St Ste Mt Ft Jr Sr Esq Inc Corp Ltd Bros Assn Dept "
    "Univ Jan Feb Aug Sept Oct Nov Dec Ave Blvd Rd vs etc approx Ph.D M.D D.C Ala Ariz Ark "
    "Calif Colo Conn Fla Ga Ill Kan Ky La Md Minn Mo Mont Neb Nev Okla Ore Pa Tenn Tex Va Vt "
    "Wash Wis Wyo"
)
_CLITIC = r"['’](?:s|S|re|RE|ve|VE|ll|LL|d|D|m|M)\b"

# Chinese and Japanese write no spaces between words: there every character is a token.
_IDEOGRAPHS = "\u2e80-\u2fff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


def _pattern(word: str) -> re.Pattern[str]:
    """What a token is, when `word` matches a character of a word."""
    return re.compile(
        r"("
        r"(?:https?://|www\.)\S*[\w/]"  # addresses
        r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
        rf"|(?:{'|'.join(re.escape(a) for a in _ABBREVIATIONS.split())})\.(?!\w)"
        r"|(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![\w.]))?"  # U.S. a.m. J.R.R
        r"|[^\W\d_]\.(?=[ \xa0][A-Z])"  # an initial: J. Edgar
        rf"|\d+(?:[.,:/]\d+)*(?:(?!_){word})*"  # 1,220 3.5 10:30 1980s 24/7
        r"|['’]\d\ds\b"  # the '90s
        r"|[a-z]+(?:/[a-z]+)+\b"  # and/or
        r"|[Cc]an(?=not\b)"
        rf"|{word}+(?=n['’]t\b)"  # did n't
        r"|n['’]t\b"
        rf"|{_CLITIC}"
        # words: O'Brien, AT&T, CNN.com; but said.The is two sentences that lost a space
        rf"|{word}+(?:(?!{_CLITIC})['’](?={word}){word}+|&{word}+|\.(?=[a-z]{{2,}}|\d){word}+)*"
        r"|\.{2,}|-{2,}|\S"
        r")(\s*)"
    )


_TOKEN = _pattern(r"\w")
_TOKEN_AMONG_IDEOGRAPHS = _pattern(rf"[^\W{_IDEOGRAPHS}]")
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
_SPACING: dict[str, int] = {text: spacing for spacing, text in enumerate(AFTER)}


class Tokens(NamedTuple):
    """The words of a text as they stand there, where each begins, and what stands after it."""

    words: list[str]
    starts: list[int]
    spacing: list[int]


def tokenise(text: str) -> Tokens:
    """
    >>> tokenise("Clarkson's most-watched show.").words
    ['Clarkson', "'s", 'most', '-', 'watched', 'show', '.']
    """
    plain = text.isascii() or _IDEOGRAPH.search(text) is None
    pairs = (_TOKEN if plain else _TOKEN_AMONG_IDEOGRAPHS).findall(text)
    begin = len(text) - len(text.lstrip())
    lengths = [len(word) + len(gap) for word, gap in pairs]
    return Tokens(
        [word for word, _ in pairs],
        list(accumulate(lengths[:-1], initial=begin)) if pairs else [],
        [_SPACING[gap] if gap in _SPACING else _spacing(gap) for _, gap in pairs],
    )


def _spacing(gap: str) -> int:
    """A single end of line is a space: paragraphs are apart by blank lines."""
    return int(Spacing.PARAGRAPH if gap.count("\n") > 1 else Spacing.SPACE)


_QUOTES = {"“": "``", "”": "''", "„": "``", "«": "``", "»": "''", "‘": "`", "’": "'"}
_MARKS = frozenset(_QUOTES) | {'"'}
_OPENING_AFTER = frozenset("([{-") | {"--", "–", "—", "``", "`", "‘", "“"}


def lowered(tokens: Tokens) -> list[str]:
    """What a reader sees: lower-cased words, and quotation marks that say which way they face.

    >>> " ".join(lowered(tokenise('The "Top Gear" host said "no"')))
    "the `` top gear '' host said `` no ''"
    """
    words = [word.lower() for word in tokens.words]
    if not _MARKS.isdisjoint(words):
        _turn_quotes(words, tokens.spacing)
    return words


def _turn_quotes(words: list[str], spacing: list[int]) -> None:
    is_open = False
    before: int = Spacing.PARAGRAPH
    for i, (word, after) in enumerate(zip(words, spacing, strict=True)):
        if word == '"':
            # A mark opens when it leans on the word after it; when it leans on neither or on
            # both, the one before it tells.
            if (before == Spacing.NOTHING) == (after == Spacing.NOTHING):
                is_open = not is_open or words[i - 1] in _OPENING_AFTER
            else:
                is_open = before != Spacing.NOTHING
            words[i] = "``" if is_open else "''"
        elif word in _QUOTES:
            words[i] = _QUOTES[word]
        if after == Spacing.PARAGRAPH:
            is_open = False
        before = after


def piece(text: str, tokens: Tokens, first: int, last: int) -> str:
    """The text from token `first` to the end of the one before `last`, on one line."""
    end = tokens.starts[last - 1] + len(tokens.words[last - 1])
    return " ".join(text[tokens.starts[first] : end].split())

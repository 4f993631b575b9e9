"""The names of a data point that a tagger saw, each with its edges put right."""

from collections.abc import Iterable, Sequence

from cloze.names.edges import extend, pieces, trim, word_range
from cloze.names.language import Language
from cloze.names.name import TYPES, Names, Span, is_name, vote
from cloze.names.plain_words import is_plain
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens
from cloze.text import Spacing

_HYPHENS = frozenset("-–")
_SURE = 3  # times that a tagger took plain words for a name, which then are one: the Badgers


def tagged_names(
    texts: Sequence[Tokens],
    spans: Sequence[Iterable[Span]],
    vocabulary: set[str],
    language: Language,
) -> tuple[Names, list[set[int]]]:
    """The names with the votes for their types, and for each text the places where they begin."""
    names: Names = {}
    doubted: Names = {}
    tagged: list[set[int]] = [set() for _ in texts]
    for tokens, found, starts in zip(texts, spans, tagged, strict=True):
        for first, last, label in _ranges(tokens, found, language):
            words = tuple(tokens.words[first:last])
            if not is_name(words, language):
                continue
            starts.add(first)
            if language.rules >= 2 and is_plain(tokens, first, last, label, language):
                if not opens_sentence(tokens, first, language):
                    vote(doubted, words, label)
            elif not _is_opening(tokens, first, last, vocabulary, language):
                vote(names, words, label)
    for words, name in doubted.items():
        if name.votes.total() >= _SURE and words[-1] not in language.posts:
            names.setdefault(words, name)
    _part_pairs(names, language)
    return names, tagged


def _ranges(
    tokens: Tokens, spans: Iterable[Span], language: Language
) -> Iterable[tuple[int, int, str]]:
    words = tokens.words
    for start, end, label in spans:
        if label not in TYPES:
            continue
        touched = word_range(tokens, start, end)
        for piece in pieces(tokens, *touched, label, language):
            first, last = trim(tokens, *piece, label, language)
            if language.rules >= 2 and first < last:
                if words[last : last + 1] and words[last] in language.goes_on:
                    last = extend(tokens, first, last, label, language)
                before = words[first - 1] if first else ""
                if before not in language.leads and not before[:1].isdigit():
                    pass  # most names, told quickly
                elif before in language.honorifics:
                    label = "PERSON"
                elif (
                    before[:1].isdigit()
                    and words[last - 1] in language.regiments
                    and before.endswith(language.ordinal_endings)
                ):
                    first -= 1  # the 41st [Orlen Fusiliers]
                elif before in language.ships:
                    first, label = first - 1, "PRODUCT"  # the ferry MV [Orlen]
                elif (
                    before in language.kinds_of_places
                    and before not in language.given_names
                    and words[first - 2] not in language.titles  # Punong Barangay [Ana]
                    and tokens.spacing[first - 1] == Spacing.SPACE
                    and last == first + 1
                ):
                    first -= 1  # the rider of Team [Vesper]
            yield first, last, label


def _is_opening(
    tokens: Tokens, first: int, last: int, vocabulary: set[str], language: Language
) -> bool:
    """A single word with a sentence's capital that stands elsewhere without one is no name."""
    return (
        last == first + 1
        and tokens.words[first].lower() in vocabulary
        and tokens.words[first] != tokens.words[first].lower()
        and opens_sentence(tokens, first, language)
    )


def _part_pairs(names: Names, language: Language) -> None:
    """ "U.S.-Zembla" is two names where both stand alone too; "African-American" is one people."""
    for words in list(names):
        hyphens = [i for i, word in enumerate(words) if word in _HYPHENS]
        if len(hyphens) == 1 and not words[-1].startswith(language.one_with_a_hyphen):
            left, right = words[: hyphens[0]], words[hyphens[0] + 1 :]
            if left in names and right in names:
                del names[words]

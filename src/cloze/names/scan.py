"""Where known names stand in a text, the longest first."""

from collections.abc import Sequence, Set

from cloze.names.language import Language
from cloze.names.name import Mention, Name
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens
from cloze.text import Spacing

Index = dict[str, list[tuple[tuple[str, ...], int]]]


def index_of(names: Sequence[Name]) -> Index:
    """Names by their first word, the longest first."""
    index: Index = {}
    for number, name in enumerate(names):
        index.setdefault(name.words[0], []).append((name.words, number))
    for found in index.values():
        found.sort(key=lambda item: -len(item[0]))
    return index


def scan(
    tokens: Tokens,
    index: Index,
    language: Language,
    doubtful: Set[str] = frozenset(),
    tagged: Set[int] = frozenset(),
) -> list[Mention]:
    """Every place where a name stands. A doubtful one, which is a plain word elsewhere, counts at
    the beginning of a sentence only where it was tagged."""
    words, spacing = tokens.words, tokens.spacing
    mentions: list[Mention] = []
    free = 0  # the first token after the last mention
    for first in [i for i, word in enumerate(words) if word in index]:
        if first < free:
            continue
        for name, number in index[words[first]]:
            last = first + len(name)
            if len(name) > 1:
                if tuple(words[first:last]) != name:
                    continue
                if Spacing.PARAGRAPH in spacing[first : last - 1]:
                    continue
            elif (
                words[first] in doubtful
                and first not in tagged
                and opens_sentence(tokens, first, language)
            ):
                continue  # "Will he go?" is not a mention of Will
            mentions.append(Mention(first, last, number))
            free = last
            break
    return mentions

"""Named mentions of a data point: spans become names, and names are then found everywhere.

An entity tagger sees one sentence at a time and is not consistent. Within one data point, a name
that was found once is a name wherever it occurs, in the article and in the highlights, longest
first:

    spans      [Jeremy Clarkson] ... Clarkson said ... dropped by the [BBC]
    mentions   [Jeremy Clarkson] ... [Clarkson] said ... dropped by the [BBC]
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from cloze.names.capitals import opens_sentence, runs_of_capitals
from cloze.names.edges import pieces, trim, word_range
from cloze.names.inflection import inflected
from cloze.names.language import Language
from cloze.names.name import OTHER, TYPES, Mention, Name, Names, Span, is_name
from cloze.names.tokens import Tokens
from cloze.names.whole_document import (
    Headings,
    add_names_of_headings,
    look_again,
    outside_headings,
)
from cloze.text import Spacing

_HYPHENS = frozenset("-–")


def find_mentions(
    texts: Sequence[Tokens], spans: Sequence[Iterable[Span]], language: Language
) -> tuple[list[Name], list[list[Mention]]]:
    """The names of a data point and, for each of its texts, where they occur."""
    vocabulary = set().union(*(tokens.words for tokens in texts))
    names: Names = {}
    titled: list[Headings] = [[] for _ in texts]
    if language.rules >= 2:
        spans, titled = outside_headings(texts, spans)
    tagged: list[set[int]] = [set() for _ in texts]
    for tokens, found, starts in zip(texts, spans, tagged, strict=True):
        for start, end, label in found:
            if label in TYPES:
                touched = word_range(tokens, start, end)
                for first, last in pieces(tokens.words, *touched, label, language):
                    first, last = trim(tokens, first, last, label, language)
                    words = tuple(tokens.words[first:last])
                    if first and tokens.words[first - 1] in language.honorifics:
                        label = "PERSON"
                    if is_name(words, language):
                        starts.add(first)
                        if not _is_opening(tokens, first, last, vocabulary, language):
                            names.setdefault(words, Name(words)).votes[label] += 1
    _part_pairs(names, language)
    if language.rules >= 2:
        look_again(names, texts, vocabulary, language)
    for name in names.values():
        name.settle(language)
    _add_surnames(names, vocabulary, language)
    if language.inflects:
        _add_inflected(names, texts, language)
    _add_runs(names, texts, titled, vocabulary, language)
    add_names_of_headings(names, texts, titled, language)
    known = list(names.values())
    for name in known:
        name.settle(language)
    index = _index(known)
    doubtful = {n.words[0] for n in known if len(n.words) == 1 and n.words[0].lower() in vocabulary}
    mentions = [
        _scan(tokens, index, language, doubtful, starts)
        for tokens, starts in zip(texts, tagged, strict=True)
    ]
    for tokens, own in zip(texts, mentions, strict=True):
        for mention in own:
            before = tokens.words[mention.first - 1] if mention.first else ""
            if before in language.locatives:
                known[mention.name].located = True
            elif before in language.honorifics:
                known[mention.name].votes["PERSON"] += 2
                known[mention.name].settle(language)
    return known, mentions


def given_mentions(
    texts: Sequence[Tokens],
    spans: Sequence[Iterable[Span]],
    places: Sequence[Sequence[tuple[int, int, int]]],
) -> tuple[list[Name], list[list[Mention]], list[list[int]]]:
    """Names and mentions if the spans are the whole truth, and the cluster of each mention.

    Nothing is searched for beyond the spans; each of them is in one of the clusters `places`.
    """
    cluster_of = {place: number for number, own in enumerate(places) for place in own}
    numbers: dict[tuple[tuple[str, ...], str], int] = {}
    mentions: list[list[Mention]] = []
    clusters: list[list[int]] = []
    for text, (tokens, found) in enumerate(zip(texts, spans, strict=True)):
        here = []
        for start, end, label in found:
            first, last = word_range(tokens, start, end)
            key = tuple(tokens.words[first:last]), label
            here.append(Mention(first, last, numbers.setdefault(key, len(numbers))))
        mentions.append(here)
        clusters.append([cluster_of[text, start, end] for start, end, _ in found])
    return [Name(words, Counter({label: 1})) for words, label in numbers], mentions, clusters


def _is_opening(
    tokens: Tokens, first: int, last: int, vocabulary: set[str], language: Language
) -> bool:
    """A single word at the start of a sentence that is lower-cased elsewhere is not a name."""
    return (
        last == first + 1
        and tokens.words[first].lower() in vocabulary
        and tokens.words[first] != tokens.words[first].lower()
        and opens_sentence(tokens, first, language)
    )


def _part_pairs(names: Names, language: Language) -> None:
    """ "U.S.-Zembla" is two names if both also occur alone; "African-American" is one people."""
    for words in list(names):
        hyphens = [i for i, word in enumerate(words) if word in _HYPHENS]
        if len(hyphens) == 1 and not words[-1].startswith(language.one_with_a_hyphen):
            left, right = words[: hyphens[0]], words[hyphens[0] + 1 :]
            if left in names and right in names:
                del names[words]


def _add_surnames(names: Names, vocabulary: set[str], language: Language) -> None:
    """A person named in full is often named by surname alone where no tagger noticed it."""
    for name in list(names.values()):
        if len(name.words) < 2 or name.type != "PERSON":
            continue
        surname = name.words[-2] if name.words[-1] in language.suffixes else name.words[-1]
        if (
            surname in vocabulary
            and (surname,) not in names
            and is_name((surname,), language)
            and surname[0].isupper()
            and surname.lower() not in vocabulary
        ):
            names[(surname,)] = Name((surname,), Counter(PERSON=1))


def _given_names(names: Names, vocabulary: set[str], language: Language) -> set[str]:
    """The first words of people's names, which a biography or a tabloid uses alone."""
    return {
        given
        for given in {words[0] for words, name in names.items() if name.type == "PERSON"}
        if len(given) > 2
        and given[0].isupper()
        and (given,) not in names
        and given not in language.particles
        and is_name((given,), language)
        and given.lower() not in vocabulary
    }


def _add_inflected(names: Names, texts: Sequence[Tokens], language: Language) -> None:
    """The other forms of a name that occur in the texts: Merkels also means Merkel."""
    spelt = "  ".join(f" {' '.join(tokens.words)} " for tokens in texts)
    for name in list(names.values()):
        for form in inflected(name.words, name.type == "PERSON", language):
            if form not in names and f" {' '.join(form)} " in spelt and is_name(form, language):
                names[form] = Name(form, Counter({name.type: 1}))


def _add_runs(
    names: Names,
    texts: Sequence[Tokens],
    titled: Sequence[Headings],
    vocabulary: set[str],
    language: Language,
) -> None:
    known = list(names.values())
    index = _index(known)
    mentions = [_scan(tokens, index, language) for tokens in texts]
    given = _given_names(names, vocabulary, language) if language.rules >= 2 else set()
    covered = []
    for tokens, found, apart in zip(texts, mentions, titled, strict=True):
        marks = bytearray(len(tokens.words))
        for first, last in (*((m.first, m.last) for m in found), *apart):
            marks[first:last] = b"\1" * (last - first)
        for place in [i for i, word in enumerate(tokens.words) if word in given] if given else ():
            if not marks[place]:
                marks[place] = 1
                word = tokens.words[place]
                names.setdefault((word,), Name((word,), Counter(PERSON=1)))
        covered.append(marks)
    by_text = runs_of_capitals(texts, covered, vocabulary, language)
    for tokens, found, runs in zip(texts, mentions, by_text, strict=True):
        types = {mention.last: known[mention.name].type for mention in found}
        for first, last in runs:
            words = tuple(tokens.words[first:last])
            if is_name(words, language):
                label = "PERSON" if types.get(last) == "PERSON" else OTHER
                names.setdefault(words, Name(words)).votes[label] += 1


Index = dict[str, list[tuple[tuple[str, ...], int]]]


def _index(names: Sequence[Name]) -> Index:
    """Names by their first word, the longest first."""
    index: Index = {}
    for number, name in enumerate(names):
        index.setdefault(name.words[0], []).append((name.words, number))
    for found in index.values():
        found.sort(key=lambda item: -len(item[0]))
    return index


def _scan(
    tokens: Tokens,
    index: Index,
    language: Language,
    doubtful: Set[str] = frozenset(),
    tagged: Set[int] = frozenset(),
) -> list[Mention]:
    """Every place where a name occurs. A doubtful name, which is a plain word elsewhere, counts at
    the beginning of a sentence only if it was tagged there."""
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

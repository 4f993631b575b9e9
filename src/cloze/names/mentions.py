"""Named mentions of a data point: spans become names, and names are then found everywhere.

An entity tagger sees one sentence at a time and is not consistent. Within one data point, a name
that was found once is a name wherever it occurs, in the article and in the highlights, longest
first:

    spans      [Jeremy Clarkson] ... Clarkson said ... dropped by the [BBC]
    mentions   [Jeremy Clarkson] ... [Clarkson] said ... dropped by the [BBC]
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from cloze.names.articles import with_articles
from cloze.names.edges import word_range
from cloze.names.heads import add_heads
from cloze.names.language import Language
from cloze.names.name import Mention, Name, Span
from cloze.names.scan import index_of, scan
from cloze.names.tagged import tagged_names
from cloze.names.tokens import Tokens
from cloze.names.types import correct_types
from cloze.names.unseen import add_firms, add_inflected, add_runs, add_surnames
from cloze.names.whole_document import (
    Headings,
    add_bodies_of_headings,
    add_names_of_headings,
    look_again,
    outside_headings,
)


def find_mentions(
    texts: Sequence[Tokens], spans: Sequence[Iterable[Span]], language: Language
) -> tuple[list[Name], list[list[Mention]]]:
    """The names of a data point and, for each of its texts, where they occur."""
    vocabulary = set().union(*(tokens.words for tokens in texts))
    titled: list[Headings] = [[] for _ in texts]
    if language.rules >= 2:
        spans, titled = outside_headings(texts, spans, language)
    names, tagged = tagged_names(texts, spans, vocabulary, language)
    if language.rules >= 2:
        look_again(names, texts, vocabulary, language)
    for name in names.values():
        name.settle(language)
    add_surnames(names, vocabulary, language)
    capitals = [
        [place for place, word in enumerate(tokens.words) if word[0].isupper()] for tokens in texts
    ]
    if language.rules >= 2:
        add_firms(names, vocabulary, language)
        add_bodies_of_headings(names, texts, titled, language)
        add_heads(names, texts, capitals, language)
    if language.inflects:
        add_inflected(names, texts, language)
    add_runs(names, texts, capitals, titled, vocabulary, language)
    if language.rules >= 2:
        add_names_of_headings(names, texts, titled, language)
    known = list(names.values())
    for name in known:
        name.settle(language)
    index = index_of(known)
    doubtful = {n.words[0] for n in known if len(n.words) == 1 and n.words[0].lower() in vocabulary}
    mentions = [
        scan(tokens, index, language, doubtful, starts)
        for tokens, starts in zip(texts, tagged, strict=True)
    ]
    if language.rules >= 2:
        correct_types(known, texts, mentions, language)
        mentions = [
            with_articles(tokens, own, known, language)
            for tokens, own in zip(texts, mentions, strict=True)
        ]
    else:
        _locate(known, texts, mentions, language)
    return known, mentions


def _locate(
    names: Sequence[Name],
    texts: Sequence[Tokens],
    mentions: Sequence[Sequence[Mention]],
    language: Language,
) -> None:
    for tokens, own in zip(texts, mentions, strict=True):
        for mention in own:
            if mention.first and tokens.words[mention.first - 1] in language.locatives:
                names[mention.name].located = True


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

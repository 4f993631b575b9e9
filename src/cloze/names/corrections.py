"""Names that were found wrongly, mended by whoever reads the text.

    Join("Mara Venn", "the mayor")     two names are one
    Apart("Venn")                      this form of a name is somebody else
    Cut("Ostrava", "Mara Venn")        two names were read as one
    NoName("Friday")                   this is no name

A form is a name as it is written in the text. A correction holds for every mention of the form, in
the article, its highlights and the question; where there is none, it does nothing.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cloze.names.name import Mention, Name
from cloze.names.tokens import Tokens, piece


class Join(NamedTuple):
    one: str
    other: str


class Apart(NamedTuple):
    form: str


class Cut(NamedTuple):
    first: str
    second: str


class NoName(NamedTuple):
    form: str


Correction = Join | Apart | Cut | NoName


@dataclass(frozen=True)
class _Found:
    """A mention with its form and its cluster, in one of the texts."""

    mention: Mention
    form: str
    cluster: int


def correct(
    texts: Sequence[str],
    tokens: Sequence[Tokens],
    names: Sequence[Name],
    mentions: Sequence[Sequence[Mention]],
    clusters: Sequence[Sequence[int]],
    corrections: Sequence[Correction],
) -> tuple[list[Name], list[list[Mention]], list[list[int]]]:
    """Names, mentions and clusters once the corrections are applied, one after the other."""
    known = list(names)
    found = [
        [
            _Found(m, piece(text, split, m.first, m.last), cluster)
            for m, cluster in zip(own, apart, strict=True)
        ]
        for text, split, own, apart in zip(texts, tokens, mentions, clusters, strict=True)
    ]
    for correction in corrections:
        if isinstance(correction, Cut):
            change = _cutting(correction, found, tokens, known)
        else:
            change = _regrouping(correction, found)
        found = [
            [one for each in own for one in change(place, each)] for place, own in enumerate(found)
        ]
    return (
        known,
        [[each.mention for each in own] for own in found],
        [[each.cluster for each in own] for own in found],
    )


_Change = Callable[[int, _Found], list[_Found]]  # what becomes of a mention in a text


def _regrouping(correction: Join | Apart | NoName, found: Sequence[Sequence[_Found]]) -> _Change:
    every = [each for own in found for each in own]
    wanted = set(correction)
    if isinstance(correction, NoName):
        return lambda _, each: [] if each.form in wanted else [each]
    if isinstance(correction, Apart):
        new = _new_cluster(every)
        return lambda _, each: [_in(each, new) if each.form in wanted else each]
    forms = {each.form for each in every}
    same = {each.cluster for each in every if each.form in wanted and wanted <= forms}
    first = min(same, default=0)
    return lambda _, each: [_in(each, first) if each.cluster in same else each]


def _cutting(
    cut: Cut, found: Sequence[Sequence[_Found]], tokens: Sequence[Tokens], names: list[Name]
) -> _Change:
    every = [each for own in found for each in own]
    new = _new_cluster(every)
    cluster_of = {each.form: each.cluster for each in reversed(every)}
    clusters = [cluster_of.get(form, new + k) for k, form in enumerate(cut)]
    whole = " ".join(cut)
    is_there = any(each.form == whole for each in every)
    if clusters[0] == clusters[1]:  # the name that was none had brought the two together
        clusters[1] = new
    first_words, second_words = (set(form.split()) for form in cut)

    def change(text: int, each: _Found) -> list[_Found]:
        if each.form != whole:
            own = set(each.form.split())
            parted = each.cluster == clusters[0] and own & second_words and not own & first_words
            return [_in(each, clusters[1]) if parted and is_there else each]
        first, last, number = each.mention
        words = tokens[text].words
        length = len(cut.first.replace(" ", ""))
        middle = next(
            (m for m in range(first + 1, last) if len("".join(words[first:m])) == length), None
        )
        if middle is None:  # in the middle of a word
            return [each]
        kind = names[number].type
        halves = []
        for place, (begin, end) in enumerate(((first, middle), (middle, last))):
            names.append(Name(tuple(words[begin:end]), Counter({kind: 1})))
            mention = Mention(begin, end, len(names) - 1)
            halves.append(_Found(mention, cut[place], clusters[place]))
        return halves

    return change


def _in(found: _Found, cluster: int) -> _Found:
    return _Found(found.mention, found.form, cluster)


def _new_cluster(found: Sequence[_Found]) -> int:
    return 1 + max((each.cluster for each in found), default=-1)

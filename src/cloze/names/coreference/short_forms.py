"""Sieve for short forms that taggers give another type than the full name: the second rules.

    Halden Launch AS … Halden        Department for Transport … the Department
    Ottakar Bridge … the Ottakar     Sale of Vessels Act 2016 … the Act
    Kagiso Mokoena … Mokoena         Club Atlético Rentistas del Sur … Rentistas

The full name comes first and its short form later. A short form that fits two names, or that is
already joined to something, is left alone, and so is a place: London is not London Bridge.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.coreference.fitting import Part, fits, is_a_people, may_follow
from cloze.names.coreference.place_names import without_kind
from cloze.names.coreference.spelling import letters
from cloze.names.heads import as_in_text, head_of, is_plain_head, second_head
from cloze.names.language import Language
from cloze.names.name import OTHER, Mention, Name

_LAST = range(2, 5)  # words of a name that its last word alone may stand for
_MANY_WORDS = frozenset(["ORG", "FAC", "EVENT", OTHER])  # called by a word in their middle
_TOWNS = frozenset(["GPE", "LOC"])
Words = tuple[str, ...]


def short_forms(
    names: Sequence[Name],
    mentions: Sequence[Sequence[Mention]],
    clusters: Clusters,
    language: Language,
    open_names: Collection[int] = (),
) -> None:
    """Join each short form to the one longer name that it fits. `open_names` fit several people and
    are settled elsewhere."""
    met = dict.fromkeys(mention.name for found in mentions for mention in found)
    order = {number: place for place, number in enumerate(met)}
    index = _index(order, names, language)
    if not index:
        return
    members: dict[int, list[int]] = {}  # of each cluster, as they are mentioned
    for number in order:
        members.setdefault(clusters.root(number), []).append(number)
    for number in order:
        short = names[number]
        forms = index.get(
            _written_alike(short.words, language) if len(short.words) > 1 else short.words
        )
        if forms is None or number in open_names or is_a_people(short, language):
            continue
        others = _other_spellings(number, members[clusters.root(number)], names, language)
        begun = _begun(members[clusters.root(number)], names, order)
        for part in sorted(forms):
            fitting = {
                clusters.root(longer)
                for longer in forms[part]
                if (order[longer] < begun or may_follow(names[longer], part, language))
                and fits(short, names[longer], part, language)
                and all(
                    longer in _fitting(other.words, part, index, language)
                    or (
                        set(other.words) < set(short.words)  # the Orlen Foundation, the Foundation
                        and _is_head_of(longer, other, names, index, language)
                    )
                    for other in others
                )
            } - {clusters.root(number)}
            if len(fitting) > 1:
                fitting = _firms(fitting, names, clusters, language)
            if len(fitting) == 1:
                clusters.join(number, fitting.pop(), "short form")
                break


def _begun(cluster: Sequence[int], names: Sequence[Name], order: Mapping[int, int]) -> int:
    """When the cluster is first mentioned; what a heading says in capitals is explained below it:
    GAMES BAN … the Orlen Games … the Games. But a town may stand there as well."""
    below = (
        number
        for number in cluster
        if not names[number].words[0].isupper() or names[number].type in _TOWNS
    )
    return order[next(below, cluster[0])]


def _index(
    numbers: Iterable[int], names: Sequence[Name], language: Language
) -> Mapping[Words, dict[Part, list[int]]]:
    """The names that each of the names may be short for."""
    spelt = {_written_alike(names[number].words, language) for number in numbers}
    firsts = Counter([words[0] for words in spelt])
    index: dict[Words, dict[Part, list[int]]] = {}
    for number in numbers:
        words = names[number].words
        if len(words) > 1 and _may_be_shortened(words, firsts, language):
            for part, whole in _forms(names[number], language):
                form = _written_alike(whole, language)
                if form in spelt and len(form) < len(names[number].words):
                    index.setdefault(form, {}).setdefault(part, []).append(number)
    return index


def _may_be_shortened(words: Words, firsts: Counter[str], language: Language) -> bool:
    """Whether another name begins with one of the words, which is told more quickly than whether
    it is a short form."""
    return (
        firsts[words[0]] > 1
        or not firsts.keys().isdisjoint(words[1:])
        or words[0].isupper()  # a heading's words are written otherwise below it
        or words[0] in language.saints
        or "&" in words
    )


def _written_alike(words: Words, language: Language) -> Words:
    """ "Saint Austell" and "St Austell", "Blackwell and Sons" and "Blackwell & Sons"."""
    if len(words) > 1:
        if words[0] in language.saints:
            return ("Saint", *words[1:])
        if "&" in words:
            return tuple("and" if word == "&" else word for word in words)
    return words


def _forms(name: Name, language: Language) -> Iterator[tuple[Part, Words]]:
    words = as_in_text(name.words)
    for form in without_kind(words, language):
        yield Part.PLACE, form
    for cut in range(1, len(words)):
        yield Part.FIRST, words[:cut]
    for form in _last_words(words, language):
        yield Part.LAST, form
    if name.type in _MANY_WORDS:
        for word in words[1 : len(words) - (words[-2] != "of")]:
            if word[0].isupper() and word.lower() not in language.ordinary:
                yield Part.MIDDLE, (word,)
        if len(words) > 2 and words[-2].lower() in language.ordinary and words[-2][0].isupper():
            yield Part.MIDDLE, words[-2:-1]


def _last_words(words: Words, language: Language) -> list[Words]:
    """The last words that a name may be shortened to."""
    if len(words) > 2 and words[-1].isdigit():
        act = next((word for word in reversed(words) if word in language.acts), "")
        return [(act,), (words[-1], act)] if act else []
    head = head_of(words)
    found: list[Words]
    if head != words[-1] or len(words) not in _LAST:
        found = [(head,)] if is_plain_head(head, language) or head in language.sites else []
    else:
        found = [words[-3:] if words[-2] == "-" else words[-1:]]
    if len(words) > 2 and head == words[-1] and head in language.sites:
        found.append(words[-2:])  # the Orlen Valley National Park … the National Park
    if any(word in language.between_surnames for word in words[2:-1]):  # Iker Salgado y Vega
        found.append(words[1:])
    other = second_head(words, language)
    return [*found, (other,)] if other else found


def _other_spellings(
    number: int, cluster: Sequence[int], names: Sequence[Name], language: Language
) -> list[Name]:
    """What the name was joined to already, unless it has the same letters: "Konark Infra"."""
    if len(cluster) == 1:
        return []
    own = letters(names[number].words, language)
    return [names[other] for other in cluster if letters(names[other].words, language) != own]


def _fitting(
    words: Words, part: Part, index: Mapping[Words, dict[Part, list[int]]], language: Language
) -> Sequence[int]:
    return index.get(_written_alike(words, language), {}).get(part, ())


def _is_head_of(
    longer: int,
    short: Name,
    names: Sequence[Name],
    index: Mapping[Words, dict[Part, list[int]]],
    language: Language,
) -> bool:
    """Whether the name is also what the longer one ends in."""
    return longer in _fitting(short.words, Part.LAST, index, language) and fits(
        short, names[longer], Part.LAST, language
    )


def _firms(
    fitting: Collection[int], names: Sequence[Name], clusters: Clusters, language: Language
) -> set[int]:
    """Of several that a short form fits, those that are firms: Nordvik is Nordvik Analytics ASA
    and not its Nordvik Horizon."""
    return {
        root
        for number, name in enumerate(names)
        if name.words[-1] in language.firms and (root := clusters.root(number)) in fitting
    }

"""What the whole data point says about its names, where a tagger saw one sentence at a time.

Justice Whaanga … Whaanga said             the name is [Whaanga]
the Lok Pragati Manch (LPM)                the letters in brackets show how far the name goes
the Sale of Vessels Act 2016, Mvua-3       a law's year and a model's number are part of it
HARBOUR FEES RISE IN TOLLAN                in a heading, only names that occur elsewhere too
"""

from collections.abc import Iterable, Iterator, Sequence

from cloze.names.coreference.organisations import initials
from cloze.names.headings import headings, names_in_heading, places_of
from cloze.names.language import Language
from cloze.names.name import Name, Names, Span, is_name
from cloze.names.tokens import Tokens
from cloze.text import Spacing

Headings = list[tuple[int, int]]
_BACK = 12  # words before a bracket that are searched for its expansion
_INSIDE = frozenset("' ’ - – &".split())


def outside_headings(
    texts: Sequence[Tokens], spans: Sequence[Iterable[Span]]
) -> tuple[list[Iterable[Span]], list[Headings]]:
    """The spans that are not in headings, and the headings of each text."""
    kept: list[Iterable[Span]] = []
    found: list[Headings] = []
    for tokens, own in zip(texts, spans, strict=True):
        here = headings(tokens)
        places = [(tokens.starts[first], tokens.starts[last - 1]) for first, last in here]
        if places:
            own = [span for span in own if not any(a <= span[0] <= b for a, b in places)]
        kept.append(own)
        found.append(here)
    return kept, found


def look_again(
    names: Names, texts: Sequence[Tokens], vocabulary: set[str], language: Language
) -> None:
    """Correct the taggers' names with the help of the whole data point."""
    _without_offices(names, language)
    known = {name[0] for name in names if len(name) == 1 or name[1:2] == ("-",)}
    acts = sorted(language.acts & vocabulary)
    for tokens in texts:
        for words, label in (*_before_brackets(tokens, language), *_with_numbers(tokens, known)):
            if is_name(words, language):
                names.setdefault(words, Name(words)).votes[label] += 2
        for words in _with_years(tokens, acts, language):
            names.setdefault(words, Name(words)).votes["LAW"] += 2


def _without_offices(names: Names, language: Language) -> None:
    """ "Justice Whaanga", taken for a court, is the Whaanga who is named elsewhere."""
    for words in list(names):
        first = 0
        while first < len(words) - 1 and words[first] in language.titles:
            first += 1
        rest = words[first:]
        if first and (rest in names or rest[-1:] in names) and rest[0] not in language.linking:
            known = names[rest] if rest in names else names[rest[-1:]]
            if "PERSON" in known.votes:
                del names[words]
                names.setdefault(rest, Name(rest)).votes["PERSON"] += 1


def _before_brackets(tokens: Tokens, language: Language) -> Iterator[tuple[tuple[str, ...], str]]:
    """A name and the acronym in brackets after it."""
    words = tokens.words
    for place in places_of("(", words):
        if words[place + 2 : place + 3] != [")"]:
            continue
        acronym = words[place + 1]
        if not (1 < len(acronym) < 8 and acronym.isupper() and acronym.isalpha()):
            continue
        for first in range(place - 2, max(place - _BACK, -1), -1):
            inside = words[first:place]
            if tokens.spacing[first] == Spacing.PARAGRAPH or not _may_be_inside(
                words[first], language
            ):
                break
            if inside[0][0].isupper() and acronym in initials(inside, language):
                yield tuple(inside), "ORG"
                yield (acronym,), "ORG"
                break


def _may_be_inside(word: str, language: Language) -> bool:
    return word[0].isupper() or word in language.not_in_acronyms or word in _INSIDE


def _with_numbers(tokens: Tokens, known: set[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """ "Mvua-3" if Mvua or Mvua-2 is a name."""
    words, spacing = tokens.words, tokens.spacing
    for place in places_of("-", words):
        after = words[place + 1 : place + 2]
        if (
            place
            and after
            and after[0].isdigit()
            and words[place - 1] in known
            and spacing[place - 1] == spacing[place] == Spacing.NOTHING
        ):
            yield (words[place - 1], "-", after[0]), "PRODUCT"


def _with_years(
    tokens: Tokens, acts: Sequence[str], language: Language
) -> Iterator[tuple[str, ...]]:
    """ "Sale of Vessels Act 2016", and "the 2016 Act"."""
    words = tokens.words
    for place in [place for act in acts for place in places_of(act, words)]:
        year = place + 1 + (words[place + 1 : place + 2] == ["of"])
        if place and is_year(words[place - 1]):
            yield (words[place - 1], words[place])
        elif year < len(words) and is_year(words[year]):
            first = place
            while first and _may_be_of_act(words[first - 1], language):
                first -= 1
            while first < place and not words[first][0].isupper():
                first += 1
            yield tuple(words[first : year + 1])


def _may_be_of_act(word: str, language: Language) -> bool:
    if word in language.articles:
        return False
    return word[0].isupper() or word in language.not_in_acronyms or word in ("(", ")")


def is_year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and word[:2] in ("18", "19", "20")


def add_names_of_headings(
    names: Names, texts: Sequence[Tokens], found: Sequence[Headings], language: Language
) -> None:
    """The names in headings, in capitals, each with the type that it has elsewhere."""
    if not any(found):
        return
    known = list(names.values())
    index: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for number, name in enumerate(known):
        capitals = tuple(word.upper() for word in name.words)
        index.setdefault(capitals[0], []).append((capitals, number))
    for own in index.values():
        own.sort(key=lambda item: -len(item[0]))
    endings = {word.upper() for word in language.designators}
    for tokens, places in zip(texts, found, strict=True):
        for begin, end in places:
            words = tokens.words[begin:end]
            for first, last, number in names_in_heading(words, index):
                if last < len(words) and words[last] in endings:
                    last += 1
                form = tuple(words[first:last])
                if form not in names:
                    names[form] = Name(form, known[number].votes.copy())

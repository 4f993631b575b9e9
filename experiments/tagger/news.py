"""News with names that were found (by spaCy, mended by the second rules) or are known (newsroom,
marked texts), and the same news with other names.

A tagger that has seen a name a hundred times need not look around it. In half of the news every
name is therefore another throughout the text: one met elsewhere, or one made up.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from labels import ENGLISH, PLACES, Labelled, Range, apart, labelled, tokens_of, words_of

from cloze.builder.cleaning import clean_article, clean_highlight
from cloze.builder.marked_texts import read_texts
from cloze.compressed import lines
from cloze.names.mentions import find_mentions
from cloze.newsroom.generator import stories as made_up_stories
from cloze.readers.tagging.casing import Shape, shape
from cloze.readers.tagging.decoding import TYPES
from cloze.text import Spacing

Pools = Mapping[str, Sequence[str]]  # words of names by sort: given, PERSON, GPE, ORG
LONGEST = 12_000  # characters of an article

_PLAIN = (
    ENGLISH.titles | ENGLISH.posts | ENGLISH.bodies | ENGLISH.designators | ENGLISH.particles
    | ENGLISH.honorifics | ENGLISH.days_and_months | ENGLISH.either_case
)  # fmt: skip
_ONSETS = "b br c ch d dr f fl g gr h j k kl l m n p pr r s sh st t th tr v w z y qu kh ng mb sz"
_VOWELS = "a e i o u a e o ai ei ou oo ee ia ö á ue"
_CODAS = "n r l s m t ck nd rd th x ng st lm ne tt rn ld"
_ENDS = {
    "PERSON": "son sen ova ski wicz ez ini wala ogu aka moto yan shvili ley ham kar pour oglu eira",
    "GPE": "ton ford bury mouth stad pur abad ville grad burg ham wick by port sk uru land dale",
    "ORG": "ex tech ix corp soft dyne ora um ent a is",
}


class Tagged(NamedTuple):
    words: Sequence[str]
    spacing: Sequence[int]
    names: list[Range]

    def labelled(self) -> Labelled:
        """A name found by its capitals alone has no type; any may be right."""
        return labelled(*self, types=lambda kind: (kind,) if kind in TYPES else TYPES)


def found_by_spacy(stories: Path, spans: Path, count: int) -> Iterator[Tagged]:
    """Every so many stories of a file, until there are enough."""
    total = sum(1 for _ in lines(spans))
    step = max(1, total // count)
    for number, (line, own) in enumerate(zip(lines(stories), lines(spans), strict=True)):
        if number % step == 0:
            story = json.loads(line)
            if 0 < len(story["article"].strip()) <= LONGEST:
                yield _mended(story, json.loads(own))


def _mended(story: dict[str, Any], spans: dict[str, Any]) -> Tagged:
    texts = [clean_article(story["article"], ENGLISH)]
    texts += [clean_highlight(highlight, ENGLISH) for highlight in story["highlights"]]
    tokens = [tokens_of(text) for text in texts]
    given = [[tuple(span) for span in own] for own in (spans["article"], *spans["highlights"])]
    names, mentions = find_mentions(tokens, given, ENGLISH)
    parts = [
        (own.words, own.spacing, [(m.first, m.last, names[m.name].type) for m in found])
        for own, found in zip(tokens, mentions, strict=True)
    ]
    return _in_a_row(parts)


def _in_a_row(parts: Sequence[tuple[Sequence[str], Sequence[int], list[Range]]]) -> Tagged:
    words: list[str] = []
    spacing: list[int] = []
    names: list[Range] = []
    for own, after, found in parts:
        names += [(len(words) + first, len(words) + last, kind) for first, last, kind in found]
        words += own
        spacing += [*after[:-1], int(Spacing.PARAGRAPH)] if own else []
    return Tagged(words, spacing, apart(names))


def newsroom(count: int) -> Iterator[Tagged]:
    for story, gold in made_up_stories(7, count):
        parts = []
        texts = (story.article, *story.highlights)
        for text, own in zip(texts, (gold.article, *gold.highlights), strict=True):
            tokens = tokens_of(text)
            names = [(*words_of(tokens, m.start, m.end), m.label) for m in own]
            parts.append((tokens.words, tokens.spacing, names))
        yield _in_a_row(parts)


def marked(folder: Path, half: str | None = None) -> Iterator[Tagged]:
    for text in read_texts(folder, half):
        tokens = tokens_of(text.article.text)
        names = [(*words_of(tokens, m.start, m.end), text.types[m.key]) for m in text.article.marks]
        yield Tagged(tokens.words, tokens.spacing, apart(names))


def pools_of(news: Sequence[Tagged]) -> dict[str, list[str]]:
    """The words of names that can stand for each other, the most frequent first."""
    counts: dict[str, Counter[str]] = {
        sort: Counter() for sort in ("given", "PERSON", "GPE", "ORG")
    }
    for text in news:
        for first, last, kind in text.names:
            for at in range(first, last):
                if kind in ("PERSON", "ORG", *PLACES) and _is_replaceable(text.words[at]):
                    is_given = kind == "PERSON" and at == first < last - 1
                    counts["given" if is_given else str(_sort(kind))][text.words[at]] += 1
    return {sort: [word for word, _ in own.most_common(40_000)] for sort, own in counts.items()}


def _sort(kind: str) -> str | None:
    if kind in PLACES:
        return "GPE"
    sorts = {"ORG": "ORG", "PRODUCT": "ORG", "EVENT": "ORG", "WORK_OF_ART": "ORG"}
    return "PERSON" if kind == "PERSON" else sorts.get(kind)


def _is_replaceable(word: str) -> bool:
    plain = word.lower() in ENGLISH.lower_case or word in _PLAIN or word.lower() in _PLAIN
    return (
        len(word) > 2 and word.isalpha() and shape(word) in (Shape.TITLE, Shape.MIXED) and not plain
    )


def made_up(sort: str, random: Random) -> str:
    def part(choice: str, often_none: int = 0) -> str:
        return random.choice([*choice.split(), *[""] * often_none])

    while True:
        syllables = range(random.choice((1, 1, 2, 2, 3)))
        word = "".join(part(_ONSETS, 3) + part(_VOWELS) + part(_CODAS, 3) for _ in syllables)
        word += part(_ENDS[sort], 2)
        if 3 <= len(word) <= 12:
            return word.capitalize()


def with_other_names(text: Tagged, pools: Pools, random: Random) -> Tagged:
    """A word of a name is another throughout; plain words and the words of peoples stay."""
    lower = {word for word in text.words if word[0].islower()}
    new: dict[str, str] = {}
    for first, last, kind in text.names:
        for at in range(first, last):
            word, sort = text.words[at], _sort(kind)
            if sort and word not in new and _is_replaceable(word) and word.lower() not in lower:
                stays = sort != "PERSON" and random.random() < 0.4
                is_given = sort == "PERSON" and at == first < last - 1
                new[word] = word if stays else _other(sort, is_given, pools, random)
    for first, last, kind in text.names:
        for word in text.words[first:last] if _sort(kind) is None else ():
            new.pop(word, None)
    upper = {word.upper(): other.upper() for word, other in new.items()}
    words = [new.get(word) or upper.get(word) or word for word in text.words]
    return Tagged(words, text.spacing, text.names)


def _other(sort: str, is_given: bool, pools: Pools, random: Random) -> str:
    known = 0.7 if is_given else 0.5
    if random.random() >= known:
        return made_up(sort, random)
    return random.choice(pools["given" if is_given else sort])

"""Check a corpus's clusters: which merges are doubtful, and which were perhaps missed.

Everything comes from the corpus itself, so that an imported one can be checked too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cloze.corpus.store import Corpus
from cloze.document import Document, Entity, Question
from cloze.names.coreference.organisations import initials
from cloze.names.coreference.people import bare
from cloze.names.coreference.spelling import letters, twin_of
from cloze.names.language import Language, load_language
from cloze.names.tokens import tokenise
from cloze.randomness import generator

_PLACES = frozenset(["GPE", "LOC", "NORP", "LANGUAGE"])


class Doubt(NamedTuple):
    """Something about one or two entities of a document for a person to look at."""

    markers: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Looked:
    """A document with its questions, how often each entity occurs in it, and the doubts."""

    document: Document
    questions: list[Question]
    counts: Counter[int]
    doubts: list[Doubt]


def sample(corpus: Corpus, split: str, size: int, seed: int) -> Iterator[Looked]:
    """Documents drawn at random, in the order of the corpus."""
    language = load_language(corpus.language)
    total = corpus.count(split, "documents")
    drawn = generator(seed).choice(total, size=min(size, total), replace=False)
    chosen = set(np.sort(drawn).tolist())
    for number, (document, questions) in enumerate(corpus.read(split)):
        if number in chosen:
            mentions = document.context.mentions()
            counts = Counter({marker: len(places) for marker, places in mentions.items()})
            yield Looked(document, questions, counts, list(doubts(document.entities, language)))


def doubts(entities: Sequence[Entity], language: Language) -> Iterator[Doubt]:
    """Doubtful merges first, then pairs of entities that may be one."""
    for entity in entities:
        if why := _odd_form(entity, language):
            yield Doubt((entity.marker,), why)
        if why := _two_people(entity, language):
            yield Doubt((entity.marker,), why)
    yield from _shared_names(entities, language)


def _words(surface: str, language: Language) -> tuple[str, ...]:
    return tuple(tokenise(surface, language).words)


def _odd_form(entity: Entity, language: Language) -> str:
    """A form that shares no word with the name and is neither its acronym nor its known twin."""
    name = _words(entity.name, language)
    lower = {word.lower() for word in name}
    short = set(initials(name, language))
    for surface in entity.surfaces:
        words = _words(surface, language)
        if (
            lower.isdisjoint(word.lower() for word in words)
            and letters(words, language).upper() not in short
            and letters(words, language) not in letters(name, language)
            and ((twin := twin_of(words, language)) is None or twin != twin_of(name, language))
        ):
            return f"“{surface}” shares nothing with “{entity.name}”"
    return ""


def _two_people(entity: Entity, language: Language) -> str:
    """Two full names with different first words under one marker."""
    if entity.type != "PERSON":
        return ""
    full: dict[str, str] = {}
    for surface in entity.surfaces:
        words = bare(_words(surface, language), language)
        if len(words) > 1:
            full.setdefault(words[0].lower(), surface)
    if len(full) > 1:
        return "two given names: " + ", ".join(f"“{surface}”" for surface in full.values())
    return ""


def _shared_names(entities: Sequence[Entity], language: Language) -> Iterator[Doubt]:
    """A form of one entity that is the first or last word of another's name. Places are left out,
    since they are part of many other names."""
    ends: dict[str, list[Entity]] = {}
    for entity in entities:
        words = _words(entity.name, language)
        if len(words) > 1:
            for word in {words[0], words[-1]}:
                ends.setdefault(word, []).append(entity)
    for entity in entities:
        for surface in entity.surfaces if entity.type not in _PLACES else ():
            for other in ends.get(surface, ()):
                if other.marker != entity.marker:
                    whose = "" if surface == entity.name else f", here “{entity.name}”,"
                    why = f"may “{surface}”{whose} be “{other.name}”?"
                    yield Doubt((entity.marker, other.marker), why)

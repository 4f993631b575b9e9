"""Made-up news, and models whose skill we choose."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cloze.answering import Ranking
from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Document, Entity, Point, Question
from cloze.evaluation.predictions import About, write
from cloze.text import Spacing, Text

FIRST = [
    "Mara",
    "Tobias",
    "Ines",
    "Oskar",
    "Lena",
    "Viktor",
    "Petra",
    "Anselm",
    "Ruta",
    "Colm",
    "Greta",
    "Jonas",
]
LAST = [
    "Venn",
    "Lund",
    "Okafor",
    "Brandt",
    "Sorel",
    "Quist",
    "Hale",
    "Moreau",
    "Tamm",
    "Reyes",
    "Stroud",
    "Iversen",
]
PLACES = ["Kestrel Bay", "Ostrava", "Little Harbour", "Nordvik", "Saint Orrin", "Port Amble"]
VERBS = [
    "visited",
    "praised",
    "sued",
    "joined",
    "left",
    "founded",
    "called",
    "hired",
    "questioned",
    "thanked",
]
NOUNS = [
    "harbour",
    "council",
    "budget",
    "railway",
    "festival",
    "museum",
    "strike",
    "election",
    "bridge",
    "verdict",
]


def press(documents: int, seed: int = 1, longest: int = 60) -> list[Point]:
    """Documents of two to `longest` sentences with one to four questions each."""
    dice = np.random.default_rng(seed)
    return [story(k, dice, int(dice.integers(2, longest + 1))) for k in range(documents)]


def story(number: int, dice: np.random.Generator, sentences: int) -> Point:
    count = int(dice.integers(3, 9))
    names = [f"{dice.choice(FIRST)} {dice.choice(LAST)}" for _ in range(count - 2)]
    names += [str(dice.choice(PLACES)), str(dice.choice(PLACES)) + " Council"]
    types = ["PERSON"] * (count - 2) + ["GPE", "ORG"]
    entities = tuple(
        Entity(k, n, t, (n,)) for k, (n, t) in enumerate(zip(names, types, strict=True))
    )
    tokens: list[str] = []
    surfaces: list[str] = []
    spacing: list[int] = []

    def say(word: str, marker: int | None = None, after: int = Spacing.SPACE) -> None:
        surfaces.append(word if marker is None else names[marker])
        tokens.append(word.lower() if marker is None else f"@entity{marker}")
        spacing.append(int(after))

    facts = []
    for k in range(sentences):
        a, b = (int(x) for x in dice.choice(count, 2, replace=False))
        verb, noun = str(dice.choice(VERBS)), str(dice.choice(NOUNS))
        facts.append((a, verb, noun, b))
        say("", a)
        say(verb)
        say("the")
        say(noun)
        say("of")
        say("", b, Spacing.NOTHING)
        say(".", after=Spacing.PARAGRAPH if k % 4 == 3 else Spacing.SPACE)
    document = Document(
        f"story{number}", Text(tokens, surfaces, spacing), entities, f"http://example.org/{number}"
    )
    asked = []
    for k in range(int(dice.integers(1, 5))):
        a, verb, noun, b = facts[int(dice.integers(len(facts)))]
        query = ["@placeholder", verb, "the", noun, "of", f"@entity{b}"]
        shown = [names[a], verb, "the", noun, "of", names[b]]
        text = Text(query, shown, [int(Spacing.SPACE)] * 6)
        asked.append(Question(f"{document.id}-q{k}", document.id, text, a))
    return document, asked


def answers_of(
    points: list[Point], skill: float, seed: int = 0, steps: int = 0
) -> Iterator[tuple[Document, Question, Ranking]]:
    """A model that is right with probability `skill`, and then more certain.

    steps: 0 for no attention, 1 for one map, n for a map for each of the query's first n tokens.
    """
    dice = np.random.default_rng([seed, 77])
    for document, questions in points:
        candidates = np.array(document.candidates(), np.int32)
        for question in questions:
            right = dice.random() < skill
            others = candidates[candidates != question.answer]
            dice.shuffle(others)
            order = np.concatenate([[question.answer], others]).astype(np.int32)
            if not right and len(order) > 1:
                order[[0, 1]] = order[[1, 0]]
            top = dice.beta(6, 2) if right else dice.beta(3, 4)
            rest = (1 - top) * 0.5 ** np.arange(1, len(order))
            scores = np.concatenate([[max(top, 0.35)], rest[: len(order) - 1]]).astype(np.float32)
            attention = None
            if steps:
                said = np.array([t == f"@entity{order[0]}" for t in document.context.tokens])
                noise = dice.gamma(0.2, size=(steps, len(said)))
                focus = np.linspace(0.1, 8, steps)[:, None] if steps > 1 else 8
                attention = (noise + focus * said).astype(np.float32)
                attention /= attention.sum(axis=1, keepdims=True)
                attention = attention[0] if steps == 1 else attention
            yield document, question, Ranking(order, scores / max(1, scores.sum()), attention)


@pytest.fixture
def make_press(tmp_path: Path) -> Callable[..., tuple[Corpus, list[Point]]]:
    """Write a corpus of made-up stories; returns it opened, and its points."""

    def make(
        documents: int = 20, name: str = "press", split: str = "valid", longest: int = 60
    ) -> tuple[Corpus, list[Point]]:
        points = press(documents, longest=longest)
        folder = tmp_path / name
        write_shard(folder, split, 0, points)
        write_manifest(folder, name=name, options={})
        return Corpus.open(folder), points

    return make


def write_model(
    folder: Path,
    corpus: Corpus,
    answered: Iterator[tuple[Document, Question, Ranking]]
    | list[tuple[Document, Question, Ranking]],
    model: str,
    kind: str = "reader",
    split: str = "valid",
) -> Path:
    path = folder / f"{model.lower().replace(' ', '-')}-{corpus.name}-{split}.parquet"
    about = About(
        model,
        corpus.name,
        corpus.fingerprint,
        split,
        {"seed": 1},
        kind,
        str(corpus.path),
        "0123abc",
        "2015-04-30T12:00:00+00:00",
    )
    write(path, about, answered)
    return path

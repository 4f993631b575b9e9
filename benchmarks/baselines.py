"""Questions per second of each baseline on one core, and word distance against plain Python.

OMP_NUM_THREADS=1 python benchmarks/baselines.py                  synthetic, of CNN's length
OMP_NUM_THREADS=1 python benchmarks/baselines.py CORPUS --split valid
OMP_NUM_THREADS=1 python benchmarks/baselines.py --documents 20 --baseline word-distance

The time is that of the processor, summed over all threads; the variable limits it to one thread.
"""

import argparse
import itertools
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cloze.answering import Ranking, ranked
from cloze.baselines import BASELINES
from cloze.baselines.baseline import Baseline
from cloze.baselines.word_distance import FARTHEST
from cloze.corpus.store import Corpus
from cloze.document import Document, Entity, Point, Question
from cloze.randomness import generator
from cloze.text import PLACEHOLDER, Text, marker_of

TOKENS, ENTITIES, MENTIONS, QUESTIONS, WORDS = 760, 26, 110, 3, 12
COMMON = "the of to in a and said on was for that he with his as at by it from had"
VERBS = "met told called won left joined praised blamed sued hired visited defeated"
NOUNS = "game deal party court police city team report match vote show film war law"


class PlainWordDistance(Baseline):
    """The rival: the same sums in plain Python, looking up the positions of each word."""

    name = "word distance in plain Python"

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        places: dict[str, list[int]] = {}
        for place, token in enumerate(document.context.tokens):
            places.setdefault(token, []).append(place)
        return [self._one(places, question.query.tokens) for question in questions]

    def _one(self, places: dict[str, list[int]], query: list[str]) -> Ranking:
        gap = query.index(PLACEHOLDER)
        words = [
            (k - gap, places.get(word, []))
            for k, word in enumerate(query)
            if k != gap and any(c.isalnum() for c in word)
        ]
        sums = {}
        for token, mentions in places.items():
            if (marker := marker_of(token)) >= 0:
                below = (FARTHEST * len(query) + 1) * (token in query)
                sums[marker] = below + min(
                    sum(
                        min([FARTHEST, *(abs(i - here - off) for i in own if i != here)])
                        for off, own in words
                    )
                    for here in mentions
                )
        return ranked(list(sums), [-float(total) for total in sums.values()])


def synthetic(documents: int) -> list[Point]:
    """Documents of names, verbs and nouns as long as CNN's, with questions taken from them."""
    points = []
    for number in range(documents):
        random = generator(1, number)
        names = [f"{a}ar {b}entis" for a, b in random.choice(list("BDFGKLMNPRST"), (ENTITIES, 2))]
        tokens = random.choice(f"{COMMON} {NOUNS}".split(), TOKENS).tolist()
        weights = 1 / np.arange(1, ENTITIES + 1)
        for place in random.choice(np.arange(1, TOKENS - 1), MENTIONS, replace=False):
            tokens[place] = f"@entity{random.choice(ENTITIES, p=weights / weights.sum())}"
            tokens[place + 1] = str(random.choice(VERBS.split()))
        for place in range(20, TOKENS, 21):
            tokens[place] = "."
        context = _text(tokens, names)
        document = Document(str(number), context, tuple(map(Entity, range(ENTITIES), names)))
        marked = [k for k, token in enumerate(tokens) if marker_of(token) >= 0]
        asked = []
        for place in random.choice(marked, QUESTIONS).tolist():
            start = max(0, place - int(random.integers(WORDS)))
            query = tokens[start : start + WORDS]
            query[place - start] = PLACEHOLDER
            answer = marker_of(tokens[place])
            asked.append(Question(f"{number}-{place}", document.id, _text(query, names), answer))
        points.append((document, asked))
    return points


def _text(tokens: list[str], names: list[str]) -> Text:
    surfaces = [names[m] if (m := marker_of(token)) >= 0 else token for token in tokens]
    return Text(tokens, surfaces, [1] * len(tokens))


def measure(baseline: Baseline, points: Sequence[Point]) -> tuple[float, list[int]]:
    """Questions per second of processor time, without the first document, and the answers."""
    baseline.rank(*points[0])
    said: list[int] = []
    started = time.process_time()
    for document, questions in points:
        said += [ranking.answer for ranking in baseline.rank(document, questions)]
    return len(said) / (time.process_time() - started), said


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("corpus", type=Path, nargs="?")
    options.add_argument("--split", default="valid")
    options.add_argument("--documents", type=int, default=100)
    options.add_argument("--baseline", choices=list(BASELINES), action="append")
    given = options.parse_args()
    if given.corpus:
        read = Corpus.open(given.corpus).read(given.split)
        points = list(itertools.islice(read, given.documents))
    else:
        points = synthetic(given.documents)
    tokens = np.mean([len(document.context) for document, _ in points])
    entities = np.mean([len(document.candidates()) for document, _ in points])
    asked = sum(len(questions) for _, questions in points)
    print(
        f"{len(points)} documents: {tokens:.0f} tokens, {entities:.1f} entities; {asked} questions"
    )
    for name in given.baseline or BASELINES:
        speed, said = measure(BASELINES[name](), points)
        print(f"{name:22s} {speed:10,.0f} questions/s")
        if name == "word-distance":
            rival, same = measure(PlainWordDistance(), points)
            ratio = f"1/{speed / rival:.1f} of that; the same answers: {said == same}"
            print(f"{'  in plain Python':22s} {rival:10,.0f} questions/s   {ratio}")


if __name__ == "__main__":
    main()

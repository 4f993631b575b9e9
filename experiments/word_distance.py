"""What the paper leaves open about the word distance model, measured one choice at a time.

python experiments/word_distance.py CORPUS --split valid

The first row is the shipped model; each further row changes one thing. The sums are computed here
in plain Python, and the first row is checked against the shipped, compiled model.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cloze.baselines.word_distance import FARTHEST, WordDistance
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.progress import track
from cloze.text import PLACEHOLDER, marker_of

_STOP_WORDS = """the a an of to in and is was for on that with as at by from be are were it his her
its he she they has have had this but not or will who been their after says said which would i"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True)
class Choices:
    farthest: int = FARTHEST
    relative: bool = True  # a word's position is that in the question, aligned with the mention
    punctuation: bool = False
    stop_words: bool = True
    stems: bool = False
    named_last: bool = True  # an entity of the question comes below all others
    frequent_first: bool = False  # a tie goes to the more frequent entity, not to the first


VARIANTS = {
    "as shipped": Choices(),
    "distance from the mention itself": Choices(relative=False),
    "punctuation counted": Choices(punctuation=True),
    "stop words passed over": Choices(stop_words=False),
    "endings cut off words": Choices(stems=True),
    "entities of the question as good as others": Choices(named_last=False),
    "ties to the more frequent entity": Choices(frequent_first=True),
    **{f"m = {m}": Choices(farthest=m) for m in (4, 6, 10, 12, 16)},
}


def stem(word: str) -> str:
    if not word.startswith("@"):
        for ending in ("ing", "ies", "ied", "ed", "es", "s", "e", "y"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
    return word


def answers(point: Point, choices: Choices) -> list[int]:
    document, questions = point
    form: Callable[[str], str] = stem if choices.stems else str
    places: dict[str, list[int]] = {}
    for place, token in enumerate(document.context.tokens):
        places.setdefault(form(token), []).append(place)
    frequency = Counter(document.context.tokens)
    said = []
    for question in questions:
        query = question.query.tokens
        gap = query.index(PLACEHOLDER)
        words = [
            (k - gap if choices.relative else 0, places.get(form(word), []))
            for k, word in enumerate(query)
            if k != gap
            and (choices.punctuation or any(c.isalnum() for c in word))
            and (choices.stop_words or word not in STOP_WORDS)
        ]
        best = []
        for token, mentions in places.items():
            if marker_of(token) < 0:
                continue
            least = min(
                sum(
                    min([choices.farthest, *(abs(i - here - off) for i in own if i != here)])
                    for off, own in words
                )
                for here in mentions
            )
            last = choices.named_last and token in query
            tie = -frequency[token] if choices.frequent_first else mentions[0]
            best.append((last, least, tie, marker_of(token)))
        said.append(min(best)[-1] if best else -1)
    return said


def accuracy(points: list[Point], choices: Choices) -> float:
    said = [marker for point in points for marker in answers(point, choices)]
    true = [question.answer for _, questions in points for question in questions]
    return 100 * sum(map(int.__eq__, said, true)) / len(true)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("corpus", type=Path)
    options.add_argument("--split", default="valid")
    given = options.parse_args()
    points = list(Corpus.open(given.corpus).read(given.split))
    shipped = WordDistance()
    for document, questions in points:
        compiled = [ranking.answer for ranking in shipped.rank(document, questions)]
        assert compiled == answers((document, questions), replace(Choices())), document.id
    print(f"{sum(len(q) for _, q in points):,} questions, accuracy in %")
    for name, choices in track(VARIANTS.items(), "measuring", total=len(VARIANTS)):
        print(f"{name:44s} {accuracy(points, choices):.2f}", flush=True)


if __name__ == "__main__":
    main()

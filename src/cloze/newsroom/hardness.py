"""How hard the newsroom's questions are for those who do not read.

One question for each name in a highlight whose entity is in the article; the candidates are the
entities of the article. ``python -m cloze.newsroom.hardness --stories 1000`` prints:

    chance               one of the candidates, drawn blindly
    chance, exclusive    the same, but none that stands in the question
    maximum frequency    the candidate with most mentions in the article
    exclusive frequency  the same, but none that stands in the question
    word overlap         the candidate whose sentence shares most words with the question
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cloze.newsroom.generator import stories
from cloze.newsroom.gold import Gold
from cloze.story import Story

_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Asked:
    answer: int
    present: frozenset[int]  # clusters that stand in the question
    words: frozenset[str]  # of the question, names left out


def questions(story: Story, gold: Gold) -> Iterator[Asked]:
    candidates = {mention.cluster for mention in gold.article}
    for text, mentions in zip(story.highlights, gold.highlights, strict=True):
        words = _words(text, [(m.start, m.end) for m in mentions])
        for asked in mentions:
            if asked.cluster in candidates:
                others = frozenset(m.cluster for m in mentions if m is not asked)
                yield Asked(asked.cluster, others, words)


def measure(corpus: Iterable[tuple[Story, Gold]]) -> dict[str, float]:
    """Accuracies; a tie counts as the share of the tied that is right."""
    total: defaultdict[str, float] = defaultdict(float)
    asked = 0
    for story, gold in corpus:
        frequency = Counter(mention.cluster for mention in gold.article)
        sentences = _sentences(story, gold)
        for question in questions(story, gold):
            asked += 1
            rest = {c: n for c, n in frequency.items() if c not in question.present} or frequency
            overlap = {
                candidate: max(
                    len(words & question.words) + len(question.present & clusters)
                    for clusters, words in sentences
                    if candidate in clusters
                )
                for candidate in rest
            }
            total["chance"] += 1 / len(frequency)
            total["chance, exclusive"] += (question.answer in rest) / len(rest)
            total["maximum frequency"] += _share(frequency, question.answer)
            total["exclusive frequency"] += _share(rest, question.answer)
            total["word overlap"] += _share(overlap, question.answer)
    return {name: value / asked for name, value in total.items()} | {"questions": float(asked)}


def _share(score: dict[int, int], answer: int) -> float:
    best = max(score.values())
    return (score.get(answer) == best) / sum(value == best for value in score.values())


def _words(text: str, names: list[tuple[int, int]]) -> frozenset[str]:
    for start, end in reversed(names):
        text = text[:start] + " " * (end - start) + text[end:]
    return frozenset(_TOKEN.findall(text.lower()))


def _sentences(story: Story, gold: Gold) -> list[tuple[frozenset[int], frozenset[str]]]:
    ends = [match.end() for match in re.finditer(r'[.?!]"?(?=\s|$)', story.article)]
    start = 0
    found = []
    for end in [*ends, len(story.article)]:
        inside = [m for m in gold.article if start <= m.start < end]
        names = [(m.start - start, m.end - start) for m in inside]
        words = _words(story.article[start:end], names)
        found.append((frozenset(m.cluster for m in inside), words))
        start = end
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--stories", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name, figure in measure(stories(arguments.seed, arguments.stories)).items():
        print(f"{name:20} {figure:10.0f}" if name == "questions" else f"{name:20} {figure:10.1%}")

"""The fresh texts as a corpus, for whatever takes a corpus: their names are those marked by hand.

    python experiments/fresh_corpus.py fresh/ --half look --questions 60
    cloze evaluate fresh/ --split test --endpoint http://localhost:8000/v1 --model NAME --form all

With --questions, texts are asked in turn, plain and paraphrased questions alike, until there are
that many: questions about many texts say more than many questions about a few.
"""

import argparse
from pathlib import Path

from cloze.builder.marked_texts import read_texts
from cloze.corpus.card import write_card
from cloze.corpus.statistics import SplitStatistics, Statistics, counted
from cloze.corpus.store import write_manifest, write_shard
from cloze.document import Point, Question
from cloze.files import whole_directory
from fresh import TEXTS, marked

SPLIT = "test"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--texts", type=Path, default=TEXTS)
    parser.add_argument("--half", choices=["look", "final"])
    parser.add_argument("--questions", type=int)
    arguments = parser.parse_args()
    points = [marked(text) for text in read_texts(arguments.texts, arguments.half)]
    if arguments.questions is not None:
        points = in_turn(points, arguments.questions)
    with whole_directory(arguments.out) as folder:
        statistics = SplitStatistics()
        write_shard(folder, SPLIT, 0, counted(points, statistics))
        corpus = write_manifest(folder, name="fresh", options={"half": arguments.half or "both"})
        write_card(corpus, Statistics.of(corpus, {SPLIT: statistics}))
    asked = sum(len(questions) for _, questions in points)
    print(f"{len(points)} texts, {asked} questions: {arguments.out}")


def in_turn(points: list[Point], wanted: int) -> list[Point]:
    """One question of each text, then a second of each, plain and paraphrased by turns."""
    rounds = max(len(questions) for _, questions in points)
    orders = [_by_turns(questions) for _, questions in points]
    places = [
        (k, text) for k in range(rounds) for text in range(len(points)) if k < len(orders[text])
    ]
    chosen = {orders[text][k].id for k, text in places[:wanted]}
    return [(document, [q for q in own if q.id in chosen]) for document, own in points]


def _by_turns(questions: list[Question]) -> list[Question]:
    plain = [q for q in questions if "-plain-" in q.id]
    other = [q for q in questions if "-plain-" not in q.id]
    longest = max(len(plain), len(other))
    return [q for k in range(longest) for q in (*plain[k : k + 1], *other[k : k + 1])]


if __name__ == "__main__":
    main()

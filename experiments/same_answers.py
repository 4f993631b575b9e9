"""Do two machines give the same answers? Compares predictions of the same models in two folders.

python experiments/same_answers.py predictions-gpu predictions-cpu
"""

import sys
from pathlib import Path

from cloze.evaluation.predictions import Predictions


def answers(path: Path) -> dict[str, int]:
    source = Predictions(path)
    return dict(zip(source.whole("question_id"), source.top(1)[0][:, 0].tolist(), strict=True))


def main() -> None:
    first, second = map(Path, sys.argv[1:])
    for path in sorted(first.glob("*.parquet")):
        if (second / path.name).exists():
            one, other = answers(path), answers(second / path.name)
            both = one.keys() & other.keys()
            differ = sum(one[question] != other[question] for question in both)
            print(f"{path.stem}: {len(both):,} questions, {differ:,} answered differently")


if __name__ == "__main__":
    main()

"""Do two machines, or two ways to compute, give the same answers? Compares predictions of the same
models in two folders, and how probable the best candidates are.

python experiments/same_answers.py predictions-gpu predictions-cpu
"""

import sys
from pathlib import Path

import numpy as np

from cloze.evaluation.predictions import Predictions


def answers(path: Path) -> dict[str, tuple[int, float]]:
    """The best candidate of each question, and its score."""
    source = Predictions(path)
    best, scores = source.top(1)
    pairs = zip(best[:, 0].tolist(), scores[:, 0].tolist(), strict=True)
    return dict(zip(source.whole("question_id"), pairs, strict=True))


def main() -> None:
    first, second = map(Path, sys.argv[1:])
    for path in sorted(first.glob("*.parquet")):
        if (second / path.name).exists():
            one, other = answers(path), answers(second / path.name)
            both = one.keys() & other.keys()
            alike = [question for question in both if one[question][0] == other[question][0]]
            off = np.abs([one[question][1] - other[question][1] for question in alike])
            print(
                f"{path.stem}: {len(both):,} questions, {len(both) - len(alike):,} answered "
                f"differently; the scores of the others differ by {off.mean():.4f} on average, "
                f"by {off.max():.4f} at most"
            )


if __name__ == "__main__":
    main()

"""How often the large reader whose answers were kept is right, and how certain it is.

python experiments/teacher.py CORPUS [ANSWERS.npz]
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

KEPT = Path(__file__).parent / "distillation" / "cnn-train.npz"


def answers_of(corpus: Path, split: str) -> np.ndarray:
    files = sorted((corpus / "questions").glob(f"{split}-*.parquet"))
    columns = [pq.read_table(file, columns=["answer"])["answer"].to_numpy() for file in files]
    return np.concatenate(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("answers", type=Path, nargs="?", default=KEPT)
    options = parser.parse_args()
    kept = np.load(options.answers, allow_pickle=False)
    right = answers_of(options.corpus, "train")
    said, sure = kept["candidates"], kept["probabilities"] / 255
    if len(said) != len(right):
        parser.error(f"{options.answers} has {len(said):,} questions, the corpus {len(right):,}")
    print(f"{len(right):,} questions")
    print(f"{100 * np.mean(said[:, 0] == right):.1f} % answered correctly")
    print(f"{100 * np.mean((said == right[:, None]).any(1)):.1f} % among the four kept")
    print(f"{100 * sure[:, 0].mean():.1f} % the first candidate's mean probability")
    print(f"{100 * sure.sum(1).mean():.1f} % the mean probability of the four together")


if __name__ == "__main__":
    main()

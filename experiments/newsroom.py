"""The paper's main table in miniature: four readers, some seeds, on the synthetic newsroom.

    cloze newsroom corpus
    python experiments/newsroom.py corpus --out runs/newsroom

Trains each reader of configs/newsroom with each seed, lets the readers and the baselines answer
the test split, and prints accuracies with 95 % intervals over documents and the minutes of
training. The Impatient Reader starts from the Attentive Reader of its seed, as its config says.
If it is interrupted, run it again: it continues where it stopped.
"""

import argparse
from pathlib import Path

import numpy as np

from cloze.config import load
from cloze.corpus.store import Corpus
from cloze.evaluation.bootstrap import interval
from cloze.evaluation.metrics import load as load_answers
from cloze.evaluation.run import run
from cloze.finding import find
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.registry import kind_of
from cloze.tables import Table, as_markdown, markdown_row
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train

CONFIGS = Path(__file__).parents[1] / "configs" / "newsroom"
READERS = ("deep_lstm", "uniform", "attentive", "impatient")
LATER = ("attention_sum", "stanford", "gated_attention")  # --readers attention_sum ...


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("overrides", nargs="*", help="key=value, which overrides every config")
    parser.add_argument("--out", type=Path, default=Path("runs/newsroom"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--readers", nargs="*", default=READERS, choices=READERS + LATER)
    arguments = parser.parse_args()
    corpus = Corpus.open(arguments.corpus)
    print(
        as_markdown(Table(["model", "seeds", "accuracy", "minutes each"], align="llr")), flush=True
    )
    for name in ("maximum-frequency", "exclusive-frequency", "word-distance"):
        baseline = find(name)
        answers = load_answers(run(baseline, corpus, "test", arguments.out / "baselines"))
        accuracy = shown([answers.correct], answers.documents)
        print(markdown_row([baseline.name, "", accuracy, ""]), flush=True)
    encoded = encode_corpus(arguments.corpus, arguments.out / "encoded", splits=["train", "valid"])
    for reader in arguments.readers:
        rows, minutes = [], []
        for seed in range(1, arguments.seeds + 1):
            out = arguments.out / f"{reader}-{seed}"
            given = [f"encoded={encoded}", f"out={out}", f"run.seed={seed}", *arguments.overrides]
            if reader == "impatient":
                given.append(f"start_from={arguments.out / f'attentive-{seed}' / 'model'}")
            result = train(load(TrainSettings, CONFIGS / f"{reader}.yaml", given), resume=True)
            answers = load_answers(
                run(find(result.model, device="cpu"), corpus, "test", out / "predictions")
            )
            rows.append(answers.correct)
            minutes.append(result.minutes)
        each = ", ".join(f"{100 * row.mean():.1f}" for row in rows)
        times = ", ".join(f"{m:.1f}" for m in minutes)
        name = kind_of(reader.replace("_", "-")).config.name
        print(markdown_row([name, each, shown(rows, answers.documents), times]), flush=True)


def shown(rows: list[np.ndarray], documents: np.ndarray) -> str:
    """The mean over the seeds; the interval draws documents, each with all its runs."""
    found = interval(np.concatenate(rows), np.tile(documents, len(rows)))
    return f"{100 * found.share:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"


if __name__ == "__main__":
    main()

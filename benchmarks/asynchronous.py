"""Asynchronous against synchronous training: the same steps, the wall-clock ratio, the accuracy.

    cloze newsroom corpus --stories 2000 --held-out 200
    python benchmarks/asynchronous.py corpus --workers 2

Both runs read the same questions in the same steps with one CPU thread per process; the difference
is that the workers' gradients are a few updates old and that they use several cores.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from cloze.config import load
from cloze.readers.encode_corpus import encode_corpus
from cloze.tables import Table, as_markdown
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train

CONFIG = Path(__file__).parents[1] / "configs" / "newsroom" / "attentive.yaml"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("overrides", nargs="*", help="key=value, which overrides the config")
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    ways = {"synchronous, 1 process": None}
    ways[f"asynchronous, {arguments.workers} workers"] = arguments.workers
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    accuracies: dict[str, list[float]] = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        encoded = encode_corpus(arguments.corpus, Path(folder) / "encoded")
        for seed in range(1, arguments.seeds + 1):
            for name, workers in ways.items():
                given = [f"encoded={encoded}", f"out={folder}/{seed}-{workers}", f"run.seed={seed}"]
                given += [f"run.steps={arguments.steps}", f"run.workers={workers or 'null'}"]
                given += ["run.epochs=null", "run.patience=null", "run.validate_on=null"]
                given += [f"run.threads={workers or 1}", *arguments.overrides]
                torch.set_num_threads(workers or 1)
                started = time.perf_counter()
                result = train(load(TrainSettings, arguments.config, given))
                seconds[name].append(time.perf_counter() - started)
                accuracies[name].append(100 * result.best_accuracy)
    rows = []
    for name in ways:
        each = ", ".join(f"{accuracy:.1f}" for accuracy in accuracies[name])
        mean = np.mean(accuracies[name])
        rows.append([name, f"{np.mean(seconds[name]):.1f}", each, f"{mean:.1f}"])
    heads = ["", "seconds", "best valid accuracy of each seed", "mean"]
    print(as_markdown(Table(heads, rows, align="lrlr")))
    alone, together = (np.array(accuracies[name]) for name in ways)
    first, second = (np.mean(seconds[name]) for name in ways)
    print(f"wall-clock ratio {first / second:.2f}; ", end="")
    print(f"means {abs(alone.mean() - together.mean()):.1f} points apart", end="")
    if arguments.seeds > 1:
        # Of the difference between two such means, estimated from the spread of the seeds.
        error = np.sqrt((alone.var(ddof=1) + together.var(ddof=1)) / arguments.seeds)
        print(f", standard error {error:.1f}", end="")
    print()


if __name__ == "__main__":
    main()

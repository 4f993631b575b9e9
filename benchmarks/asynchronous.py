"""Asynchronous against synchronous training: the same steps, the wall-clock ratio, the accuracy.

    cloze newsroom corpus --stories 2000 --held-out 200
    python benchmarks/asynchronous.py corpus --workers 2

Both runs read the same questions in the same steps with one CPU thread a process; what differs is
that the workers' gradients are a few updates old and that they use several cores.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from cloze.config import load
from cloze.training.data import encode_corpus, open_encoded
from cloze.training.settings import TrainSettings
from cloze.training.trainer import train

CONFIG = Path(__file__).parents[1] / "configs" / "newsroom" / "attentive.yaml"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("overrides", nargs="*", help="key=value, laid over the config")
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        encoded = encode_corpus(arguments.corpus, Path(folder) / "encoded")
        questions = len(open_encoded(encoded).valid)
        seconds, accuracies = [], []
        for workers in (None, arguments.workers):
            given = [f"encoded={encoded}", f"out={folder}/{workers}", "run.patience=null"]
            given += [f"run.steps={arguments.steps}", f"run.workers={workers or 'null'}"]
            given += [f"run.threads={workers or 1}", "run.epochs=null", *arguments.overrides]
            torch.set_num_threads(workers or 1)
            started = time.perf_counter()
            result = train(load(TrainSettings, arguments.config, given))
            seconds.append(time.perf_counter() - started)
            accuracies.append(result.best_accuracy)
    noise = 1.96 * np.sqrt(2 * np.mean(accuracies) * (1 - np.mean(accuracies)) / questions)
    print("| | seconds | best valid accuracy |\n|---|--:|--:|")
    for name, second, accuracy in zip(
        ("synchronous, 1 process", f"asynchronous, {arguments.workers} workers"),
        seconds,
        accuracies,
        strict=True,
    ):
        print(f"| {name} | {second:.1f} | {accuracy:.2%} |")
    print(f"wall-clock ratio {seconds[0] / seconds[1]:.2f}; ", end="")
    print(f"accuracies {abs(accuracies[0] - accuracies[1]):.2%} apart, noise ±{noise:.2%}")


if __name__ == "__main__":
    main()

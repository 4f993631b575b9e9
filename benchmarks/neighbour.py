"""Another program that computes on two threads beside a benchmark; and what it costs training.

    PYTHONPATH=src python benchmarks/neighbour.py CORPUS    # as made by cloze newsroom CORPUS

prints the questions per second of the Attentive Reader on the newsroom, alone and in company, and
the same with threads that spin as long as GNU OpenMP lets them by itself.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cloze.tables import Table, as_markdown, markdown_row

PRODUCTS = """
import torch
torch.set_num_threads(2)
a = torch.randn(1024, 1024)
a @ a
print("computing", flush=True)
while True:
    a @ a
"""
CONFIG = Path(__file__).parents[1] / "configs/newsroom/attentive.yaml"
WAITS = {"ours": {}, "OpenMP's own": {"GOMP_SPINCOUNT": "300000"}}


@contextlib.contextmanager
def neighbour(wanted: bool) -> Iterator[None]:
    """Runs until the block ends, if wanted."""
    if not wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", PRODUCTS], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            other.stdout.readline()  # it has begun
            yield
        finally:
            other.kill()


def questions_per_second(corpus: str, steps: int, environment: dict[str, str]) -> float:
    """Of the last 50 steps of a training run."""
    with tempfile.TemporaryDirectory() as folder:
        overrides = [f"corpus={corpus}", f"out={folder}/run", f"run.steps={steps}"]
        subprocess.run(
            [sys.executable, "-m", "cloze", "train", str(CONFIG), *overrides, "run.validate_on=10"],
            env=os.environ | environment,
            capture_output=True,
            check=True,
        )
        lines = Path(folder, "run/metrics.jsonl").read_text(encoding="utf-8").splitlines()
        rates = [json.loads(line).get("questions_per_second") for line in lines]
    return float([rate for rate in rates if rate][-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus")
    options = parser.parse_args()
    print(as_markdown(Table(["how threads wait", "alone", "in company", "share"], align="lr")))
    for name, environment in WAITS.items():
        alone = questions_per_second(options.corpus, 150, environment)
        with neighbour(wanted=True):
            company = questions_per_second(options.corpus, 100, environment)
        cells = [f"{alone:,.0f}", f"{company:,.0f}", f"{company / alone:.0%}"]
        print(markdown_row([name, *cells]), flush=True)


if __name__ == "__main__":
    main()

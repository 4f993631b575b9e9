"""How fast this checkout builds a corpus from ready spans beside another one, on the same files.

    git worktree add ../before fca163f
    python benchmarks/before.py ../before news.jsonl spans.jsonl --stories 6000 --rounds 3

Both run as commands, in turn, with the same Python. The clock says how long a build took, and
computing time, which a busy machine changes less, what it cost on all cores together.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from cloze.compressed import lines
from cloze.files import sha256

HERE = Path(__file__).parents[1]


class Cost(NamedTuple):
    clock: float  # seconds
    computing: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path, help="the other checkout")
    parser.add_argument("stories", type=Path)
    parser.add_argument("spans", type=Path)
    parser.add_argument("--stories", dest="count", type=int, default=6000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    checkouts = {"before": given.before.resolve(), "now": HERE}
    costs: dict[str, list[Cost]] = {name: [] for name in checkouts}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, short in ((given.stories, "news.jsonl"), (given.spans, "spans.jsonl")):
            some = islice(lines(path), given.count)
            (folder / short).write_bytes(b"".join(line + b"\n" for line in some))
        for number in range(given.rounds):
            for which in sorted(checkouts, reverse=bool(number % 2)):  # neither is always first
                costs[which].append(build(checkouts[which], folder, which, given.workers))
        compare_bytes(folder)
    tell(costs, given.count)


def build(checkout: Path, folder: Path, name: str, workers: int) -> Cost:
    words = ["train=news.jsonl", name, "--spans", "spans.jsonl", "--name", "news", "--overwrite"]
    command = [sys.executable, "-m", "cloze", "build", *words, "--workers", str(workers)]
    paths = os.environ | {"PYTHONPATH": str(checkout / "src")}
    before, started = computed(), time.monotonic()
    subprocess.run(command, cwd=folder, env=paths, check=True, capture_output=True)
    return Cost(time.monotonic() - started, computed() - before)


def computed() -> float:
    """Seconds that commands which have ended spent on the cores, with their own children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare_bytes(folder: Path) -> None:
    """Whether the same work was done: documents and questions, the manifest aside."""
    before, now = (
        {path.name + path.parent.name: sha256(path) for path in (folder / name).rglob("*.parquet")}
        for name in ("before", "now")
    )
    same = sum(before.get(name) == digest for name, digest in now.items())
    print(f"{same} of {len(now)} files of documents and questions have the same bytes")


def tell(costs: dict[str, list[Cost]], stories: int) -> None:
    middle = {
        name: Cost(*(statistics.median(each) for each in zip(*own, strict=True)))
        for name, own in costs.items()
    }
    for name, cost in middle.items():
        print(f"{name}: {cost.clock:.1f} s, {cost.computing:.1f} s of computing", end="; ")
        print(f"{stories / cost.clock:,.0f} stories a second")
    before, now = middle["before"], middle["now"]
    print(f"now {before.clock / now.clock:.2f} of the speed before", end="; ")
    print(f"by computing time {before.computing / now.computing:.2f}")


if __name__ == "__main__":
    main()

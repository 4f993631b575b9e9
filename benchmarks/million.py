"""Memory and duplicates of a build that many machines could share, from generated stories.

    python benchmarks/million.py --stories 1000000 --repeated 1000 --workers 2

The stories come from the newsroom, their names from its gold. Some of them are repeated in a second
source. Printed are the memory of the command and of its largest worker in each quarter of its time,
for the shares and for --finish, and whether exactly the repeated stories were left out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from cloze.newsroom.corpus import write_raw
from cloze.tables import Table, as_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stories", type=int, default=1_000_000)
    parser.add_argument("--repeated", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="to keep everything in")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        repeated = write_sources(folder, given.stories, given.repeated)
        words = ["news.jsonl", "again.jsonl", "corpus", "--workers", str(given.workers)]
        words += ["--spans", "news.gold.jsonl", "--spans", "again.gold.jsonl"]
        rows = [
            watched("--shard 1/1", [*words, "--shard", "1/1"], folder),
            watched("--finish", [*words, "--finish"], folder),
        ]
        heads = ["", "seconds", *(f"MiB, quarter {n}" for n in range(1, 5)), "worker, MiB"]
        print(as_text(Table(heads, rows)))
        lines = (folder / "corpus" / "rejects.jsonl").read_text().splitlines()
        seen = [json.loads(line) for line in lines]
        again = sorted(each["where"] for each in seen if each["reason"] == "id seen before")
        assert again == repeated, "other stories were left out than those repeated"
        print(f"exactly the {len(again):,} repeated stories were left out")


def write_sources(folder: Path, count: int, repeated: int) -> list[str]:
    """The stories, and some of them in another file; returns the ids of those."""
    if not (folder / "news.jsonl").exists():
        write_raw(folder / "news.jsonl", count=count, seed=1)
    step = count // repeated
    for ending in ("jsonl", "gold.jsonl"):
        with open(folder / f"news.{ending}") as every, open(folder / f"again.{ending}", "w") as out:
            out.writelines(islice(every, 0, step * repeated, step))
    lines = (folder / "again.jsonl").read_text().splitlines()
    return sorted(json.loads(line)["id"] for line in lines)


def watched(name: str, words: list[str], folder: Path) -> list[str]:
    """Run a build; what it took."""
    started = time.monotonic()
    command = [sys.executable, "-m", "cloze", "build", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    driver: list[int] = []
    worker = told = 0
    while process.poll() is None:
        driver.append(resident(process.pid))
        worker = max([worker, *map(resident, children(process.pid))])
        time.sleep(0.2)
        if time.monotonic() - started > 60 * (told + 1):
            told += 1
            shards = len(list(folder.glob(".corpus.shards/*/records/*.json")))
            both = f"{max(driver) / 1024:,.0f} MiB, a worker {worker / 1024:,.0f} MiB"
            print(f"{name}, {told} min: {shards:,} shards; at most {both}", flush=True)
    assert process.returncode == 0, "the build failed"
    quarters = [driver[len(driver) * n // 4 : len(driver) * (n + 1) // 4 + 1] for n in range(4)]
    memory = [f"{max(own) / 1024:,.0f}" for own in quarters]
    return [name, f"{time.monotonic() - started:,.0f}", *memory, f"{worker / 1024:,.0f}"]


def children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def resident(pid: int) -> int:
    """KiB in memory (Linux only)."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


if __name__ == "__main__":
    main()

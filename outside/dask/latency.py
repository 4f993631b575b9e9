"""What distance costs: eight Dask workers, each a process, far from the scheduler and the store.

    python outside/dask/latency.py news.jsonl spans.jsonl --delays 0 0.02 0.1

In each round every message to the scheduler and from it takes the delay, and every operation of the
store, which is the only thing the workers share but for the sources, twice that. Compared with a
plain build of as many processes as the machine has cores; the bytes must be the same.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from cloze.builder.build import build_recipe
from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sources import Columns
from cloze.compressed import lines
from cloze.names.language import RULES

sys.path.insert(0, str(Path(__file__).parents[1] / "clusters"))
from check import free_port, hashes, kill_with_children

CLUSTERS = Path(__file__).parents[1] / "clusters"
WORKERS = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stories", type=Path)
    parser.add_argument("spans", type=Path)
    parser.add_argument("--stories", dest="count", type=int, default=3000)
    parser.add_argument("--delays", type=float, nargs="+", default=[0, 0.02, 0.1])
    parser.add_argument("--run", nargs=2, metavar=("ADDRESS", "STORE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        build(given.stories.parent, *given.run)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, short in ((given.stories, "news.jsonl"), (given.spans, "spans.jsonl")):
            some = islice(lines(path), given.count)
            (folder / short).write_bytes(b"".join(line + b"\n" for line in some))
        started = time.monotonic()
        build_recipe(recipe(folder), folder / "plain", workers=0, overwrite=False)
        plain = time.monotonic() - started
        print(f"{given.count:,} stories, {os.cpu_count()} processes: {plain:.1f} s", flush=True)
        for delay in given.delays:
            seconds = far(folder, delay)
            assert hashes(folder / "corpus") == hashes(folder / "plain"), "other bytes"
            print(
                f"{WORKERS} workers, {1000 * delay:.0f} ms away: {seconds:.1f} s, "
                f"{plain / seconds:.2f} of that speed, the same bytes",
                flush=True,
            )


def recipe(folder):
    source = Source(folder / "news.jsonl", "train", folder / "spans.jsonl")
    return Recipe((source,), "news", "train", Columns(), None, "en", RULES, stories_a_shard=100)


def far(folder, delay):
    """How long a build takes once the cluster is there."""
    own = os.environ | {"FAR_SECONDS": str(2 * delay), "PYTHONPATH": _paths()}
    port, wire = free_port(), free_port()
    script = [sys.executable, __file__, folder / "news.jsonl", folder / "spans.jsonl"]
    with contextlib.ExitStack() as running:

        def start(*words):
            command = [sys.executable, *map(str, words)]
            with open(folder / "log", "a") as log:
                process = subprocess.Popen(command, env=own, stdout=log, stderr=log, cwd=folder)
            running.callback(kill_with_children, process)

        there = ["--host", "127.0.0.1", "--port", port, "--no-dashboard"]
        start("-m", "distributed.cli.dask_scheduler", *there)
        start(CLUSTERS / "delayed.py", wire, port, delay)
        alone = ["--nworkers", WORKERS, "--nthreads", 1, "--memory-limit", 0, "--no-dashboard"]
        preload = ["--preload", CLUSTERS / "far_files.py"]
        address = f"tcp://127.0.0.1:{wire}"
        start("-m", "distributed.cli.dask_worker", address, *alone, *preload)
        wait_for(address)
        started = time.monotonic()
        words = ["--run", f"dask://127.0.0.1:{wire}", f"far://{folder}/store"]
        subprocess.run([*script, *words], env=own, check=True, cwd=folder)
        return time.monotonic() - started


def build(folder, address, store):
    import far_files  # noqa: F401

    from cloze.builder.sharded.build import finish
    from cloze.engines.address import engine_at

    engine = engine_at(address, 0)
    finish(recipe(folder), folder / "corpus", overwrite=True, engine=engine, store=store)


def wait_for(address):
    from distributed import Client

    with Client(address, timeout=120, set_as_default=False) as client:
        client.wait_for_workers(WORKERS, timeout=300)


def _paths():
    """Of the package, and of the files that are far away."""
    import cloze

    return os.pathsep.join([str(Path(cloze.__file__).parents[1]), str(CLUSTERS)])


if __name__ == "__main__":
    main()

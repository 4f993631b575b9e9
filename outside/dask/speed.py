"""How fast a Dask cluster on this machine is beside the pool of processes, on the same files.

    python outside/dask/speed.py news.jsonl spans.jsonl --workers 2

In each round: a plain build, the same by shares on as many processes, and by Dask's workers, which
are running when the clock starts.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from cloze.builder.build import build_recipe
from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded.build import finish
from cloze.builder.sources import Columns
from cloze.engines.dask_cluster import on_dask
from cloze.engines.processes import on_processes
from cloze.names.language import RULES

sys.path.insert(0, str(Path(__file__).parents[1] / "clusters"))
from check import hashes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stories", type=Path)
    parser.add_argument("spans", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    source = Source(given.stories, "train", given.spans)
    recipe = Recipe((source,), "news", "train", Columns(), None, "en", RULES)
    from distributed import LocalCluster

    with LocalCluster(given.workers, threads_per_worker=1, dashboard_address=None) as cluster:
        engines = {
            "shares": on_processes(given.workers),
            "dask": on_dask(cluster.scheduler_address),
        }
        times = {"plain": [], "shares": [], "dask": []}
        for _ in range(given.rounds):
            with tempfile.TemporaryDirectory() as name:
                one_round(recipe, engines, Path(name), given.workers, times)
    plain = statistics.median(times["plain"])
    for name, own in times.items():
        middle = statistics.median(own)
        print(f"{name}: {middle:.1f} s, {plain / middle:.2f} of the speed of a plain build")


def one_round(recipe, engines, folder, workers, times):
    started = time.monotonic()
    report = build_recipe(recipe, folder / "plain", workers=workers, overwrite=False)
    times["plain"].append(time.monotonic() - started)
    for name, engine in engines.items():
        started = time.monotonic()
        finish(recipe, folder / name, overwrite=False, engine=engine)
        times[name].append(time.monotonic() - started)
        assert hashes(folder / name) == hashes(folder / "plain"), f"{name}: other bytes"
    print(
        f"{report.stories:,} stories, {report.tokens.total():,} tokens, the same bytes", flush=True
    )


if __name__ == "__main__":
    main()

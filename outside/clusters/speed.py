"""How fast a cluster on this machine is beside the pool of processes, on the same files.

    outside/dask/.venv/bin/python outside/clusters/speed.py news.jsonl spans.jsonl --on dask
    outside/ray/.venv/bin/python outside/clusters/speed.py news.jsonl spans.jsonl --on ray

In each round: a plain build, the same by shares on as many processes, and by the workers of the
cluster, which is running when the clock starts.
"""

import argparse
import contextlib
import os
import statistics
import tempfile
import time
from pathlib import Path

from check import hashes

from cloze.builder.build import build_recipe
from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded.build import finish
from cloze.builder.sources import Columns
from cloze.engines.address import engine_at
from cloze.names.language import RULES


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stories", type=Path)
    parser.add_argument("spans", type=Path)
    parser.add_argument("--on", choices=CLUSTERS, default="dask")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    source = Source(given.stories, "train", given.spans)
    recipe = Recipe((source,), "news", "train", Columns(), None, "en", RULES)
    with CLUSTERS[given.on](given.workers) as address:
        engines = {
            "shares": engine_at("processes", given.workers),
            given.on: engine_at(address, given.workers),
        }
        times = {name: [] for name in ("plain", *engines)}
        for _ in range(given.rounds):
            with tempfile.TemporaryDirectory() as name:
                one_round(recipe, engines, Path(name), given.workers, times)
    plain = statistics.median(times["plain"])
    for name, own in times.items():
        middle = statistics.median(own)
        print(f"{name}: {middle:.1f} s, {plain / middle:.2f} of the speed of a plain build")


@contextlib.contextmanager
def dask(workers):
    from distributed import LocalCluster

    with LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address.replace("tcp:", "dask:")


@contextlib.contextmanager
def ray(workers):
    from ray.cluster_utils import Cluster

    how = {"num_cpus": workers, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=how)
    os.environ["RAY_ADDRESS"] = cluster.address
    try:
        yield "ray"
    finally:
        cluster.shutdown()


CLUSTERS = {"dask": dask, "ray": ray}


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

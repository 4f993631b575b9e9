"""What a cluster must show: the bytes of one process, whatever happens to its workers.

`outside/dask` and `outside/ray` say how their clusters are started and struck. What is made has the
kind of its work and what happened to it as its name: build-dask-workers-killed.
"""

import contextlib
import hashlib
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import work

from cloze.evaluation.predictions import Predictions
from cloze.newsroom.corpus import write_raw
from cloze.version import commit

STORIES, REPEATED = 2400, 24
EVERY, PIECES = 2.0, 3  # a strike every so many seconds, but not before so many pieces were done
BREAKS = {"encode": (3, 40, 80)}  # pieces after which the driver is killed; it counts words first


def prepare(folder):
    """Stories, some of them twice, and what one process makes of them."""
    if not (folder / "news.jsonl").exists():
        write_raw(folder / "news.jsonl", count=STORIES, seed=1)
        for name in ("news.jsonl", "news.gold.jsonl"):
            lines = (folder / name).read_text().splitlines(keepends=True)
            (folder / name).write_text("".join(lines + lines[:REPEATED]))
    alone = folder / work.ALONE
    made_by = alone / "commit"
    if not made_by.exists() or made_by.read_text() != commit():  # predictions name their commit
        shutil.rmtree(alone, ignore_errors=True)
        for kind, own in work.KINDS.items():
            own.alone(folder, alone / kind)
        made_by.write_text(commit())


def clear(folder, name):
    """What an earlier run of this case left here if it was broken off; the code may have changed
    since, and work of other code is neither continued nor removed."""
    for left in (folder / name, *folder.glob(f".{name}.*")):
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)


def hashes(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def answers(folder):
    """What stands in files of predictions; when they were made, and how long it took, differ."""
    return {
        path.name: (own.columns, replace(own.about, made="", seconds=0))
        for path in sorted(folder.iterdir())
        for own in [Predictions(path)]
    }


def compare(folder, name, happened=""):
    """`happened` is what to say of it."""
    left = [*folder.glob(".*"), *(folder / name).glob(".*.*")]
    assert not left, f"{name}: left behind: {left}"
    kind = kind_of(name)
    read = answers if kind == "evaluate" else hashes
    found = read(folder / name)
    assert found == read(folder / work.ALONE / kind), f"{name}: other than from one process"
    rows = [len(columns) for columns, _ in found.values()] if kind == "evaluate" else []
    what = f"{sum(rows):,} answers" if rows else f"{len(found)} files"
    print(f"{name}: {happened}the same {what} as from one process", flush=True)


def kind_of(name):
    return name.partition("-")[0]


def start(folder, name, address):
    command = [sys.executable, work.__file__, kind_of(name), folder, name, address]
    return subprocess.Popen(command, cwd=folder)


def calm(folder, name, address, happened=""):
    assert start(folder, name, address).wait() == 0
    compare(folder, name, happened)


def struck(folder, name, address, strike):
    """Work during which something is done to its cluster every few seconds."""
    driver = start(folder, name, address)
    strikes = before = 0
    while driver.poll() is None:
        time.sleep(EVERY)
        now = done(folder, name)
        if now >= before + PIECES and strike(strikes):
            strikes, before = strikes + 1, now
    assert driver.returncode == 0, f"{name}: the driver ended with {driver.returncode}"
    assert strikes, f"{name}: nothing was struck"
    compare(folder, name, f"{strikes} struck, ")


def broken_off(folder, name, address, strike):
    """The driver made to end with some of the work done, three times, and started again."""
    for enough in BREAKS.get(kind_of(name), (3, 20, 40)):
        driver = start(folder, name, address)
        while driver.poll() is None and done(folder, name) < enough:
            time.sleep(0.1)
        assert driver.poll() is None, f"{name}: the driver was too quick"
        strike(driver)
        assert driver.wait() != 0
    calm(folder, name, address, "3 struck, ")


def driver_killed(folder, name, address):
    broken_off(folder, name, address, subprocess.Popen.kill)


def done(folder, name):
    """Pieces of work that are kept: beside a folder, or in it, where a file is made."""
    stores = [*folder.glob(f".{name}.shards"), *(folder / name).glob(".*.shards")]
    return sum(
        len(list(store.glob(f"*/{what}/*.json")))
        for store in stores
        for what in ("records", "counts")
    )


def kill_one(parents, is_worker):
    """Kill one of the workers below these processes; False if there is none just now."""
    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        below = [c for pid in parents for c in psutil.Process(pid).children(recursive=True)]
        workers = [each.pid for each in below if is_worker(words_of(each))]
        if workers:
            os.kill(random.choice(workers), 9)
            return True
    return False


def words_of(process):
    """Its command line; nothing if it has ended, though its parent has not taken note of it yet."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return " ".join(process.cmdline())
    return ""


def is_spawned(words):
    return "spawn_main" in words


def kill_with_children(process):
    for each in [*psutil.Process(process.pid).children(recursive=True), process]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each.pid, 9)
    process.wait()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def run_all(folder, cases, chosen):
    """What may happen to each kind of work, or only what was chosen: build-dask-node-killed."""
    for case, run in cases.items():
        for name in (f"{kind}-{case}" for kind in work.KINDS):
            if not chosen or name in chosen:
                clear(folder, name)
                run(name)

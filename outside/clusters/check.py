"""What a cluster must show: the bytes of one process, whatever happens to its workers.

`outside/dask` and `outside/ray` say how their clusters are started and struck.
"""

import contextlib
import hashlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil

from cloze.builder.build import build_recipe
from cloze.builder.sharded.build import build_share, finish
from cloze.engines.processes import on_processes
from cloze.newsroom.corpus import write_raw

HERE = Path(__file__).parent
STORIES, REPEATED = 2400, 24
EVERY, SHARDS = 2.0, 3  # a strike every so many seconds, but not before so many shards were done


def prepare(folder):
    """Stories, some of them twice, and the corpora of one process, of four, and of 64 shares."""
    if (folder / "by-hand").is_dir():
        return
    write_raw(folder / "news.jsonl", count=STORIES, seed=1)
    for name in ("news.jsonl", "news.gold.jsonl"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join(lines + lines[:REPEATED]))
    from build import recipe

    made = recipe(folder)
    for workers in (1, 4):
        build_recipe(made, folder / f"processes-{workers}", workers=workers, overwrite=False)
    numbers = random.Random(1).sample(range(1, 65), 64)
    for number in numbers:
        build_share(made, folder / "by-hand", number=number, of=64, engine=on_processes(1))
    finish(made, folder / "by-hand", overwrite=False)
    for name in ("processes-4", "by-hand"):
        compare(folder, name)


def hashes(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def compare(folder, name):
    found, expected = hashes(folder / name), hashes(folder / "processes-1")
    assert found == expected, f"{name}: other bytes than those of one process"
    assert not list(folder.glob(".*")), f"{name}: something was left behind"
    print(f"{name}: the same {len(found)} files as from one process", flush=True)


def start(folder, name, address):
    command = [sys.executable, HERE / "build.py", folder, name, address]
    return subprocess.Popen(command, cwd=folder)


def calm(folder, name, address):
    assert start(folder, name, address).wait() == 0
    compare(folder, name)


def others(folder, name, address):
    """What else runs on a cluster: encoding and answering."""
    command = [sys.executable, HERE / "others.py", folder, name, address]
    assert subprocess.run(command, cwd=folder, check=False).returncode == 0, f"{name}: others.py"


def struck(folder, name, address, strike):
    """A build during which something is done to its cluster every few seconds."""
    driver = start(folder, name, address)
    strikes = before = 0
    while driver.poll() is None:
        time.sleep(EVERY)
        now = done(folder, name)
        if now >= before + SHARDS and strike(strikes):
            strikes, before = strikes + 1, now
    assert driver.returncode == 0, f"{name}: the driver ended with {driver.returncode}"
    assert strikes, f"{name}: nothing was struck"
    print(f"{name}: {strikes} strikes", flush=True)
    compare(folder, name)


def driver_killed(folder, name, address):
    """The driver killed -9 with some of the work done, three times, and started again."""
    for enough in (3, 20, 40):
        driver = start(folder, name, address)
        while driver.poll() is None and done(folder, name) < enough:
            time.sleep(0.1)
        assert driver.poll() is None, f"{name}: the driver was too quick to be killed"
        driver.kill()
        driver.wait()
    calm(folder, name, address)


def done(folder, name):
    return len(list(folder.glob(f".{name}.shards/*/records/*.json")))


def kill_one(parents, is_worker):
    """Kill one of the workers below these processes; False if there is none just now."""
    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        below = [c for pid in parents for c in psutil.Process(pid).children(recursive=True)]
        workers = [each.pid for each in below if is_worker(" ".join(each.cmdline()))]
        if workers:
            os.kill(random.choice(workers), 9)
            return True
    return False


def kill_with_children(process):
    for each in [*psutil.Process(process.pid).children(recursive=True), process]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each.pid, 9)
    process.wait()

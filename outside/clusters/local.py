"""What needs no cluster: four processes, and 64 shares by hand in random order; calm and struck.

python local.py FOLDER [CASE ...]
"""

import multiprocessing
import os
import random
import sys
import time
from pathlib import Path

import check
import work

from cloze.engines.processes import on_processes

SHARES, STRIKES = 64, 20  # every second share is killed -9, until so many were


def share(kind, folder, name, number):
    how = {"number": number, "of": SHARES, "engine": on_processes(1)}
    work.KINDS[kind].share(folder, folder / name, **how)


def by_hand(folder, name, strikes=0):
    """Each share in a process of its own; one that is killed has its turn again later."""
    dice = random.Random(1)
    waiting = dice.sample(range(1, SHARES + 1), SHARES)
    struck, calm = 0, None
    while waiting:
        number = waiting.pop()
        began = time.monotonic()
        process = processes().Process(
            target=share, args=(check.kind_of(name), folder, name, number)
        )
        process.start()
        if calm and struck < strikes:  # at any moment of the time that the last one took
            process.join(dice.uniform(0, calm))
            process.kill()
            struck, calm = struck + 1, None
            waiting.insert(dice.randrange(len(waiting) + 1), number)
            process.join()
        else:
            process.join()
            calm = time.monotonic() - began
            assert process.exitcode == 0, f"{name}: a share ended with {process.exitcode}"
    work.KINDS[check.kind_of(name)].finish(folder, folder / name, None)
    check.compare(folder, name, f"{struck} struck, " if strikes else "")


def processes():
    """Each is a copy of one that has read everything that takes long to read, and nothing else."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["work", "spacy", "torch"])
    return context


def kill_worker(driver):
    """The command then ends, and says that it should be run again."""
    while not check.kill_one([driver.pid], check.is_spawned):
        assert driver.poll() is None


def main(folder, *chosen):
    check.prepare(folder)
    four = "processes"
    cases = {
        "four-processes": lambda name: check.calm(folder, name, four),
        "four-processes-workers-killed": lambda name: check.broken_off(
            folder, name, four, kill_worker
        ),
        "four-processes-driver-killed": lambda name: check.driver_killed(folder, name, four),
        "shares": lambda name: by_hand(folder, name),
        "shares-killed": lambda name: by_hand(folder, name, STRIKES),
    }
    check.run_all(folder, cases, chosen)


if __name__ == "__main__":
    os.environ["PYTHONPATH"] += os.pathsep + str(Path(__file__).parent)
    main(Path(sys.argv[1]), *sys.argv[2:])

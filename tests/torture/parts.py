"""The four parts of the torture over several processes, and what each counted."""

import contextlib
import multiprocessing
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import torch

from cloze.names.detection import load_pipeline
from cloze.recurrence import loops
from tests.torture import fuzzing
from tests.torture.command_lines import Lines, command_lines
from tests.torture.disturbed import COMMANDS, Command, Disturbance
from tests.torture.fuzzing import Count
from tests.torture.kinds import KINDS
from tests.torture.pairs import Meeting, Pair
from tests.torture.pairs import pairs as all_pairs
from tests.torture.processes import Server
from tests.torture.strikes import Mode, Striker
from tests.torture.world import RULES

LINES_AT_ONCE = 100


@dataclass
class Part:
    heads: list[str]
    rows: list[list[str]] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    summary: str = ""


def fuzz(world: Path, given: Namespace) -> Part:
    _warm_up()
    names = Counter(kind.name for kind in KINDS)
    tasks = [  # by number, which can travel to another process
        (number, _inputs(given, names[kind.name]))
        for number, kind in enumerate(KINDS)
        if given.kind in (None, kind.name)
    ][given.share]
    counts: dict[str, Count] = {KINDS[number].name: Count() for number, _ in tasks}
    for name, count in _spread(partial(_fuzz_one, world, given.seed), tasks, given.jobs):
        counts[name].add(vars(count))
        _say(f"{name}: {count.inputs:,} files, {len(count.findings)} findings")
        _say_all([f"{where}: {how}" for where, how in count.findings.items()])
    part = Part(["kind of file", "read", "refused in a line", "slowest, s", "MiB", "findings"])
    for name, count in counts.items():
        part.findings += [f"{where}: {how}" for where, how in count.findings.items()]
        part.rows.append(_count_row(name, count))
    total = sum(count.inputs for count in counts.values())
    part.summary = f"{total:,} spoilt files of {len(counts)} kinds"
    return part


def _fuzz_one(world: Path, seed: int, task: tuple[int, range]) -> tuple[str, Count]:
    kind, inputs = KINDS[task[0]], task[1]
    return kind.name, fuzzing.fuzz(kind, world, inputs, seed)


def _inputs(given: Namespace, shared: int) -> range:
    """Kinds that are written in several ways share their number of inputs."""
    if given.only is not None:
        return range(given.only, given.only + 1)
    return range(-(-given.inputs // shared))


def _count_row(name: str, count: Count) -> list[str]:
    numbers = [f"{count.inputs:,}", f"{count.refused:,}", f"{count.slowest:.1f}"]
    return [name, *numbers, f"{count.memory >> 20}", str(len(count.findings))]


def lines(world: Path, given: Namespace) -> Part:
    before = fuzzing.fingerprint(world)
    chunks = [
        range(k, min(k + LINES_AT_ONCE, given.lines)) for k in range(0, given.lines, LINES_AT_ONCE)
    ][given.share]
    total = Lines()
    for found in _spread(partial(_some_lines, world, given.seed), chunks, given.jobs):
        total.add(found)
        _say(f"{total.run:,} command lines, {len(total.findings)} findings")
        _say_all(found.findings.values())
    part = Part(["command lines", "refused in a line", "slowest, s", "MiB", "findings"])
    part.findings = list(total.findings.values())
    if fuzzing.fingerprint(world) != before:
        part.findings.append("a command changed what it was given to read")
    row = [f"{total.run:,}", f"{total.refused:,}", f"{total.slowest:.1f}", f"{total.memory >> 20}"]
    part.rows.append([*row, str(len(part.findings))])
    part.summary = f"{total.run:,} command lines as processes"
    return part


def _some_lines(world: Path, seed: int, numbers: range) -> Lines:
    return command_lines(world, numbers, seed, _server())


def strikes(world: Path, given: Namespace) -> Part:
    modes = (Mode.KILL, Mode.TEAR, Mode.FAIL, Mode.FULL)
    heads = [
        "command",
        "changes",
        "killed",
        "killed half-way",
        "failed",
        "full from there",
        "findings",
    ]
    part, total = Part(heads), Counter[Mode]()
    chosen = [k for k, command in enumerate(COMMANDS) if given.kind in (None, command.name)]
    work = partial(_strike_one, world, given.every, given.share)
    for name, changes, counts, findings in _spread(work, chosen, given.jobs):
        _say(f"{name}: {sum(counts.values())} strikes, {len(findings)} findings")
        _say_all(findings)
        cells = [f"{counts[mode]:,}" if counts[mode] else "" for mode in modes]
        part.rows.append([name, f"{changes:,}", *cells, str(len(findings))])
        part.findings += findings
        total.update(counts)
    order = [command.name for command in COMMANDS]
    part.rows.sort(key=lambda row: order.index(row[0]))
    killed, failed = total[Mode.KILL] + total[Mode.TEAR], total[Mode.FAIL] + total[Mode.FULL]
    part.summary = f"{killed:,} kills and {failed:,} failed writes"
    return part


def _strike_one(
    world: Path, every: int, share: slice, number: int
) -> tuple[str, int, Counter[Mode], list[str]]:
    counts, findings = Counter[Mode](), dict[str, str]()
    command = COMMANDS[number]
    with _place() as place:
        disturbed = Disturbance(_striker(), command, world, place)
        for mode, at in all_strikes(command, disturbed.counted, every)[share]:
            counts[mode] += 1
            if wrong := disturbed.strike(mode, at):
                findings.setdefault(wrong.partition(":")[2][:60], wrong)
    return command.name, disturbed.counted[Mode.KILL], counts, list(findings.values())


def all_strikes(command: Command, counted: dict[Mode, int], every: int) -> list[tuple[Mode, int]]:
    return [(mode, at) for mode in command.modes for at in range(1, counted[mode] + 1, every)]


def pairs(world: Path, given: Namespace) -> Part:
    part = Part(["pair", "changes of the first", "meetings", "findings"])
    total = 0
    chosen = [pair.name for pair in all_pairs() if given.kind in (None, pair.name)]
    work = partial(_meet_one, world, given.moments, given.share)
    for name, changes, meetings, findings in _spread(work, chosen, given.jobs):
        _say(f"{name}: {meetings} meetings, {len(findings)} findings")
        _say_all(findings)
        part.rows.append([name, f"{changes:,}", f"{meetings:,}", str(len(findings))])
        part.findings += findings
        total += meetings
    part.rows.sort(key=lambda row: chosen.index(row[0]))
    part.summary = f"{total:,} meetings of two writers"
    return part


def _meet_one(
    world: Path, moments: int, share: slice, name: str
) -> tuple[str, int, int, list[str]]:
    pair: Pair = next(pair for pair in all_pairs() if pair.name == name)
    findings: dict[str, str] = {}
    with _place() as place:
        meeting = Meeting(_striker(), _server(), pair, world, place)
        step = -(-meeting.moments // moments)
        met = range(1, meeting.moments + 1, step)[share]
        for at in met:
            if wrong := meeting.meet(at):
                findings.setdefault(wrong.partition(":")[2][:60], wrong)
    return name, meeting.moments, len(met), list(findings.values())


@cache
def _server() -> Server:
    """One for each process: it takes seconds to start."""
    return _for_this_process(Server())


@cache
def _striker() -> Striker:
    return _for_this_process(Striker())


def _for_this_process(started: Any) -> Any:
    Finalize(None, started.__exit__, exitpriority=1)  # before the process ends
    return started.__enter__()


@contextlib.contextmanager
def _place() -> Iterator[Path]:
    """A folder in memory for one command's output."""
    with tempfile.TemporaryDirectory(prefix="torture-", dir=fuzzing.memory()) as folder:
        yield Path(folder) / "place"


def _spread(work: Callable[[Any], Any], tasks: Sequence[Any], jobs: int) -> Iterator[Any]:
    """Each task in one of several processes; what comes of it, in the order of coming."""
    if jobs == 1:
        yield from map(work, tasks)
        return
    with multiprocessing.Pool(jobs) as pool:
        results: Iterable[Any] = pool.imap_unordered(work, tasks)
        yield from results
        pool.close()
        pool.join()  # so that each ends in its own time, and its server with it


def _warm_up() -> None:
    """What every process would load or compile for itself: before it is forked."""
    torch.set_num_threads(1)
    load_pipeline(RULES)
    for name in ("forward", "backward"):
        loops.compiled(name, torch.float32)


def _say_all(findings: Iterable[str]) -> None:
    for finding in findings:
        _say(f"FOUND {finding}")


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)

"""A short run of each part of the torture; `make torture` does the whole of it."""

import os
import sys
from collections.abc import Iterator
from mmap import mmap
from pathlib import Path

import pytest

from tests.torture.__main__ import arguments
from tests.torture.command_lines import command_lines
from tests.torture.disturbed import COMMANDS, Command, Disturbance
from tests.torture.fuzzing import Count, fuzz_here
from tests.torture.kind import Kind
from tests.torture.kinds import KINDS
from tests.torture.pairs import Meeting, Pair, pairs
from tests.torture.parts import all_strikes
from tests.torture.processes import ROOT, Server, environment
from tests.torture.strikes import Mode, Striker, compiler

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler here")
QUICK = (
    *("build", "encode", "newsroom, raw", "audit", "export to a tar", "prune, over another"),
    *("end of a shared encoding", "share of an evaluation"),
)
MET = ("build and import", "import and newsroom", "encode and encode")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_spoilt_files_are_read_or_refused(world: Path, kind: Kind) -> None:
    count = Count()
    fuzz_here(kind, world, range(1, 7), 1, count, mmap(-1, 8))
    assert count.findings == {}
    assert count.inputs == 6


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as started:
        yield started


@pytest.fixture(scope="module")
def striker() -> Iterator[Striker]:
    with Striker() as started:
        yield started


@only_linux
def test_odd_command_lines_end_well_or_in_a_line(world: Path, server: Server) -> None:
    found = command_lines(world, range(20), 1, server)
    assert found.findings == {}
    assert found.run == 20
    assert found.refused


@only_linux
@needs_compiler
@pytest.mark.parametrize("name", QUICK)
def test_killed_or_failed_at_a_write_it_loses_nothing(
    world: Path, striker: Striker, tmp_path: Path, name: str
) -> None:
    command: Command = next(each for each in COMMANDS if each.name == name)
    disturbed = Disturbance(striker, command, world, tmp_path / "place")
    assert disturbed.counted[Mode.KILL] >= disturbed.counted[Mode.FAIL] > 0
    for mode in (Mode.KILL, Mode.FAIL):
        last = disturbed.counted[mode]
        for at in (last // 2, last):
            assert disturbed.strike(mode, at) == ""


@only_linux
@needs_compiler
@pytest.mark.parametrize("name", MET)
def test_two_writers_at_once_leave_the_work_of_one(
    world: Path, striker: Striker, server: Server, tmp_path: Path, name: str
) -> None:
    pair: Pair = next(each for each in pairs() if each.name == name)
    meeting = Meeting(striker, server, pair, world, tmp_path / "place")
    assert meeting.meet(meeting.moments // 2) == ""


def test_commands_find_packages_where_this_process_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    *ours, last = environment()["PYTHONPATH"].split(os.pathsep)
    assert [Path(place).name for place in ours] == ["src", ROOT.name]
    assert last == "elsewhere"


def test_the_shares_of_a_command_are_all_of_its_strikes() -> None:
    command = COMMANDS[0]
    whole = all_strikes(command, dict.fromkeys(Mode, 7), every=1)
    assert len(whole) == 7 * len(command.modes)
    given = [arguments().parse_args(["strikes", "--share", f"{k}/3"]) for k in (1, 2, 3)]
    shares = [whole[each.share] for each in given]
    assert sorted(strike for share in shares for strike in share) == sorted(whole)
    assert {len(share) for share in shares} == {9, 10}
    with pytest.raises(SystemExit):
        arguments().parse_args(["strikes", "--share", "4/3"])


@only_linux
@needs_compiler
def test_the_striker_sees_what_goes_wrong(world: Path, striker: Striker, tmp_path: Path) -> None:
    """A harness that cannot find anything would find nothing."""
    command: Command = next(each for each in COMMANDS if each.name == "audit")
    disturbed = Disturbance(striker, command, world, tmp_path / "place")
    disturbed.whole = dict.fromkeys(disturbed.whole, b"something else")
    assert "differs from the calm run" in disturbed.strike(Mode.KILL, 1)

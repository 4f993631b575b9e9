"""The torture: spoilt files, odd command lines, kills, full disks, and two writers at once.

    python -m tests.torture                    everything; an hour or so on two idle cores
    python -m tests.torture fuzz --inputs 200  one part, and less of it
    python -m tests.torture fuzz --kind CSV --only 17      one input again, to see why it broke
    python -m tests.torture strikes --kind report --share 2/8      an eighth, for many machines

It prints what it counted and ends with 1 if it found anything.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

from cloze.tables import Table, as_markdown
from tests.torture import parts
from tests.torture.isolated import isolated
from tests.torture.parts import Part
from tests.torture.world import make_world

PARTS = {"fuzz": parts.fuzz, "lines": parts.lines, "strikes": parts.strikes, "pairs": parts.pairs}


def main() -> int:
    given = arguments().parse_args()
    multiprocessing.set_start_method("fork")
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="torture-world-") as folder:
        world = given.world or Path(folder) / "world"
        ended = isolated(lambda say: make_world(world))
        assert ended.status == 0, "the good files could not be made"
        for name in [given.part] if given.part else PARTS:
            begun = time.monotonic()
            part = PARTS[name](world, given)
            _show(name, part, time.monotonic() - begun)
            found += part.findings
    print(f"{len(found)} findings" if found else "no findings")
    return int(bool(found))


def _show(name: str, part: Part, seconds: float) -> None:
    print(f"\n## {name}: {part.summary}, in {seconds / 60:.1f} minutes\n")
    print(as_markdown(Table(part.heads, part.rows)), flush=True)
    for finding in part.findings:
        print(f"\nFOUND {finding}", flush=True)


def arguments() -> argparse.ArgumentParser:
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--inputs", type=int, default=5000, help="spoilt files of each kind")
    parser.add_argument("--lines", type=int, default=2500, help="command lines")
    parser.add_argument("--every", type=int, default=1, help="strike at every n-th change")
    parser.add_argument("--moments", type=int, default=30, help="meetings of each pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=cores)
    parser.add_argument(
        "--share",
        type=_share,
        default=slice(None),
        metavar="K/N",
        help="of the kinds of file, the lines, each command's strikes and each pair's meetings, "
        "every N-th from the K-th on",
    )
    parser.add_argument("--world", type=Path, help="where the good files are, or are to be made")
    parser.add_argument("--kind", help="of file, or of command: this one alone")
    parser.add_argument("--only", type=int, help="of its inputs, this one alone")
    return parser


def _share(text: str) -> slice:
    number, of = map(int, text.split("/"))
    if not 1 <= number <= of:
        raise ValueError("the shares of three are 1/3, 2/3 and 3/3")
    return slice(number - 1, None, of)


if __name__ == "__main__":
    sys.exit(main())

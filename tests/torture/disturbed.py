"""Commands that are killed or fail at every single change that they make to the disk.

Whatever happens, each file that can be seen afterwards is whole: as it was before, or as it would
have become. The same command, run again, ends with the same bytes as one that was never disturbed.
"""

import io
import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq
from warcio.archiveiterator import WARCIterator
from warcio.exceptions import ArchiveLoadFailed

from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded.build import build_share
from cloze.builder.sources import Columns
from cloze.compressed import opened
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.evaluation.answer_parts import Who
from cloze.evaluation.run import Options
from cloze.evaluation.shared import Asked, answer_share
from cloze.names.language import RULES as RULES_SET
from cloze.readers.encode_corpus import Encoding
from cloze.readers.encode_shards import encode_share
from tests.fetching.loopback import Page, Site
from tests.torture.processes import Done
from tests.torture.strikes import Mode, Striker
from tests.torture.world import PAGE, RULES

Contents = dict[str, bytes]
READER = "attentive-reader-tiny-valid.parquet"
KILLED = -9
_THERE = "already exists; choose another place or give --overwrite"
EVERY = (Mode.KILL, Mode.TEAR, Mode.FAIL, Mode.FULL)
# What tells the time, or how fast the machine was.
_TIMES = re.compile(
    rb'("?(?:minutes[^":|]*|seconds|valid_seconds|made|when|commit|[a-z]+_per_second'
    rb'|data_wait_share)"?\s*[:|]\s*)[^,}|\n<]+'
)


_MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+\d:-]*|(?<=^\| \d \| )\d+\.\d", re.M)


@dataclass(frozen=True)
class Command:
    name: str
    words: Callable[[Path], list[str]]  # of the world
    modes: tuple[Mode, ...] = EVERY
    before: Callable[[Path, Path], object] | None = None  # puts into the folder what is replaced
    growing: frozenset[str] = frozenset()  # files that are written line by line
    ignored: tuple[str, ...] = ()  # patterns of files that tell what happened to a run
    hidden: tuple[str, ...] = field(default=())  # what a run that failed keeps, to be taken up
    unfinished: tuple[str, ...] = ()  # patterns of files that a run goes on with, each at any stage


def _news(world: Path) -> list[str]:
    return [
        str(world / "news" / "news.jsonl"),
        "corpus",
        "--spans",
        str(world / "news" / "spans.jsonl"),
    ]


def _build(world: Path) -> list[str]:
    return ["build", *_news(world), "--split", "valid", "--workers", "1"]


def _train(world: Path) -> list[str]:
    return [
        "train",
        str(world / "train.yaml"),
        f"encoded={world / 'encoded'}",
        "out=run",
        "--resume",
    ]


def _search(world: Path) -> list[str]:
    return ["search", str(world / "search.yaml"), f"encoded={world / 'encoded'}", "--out", "study"]


def _bulk(world: Path) -> list[str]:
    given = str(world / "bulk" / "questions.jsonl")
    return ["ask", "maximum-frequency", "--batch", given, "--out", "a.jsonl", "--pipeline", RULES]


def _share(world: Path) -> list[str]:
    return [*_build(world), "--shard", "1/1"]


def _end(world: Path) -> list[str]:
    return [*_build(world)[:-2], "--finish"]


def _shared(world: Path, folder: Path) -> None:
    """The shards of a build are all there."""
    source = Source(world / "news" / "news.jsonl", None, world / "news" / "spans.jsonl")
    made = Recipe((source,), "corpus", "valid", Columns(), None, "en", RULES_SET)
    build_share(made, folder / "corpus", number=1, of=1, engine=map)


def _encode(*more: str) -> Callable[[Path], list[str]]:
    return _on("encode", "corpus", "encoded", *more)


def _encoded_shards(world: Path, folder: Path) -> None:
    asked = Encoding(Corpus.open(world / "corpus"))
    encode_share(asked, folder / "encoded", None, number=1, of=1, engine=map)


def _evaluate_share(world: Path) -> list[str]:
    return [*_evaluate(world), "--shard", "1/1", "--workers", "1"]


def _evaluate_end(world: Path) -> list[str]:
    return [*_evaluate(world), "--finish"]


def _answered_parts(world: Path, folder: Path) -> None:
    who = [Who("maximum-frequency", "cpu"), Who(str(world / "model"), "cpu")]
    corpus, out = Corpus.open(world / "corpus"), folder / "predictions"
    asked = Asked(who, corpus, "valid", out, Options(attention=True))
    answer_share(asked, number=1, of=1, engine=map)


def _evaluate(world: Path) -> list[str]:
    given = ["evaluate", "maximum-frequency", str(world / "model"), str(world / "corpus")]
    return [*given, "--attention", "--device", "cpu"]


def _on(verb: str, source: str, *more: str) -> Callable[[Path], list[str]]:
    return lambda world: [verb, str(world / source), *more]


def _old(source: str, name: str) -> Callable[[Path, Path], object]:
    """Something of the world stands where the output goes."""
    return lambda world, folder: shutil.copytree(world / source, folder / name)


def _calibrate(world: Path) -> list[str]:
    return ["calibrate", "model", str(world / "predictions" / READER)]


def _card(world: Path) -> list[str]:
    return ["card", "model", str(world / "predictions" / READER)]


def _addresses(world: Path, folder: Path) -> None:
    """A list of pages of a site that is started in this process."""
    places = [f"{_site().url}/2015/03/09/{name}" for name in ("rain", "gone", "snow")]
    (folder / "urls.txt").write_text("\n".join(places))


@cache
def _site() -> Site:
    def page(path: str, before: int) -> Page:
        missing = path.endswith(("gone", "robots.txt"))
        return Page("", "404 Not Found") if missing else Page(PAGE)

    return Site(page).__enter__()  # its thread ends with the process


_FETCH = ("fetch", "urls.txt", "pages", "--contact", "a@example.org", "--allow-local")
_NEWSROOM = ("newsroom", "news", "--stories", "2", "--held-out", "1")
_SHARES = (".*.shards",)
_WORK = (".*.building", ".*.lock")
COMMANDS: tuple[Command, ...] = (
    Command("build", _build, hidden=_WORK),
    Command(
        "build, over another",
        lambda world: [*_build(world), "--overwrite"],
        before=_old("corpus", "corpus"),
        hidden=_WORK,
    ),
    Command(
        "annotate",
        _on("annotate", "news/news.jsonl", "s.jsonl.zst", "--pipeline", RULES, "--workers", "1"),
        hidden=_WORK,
    ),
    Command("split", _on("split", "news/news.jsonl", "parts", "--stories", "1")),
    Command("encode", _encode()),
    Command("train", _train, growing=frozenset(["run/metrics.jsonl"])),
    Command(
        "search",
        _search,
        (Mode.KILL, Mode.FAIL),
        growing=frozenset(["study/journal.log"]),
        ignored=("study/journal.log*", "study/locks/*", "study/table.md", "*/metrics.jsonl"),
    ),
    Command("evaluate", _evaluate, hidden=_WORK),
    Command("newsroom", lambda world: [*_NEWSROOM]),
    Command("newsroom, raw", lambda world: ["newsroom", "n.jsonl", "--raw", "--stories", "2"]),
    Command("audit", _on("audit", "corpus", "--out", "audit.html")),
    Command("import", _on("import", "questions.tar", "corpus")),
    Command("export", _on("export", "corpus", "questions")),
    Command("export to a tar", _on("export", "corpus", "questions.tar")),
    Command("export as lines", _on("export", "corpus", "chen", "--format", "danqi")),
    Command("export as a table", _on("export", "corpus", "table", "--format", "parquet")),
    Command("prune", _on("prune", "model", "small", "--words", "5")),
    Command(
        "prune, over another",
        _on("prune", "model", "small", "--words", "5", "--overwrite"),
        before=_old("model", "small"),
    ),
    Command("heatmap", _on("heatmap", "predictions", "--out", "maps.html")),
    Command("heatmap as pictures", _on("heatmap", "predictions", "--out", "maps", "--pairs", "1")),
    Command("ask in bulk", _bulk, hidden=_WORK),
    Command("calibrate", _calibrate, before=_old("model", "model")),
    Command("card", _card, before=_old("model", "model")),
    Command("encode in parts", _encode("--part-size", "1KiB")),
    Command("share of a build", _share, hidden=_SHARES),
    Command("end of a sharded build", _end, before=_shared, hidden=(*_WORK, *_SHARES)),
    Command("share of an encoding", _encode("--shard", "1/1", "--workers", "1"), hidden=_SHARES),
    Command(
        "end of a shared encoding", _encode("--finish"), before=_encoded_shards, hidden=_SHARES
    ),
    Command("share of an evaluation", _evaluate_share, ignored=("seconds/*",), hidden=_SHARES),
    Command(
        "end of a shared evaluation",
        _evaluate_end,
        before=_answered_parts,
        hidden=(*_WORK, *_SHARES),
    ),
    Command(
        "export as a test",
        _on("export", "corpus", "test", "--format", "lm-eval", "--split", "valid"),
        (Mode.KILL, Mode.FAIL),
    ),
    Command(
        "fetch",
        lambda world: [*_FETCH, "--every", "0", "--pause", "0"],
        before=_addresses,
        ignored=("pages/account.sqlite-*",),
        unfinished=("pages/*",),
    ),
    Command("report", _on("report", "predictions", "--out", "report"), (Mode.KILL, Mode.FAIL)),
)


class Disturbance:
    """One command, its calm run, and what becomes of it when it is struck."""

    def __init__(self, striker: Striker, command: Command, world: Path, place: Path) -> None:
        self.striker, self.command, self.world, self.place = striker, command, world, place
        self.words = command.words(world)
        self.fresh()
        self.old = self.seen()
        calm = self._run(Mode.COUNT, 0)
        assert calm.status == 0, calm.err
        self.counted = striker.counted
        self.whole = self.seen()
        self.names = set(_all_names(place))

    def strike(self, mode: Mode, at: int) -> str:
        """Strike once and run again; what was wrong, or nothing."""
        self.fresh()
        struck = self._run(mode, at)
        wrong = self._wrong_after(struck, mode)
        if wrong or struck.status == 0:
            return f"{mode.name} {at} of {self.command.name}: {wrong}" if wrong else ""
        whole = mode in (Mode.KILL, Mode.TEAR) and not self._differs()
        again = self._run(Mode.COUNT, 0)
        refused = "" if again.status == 0 else again.last_line
        if whole and refused.endswith(_THERE):  # killed when all was done: it does stand there
            refused = ""
        wrong = again.wrong() or refused or self._differs()
        left = [name for name in self.left() if mode not in (Mode.KILL, Mode.TEAR)]
        wrong = wrong or (f"left behind: {left}" if left else "")
        return f"{mode.name} {at} of {self.command.name}, run again: {wrong}" if wrong else ""

    def _run(self, mode: Mode, at: int) -> Done:
        return self.striker.run(self.words, self.place, mode, at)

    def fresh(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        if self.command.before is not None:
            self.command.before(self.world, self.place)

    def _wrong_after(self, struck: Done, mode: Mode) -> str:
        for name, content in self.seen().items():
            unfinished = any(Path(name).match(pattern) for pattern in self.command.unfinished)
            if content not in (self.old.get(name), self.whole.get(name)) and not unfinished:
                return f"{name} is neither the old one nor the new one"
        if mode in (Mode.KILL, Mode.TEAR):
            return "" if struck.status == KILLED else f"was not killed: {struck.err[-300:]!r}"
        if struck.status == 0:  # a failure that did no harm
            return self._differs()
        if struck.wrong() or struck.status != 2:
            return struck.wrong()
        if "disk is full" not in struck.last_line and "No space left" not in struck.last_line:
            return f"does not say that the disk is full: {struck.last_line!r}"
        left = [name for name in self.left() if not self._kept(name)]
        return f"left behind: {left}" if left else ""

    def _differs(self) -> str:
        now = self.seen()
        odd = sorted(n for n in now.keys() | self.whole.keys() if now.get(n) != self.whole.get(n))
        return f"differs from the calm run in {odd[:3]}" if odd else ""

    def left(self) -> list[str]:
        """Hidden names that a calm run does not leave."""
        new = set(_all_names(self.place)) - self.names
        return sorted(name for name in new if _hidden(name) and not self._set_aside(name))

    def _kept(self, name: str) -> bool:
        """Whether it is, or lies in, something that the next run takes up."""
        places = (Path(name), *Path(name).parents)
        return any(place.match(p) for place in places for p in self.command.hidden)

    def seen(self) -> Contents:
        """Every file that is not hidden, without what tells the time."""
        return {
            name: _content(self.place / name)
            for name in _all_names(self.place)
            if (self.place / name).is_file() and not _hidden(name) and not self._set_aside(name)
        }

    def _set_aside(self, name: str) -> bool:
        growing = name in self.command.growing
        return growing or any(Path(name).match(pattern) for pattern in self.command.ignored)


def _account(path: Path) -> bytes:
    """What became of each address; when, and in how many bytes, differs from run to run."""
    with closing(sqlite3.connect(path)) as base, suppress(sqlite3.Error):
        found = base.execute("select address, host, outcome, reason, status, url from addresses")
        return repr(found.fetchall()).encode()
    return b"no account yet"


def _pages(path: Path) -> bytes:
    half = (ArchiveLoadFailed, UserError)  # a record that a kill cut off
    with redirect_stderr(io.StringIO()), suppress(*half), opened(path) as stream:
        found = [(r.rec_type, r.content_stream().read()) for r in WARCIterator(stream)]
        return repr([each for each in found if each[0] == "response"]).encode()
    return b"no WARC"


def _all_names(place: Path) -> Iterator[str]:
    return (str(path.relative_to(place)) for path in sorted(place.rglob("*")))


def _hidden(name: str) -> bool:
    return any(part.startswith(".") for part in Path(name).parts)


def _content(path: Path) -> bytes:
    if path.suffix == ".sqlite":
        return _account(path)
    if path.name.endswith(".warc.gz"):
        return _pages(path)
    if path.suffix == ".parquet":
        metadata = pq.read_metadata(path).metadata or {}
        if b"cloze" in metadata:
            head = json.loads(metadata[b"cloze"]) | {"made": 0, "seconds": 0, "commit": 0}
            return f"{head} {pq.read_table(path).to_pylist()}".encode()
    content = _MOMENT.sub(b"", path.read_bytes())
    if path.name == "manifest.json":  # of a checkpoint, whose state tells the time
        files = json.loads(content)["files"]
        return f"{[files[name] for name in sorted(files) if name != 'state.json']}".encode()
    if path.suffix in (".json", ".jsonl", ".md", ".html", ".yaml"):
        content = _TIMES.sub(rb"\1", content)
    return b"".join(line for line in content.splitlines(True) if not line.startswith(b"#"))

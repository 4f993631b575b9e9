"""What one core does in each step of making a corpus, and what millions of articles then need.

    python benchmarks/scale.py news.jsonl.zst spans.jsonl.zst --stories 1000 --text 60 --pages 300

Each step runs in one process, and computing time is counted rather than the clock, so that a busy
machine gives nearly the same figures as an idle one. Disk is for one step's output. Pages are
fetched from the server of benchmarks/fetch.py, those on which it behaves; they have the newsroom's
stories, a few paragraphs each.
"""

import argparse
import json
import multiprocessing
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import fetch

from cloze.builder.annotate import annotate_chunk
from cloze.builder.build import build_chunk
from cloze.builder.build_input import Source
from cloze.builder.pages.page import Page, Reading
from cloze.builder.pages.story_on_page import story_on
from cloze.builder.recipe import Recipe
from cloze.builder.sharded.build import build_share, finish
from cloze.builder.sharded.folder_store import FolderStore
from cloze.builder.sharded.hashed_sources import HashedSources
from cloze.builder.sharded.plan import begin, plan_of
from cloze.builder.sharded.run import _prepare
from cloze.builder.sources import Columns, read_stories, warc_files
from cloze.compressed import lines
from cloze.engines.processes import on_processes
from cloze.names.language import RULES
from cloze.readers.encode_corpus import encode_corpus
from cloze.stories import Story
from cloze.tables import Table, as_text

MILLIONS = (1, 10, 100)
CORES = 64  # for an example
WHOLE = ("plain", "packed", "in chunks")  # pages of the server that come at once and are whole


class Step(NamedTuple):
    name: str
    a_second: float  # articles, on one core
    bytes_each: float  # of output, for an article


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stories", type=Path)
    parser.add_argument("spans", type=Path)
    parser.add_argument("--stories", dest="count", type=int, default=1000)
    parser.add_argument("--text", type=int, default=60, help="stories to annotate")
    parser.add_argument("--pages", type=int, default=300, help="to fetch, and to read")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        steps = list(from_pages(given.pages, Path(name))) if given.pages else []
        steps += measured(given.stories, given.spans, given.count, given.text, Path(name))
    rows = [[s.name, f"{s.a_second:,.0f}", f"{s.bytes_each / 1000:.1f}"] for s in steps]
    print(as_text(Table(["step", "articles/s", "kB each"], rows)))
    print(as_text(planning(steps)))


def from_pages(count: int, folder: Path) -> Iterator[Step]:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=fetch.serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    good = (n for n in range(9 * count) if fetch.kind_of(n) in WHOLE and not fetch.is_archived(n))
    addresses = [fetch.address_of(number, port) for number in islice(good, count)]
    (folder / "urls.txt").write_text("\n".join(addresses) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = fetch.Run(folder, port, seed=1)
    subprocess.run(run.words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    server.terminate()
    (warc,) = run.out.glob("*.warc.gz")
    yield Step("fetch", count / seconds, warc.stat().st_size / count)
    pages = [page for page in warc_files.read(warc, Columns()) if isinstance(page, Page)]
    assert len(pages) == count
    story_on(pages[0], Reading())  # warm
    seconds, _ = clocked(lambda: [story_on(page, Reading()) for page in pages])
    yield Step("extract", count / seconds, 0)


def measured(stories: Path, spans: Path, count: int, text: int, folder: Path) -> Iterator[Step]:
    source = plain(stories, spans, count, folder)
    chosen = [s for s in read_stories(source.stories, Columns()) if isinstance(s, Story)]
    if text:
        annotate_chunk(chosen[:2], None, "en", ".zst")  # warm
        seconds, made = clocked(lambda: annotate_chunk(chosen[:text], None, "en", ".zst"))
        yield Step("annotate", text / seconds, len(made) / text)
    recipe = Recipe((source,), "benchmark", "train", Columns(), None, "en", RULES)
    out, here = folder / "corpus", on_processes(1)
    stores = FolderStore(folder / ".corpus.shards")
    sources = HashedSources.of(recipe.paths(), stores)
    plan = plan_of(recipe, build_chunk, stores, sources.read)
    sources.keep(stores)
    begin(plan)
    seconds, _ = clocked(lambda: _prepare(plan, here))
    yield Step("survey", count / seconds, size(plan.store.root) / count)
    seconds, _ = clocked(lambda: build_share(recipe, out, number=1, of=1, engine=here))
    yield Step("build", count / seconds, size(plan.store.root / "files") / count)
    seconds, _ = clocked(lambda: finish(recipe, out, overwrite=False))
    yield Step("finish", count / seconds, 0)
    seconds, _ = clocked(lambda: encode_corpus(out, folder / "encoded"))
    yield Step("encode", count / seconds, size(folder / "encoded") / count)


def plain(stories: Path, spans: Path, count: int, folder: Path) -> Source:
    """The first stories and their spans, unpacked: the form that can be cut anywhere."""
    for path, name in ((stories, "stories.jsonl"), (spans, "spans.jsonl")):
        (folder / name).write_bytes(b"".join(line + b"\n" for line in islice(lines(path), count)))
    for story, own in zip(
        lines(folder / "stories.jsonl"), lines(folder / "spans.jsonl"), strict=True
    ):
        assert json.loads(story)["id"] == json.loads(own)["id"]
    return Source(folder / "stories.jsonl", None, folder / "spans.jsonl")


def clocked(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    done = work()
    return time.process_time() - started, done


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def planning(steps: list[Step]) -> Table:
    heads = ["step", *(f"{m} M: core-hours" for m in MILLIONS), *(f"{m} M: GB" for m in MILLIONS)]
    rows = [
        [step.name]
        + [f"{m * 1e6 / step.a_second / 3600:,.1f}" for m in MILLIONS]
        + [f"{m * 1e6 * step.bytes_each / 1e9:,.1f}" for m in MILLIONS]
        for step in steps
    ]
    hours = [sum(m * 1e6 / step.a_second / 3600 for step in steps) for m in MILLIONS]
    size = [sum(m * step.bytes_each / 1000 for step in steps) for m in MILLIONS]
    rows.append(["together", *(f"{n:,.1f}" for n in (*hours, *size))])
    rows.append([f"on {CORES} cores, hours", *(f"{n / CORES:,.1f}" for n in hours), *[""] * 3])
    return Table(heads, rows)


if __name__ == "__main__":
    main()

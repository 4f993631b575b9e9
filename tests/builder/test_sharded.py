"""A build in shares, on any machine and in any order, ends with the bytes of a plain build."""

import csv
import gzip
import io
import json
import os
import random
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from cloze.builder import annotate as annotating
from cloze.builder import build as plain
from cloze.builder.build import build_recipe
from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded import bucket_store, duplicates, folder_store, plan, versions
from cloze.builder.sharded import build as builds
from cloze.builder.sharded import survey as surveys
from cloze.builder.sharded.annotate import Annotation, annotate_share
from cloze.builder.sharded.annotate import finish as finish_spans
from cloze.builder.sharded.bucket_store import BucketStore
from cloze.builder.sharded.build import build_share, finish
from cloze.builder.sharded.folder_store import FolderStore
from cloze.builder.sharded.stores import Store
from cloze.builder.sources import Columns, Reading, parts_of, read_part, read_stories
from cloze.cli.main import app
from cloze.compressed import line_ranges, lines
from cloze.corpus.store import Corpus
from cloze.engines.processes import on_processes
from cloze.errors import UserError
from cloze.names.language import RULES
from cloze.names.spans import StorySpans
from cloze.newsroom import stories as newsroom
from cloze.newsroom.corpus import to_point, write_raw
from cloze.stories import Story
from tests.builder.newsroom_source import all_bytes, write_source
from tests.builder.pages import written


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many parts of a few stories, and only a few hashes in memory."""
    monkeypatch.setattr(plan, "PART_BYTES", 15_000)
    monkeypatch.setattr(plan, "_SPAN_BYTES", 4_000)
    monkeypatch.setattr(duplicates, "MOST_HASHES", 20)


def recipe(*sources: Source, split: str = "hash:valid=20,test=5") -> Recipe:
    return Recipe(sources, "news", split, Columns(), None, "en", RULES, stories_a_shard=6)


def by_hand(made: Recipe, out: Path, of: int, seed: int = 1) -> None:
    numbers = list(range(1, of + 1))
    random.Random(seed).shuffle(numbers)
    for number in numbers:
        build_share(made, out, number=number, of=of, engine=on_processes(1))


def check_same(made: Recipe, folder: Path, of: int = 5) -> None:
    build_recipe(made, folder / "plain", workers=1, overwrite=False)
    by_hand(made, folder / "hand", of)
    finish(made, folder / "hand", overwrite=False)
    assert all_bytes(folder / "hand") == all_bytes(folder / "plain")
    assert not list(folder.glob(".*"))


Records = list[dict[str, Any]]


def as_gzip(records: Records, folder: Path) -> Path:
    path = folder / "news.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    return path


def as_csv(records: Records, folder: Path) -> Path:
    path = folder / "news.csv"
    with open(path, "w", newline="") as file:
        rows = csv.DictWriter(file, records[0])
        rows.writeheader()
        rows.writerows(r | {"highlights": "\n".join(r["highlights"])} for r in records)
    return path


def as_parquet(records: Records, folder: Path) -> Path:
    path = folder / "news.parquet"
    pq.write_table(pa.Table.from_pylist(records), path, row_group_size=9)
    return path


def as_folder(records: Records, folder: Path) -> Path:
    made = folder / "stories"
    for number, record in enumerate(records):
        text = record["article"] + "".join(f"\n\n@highlight\n\n{h}" for h in record["highlights"])
        path = made / str(number % 3) / f"{record['id']}.story"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (made / "0" / "bad.story").write_bytes(b"\xff")
    (made / "0" / "notes.txt").write_text("nothing to read")
    return made


def as_tar(records: Records, folder: Path) -> Path:
    with tarfile.open(folder / "stories.tar", "w") as tar:
        for path in as_folder(records, folder).rglob("*.story"):
            tar.add(path, path.name)
    return folder / "stories.tar"


KINDS = [as_gzip, as_csv, as_parquet, as_folder, as_tar]


def stories_of(folder: Path, count: int, seed: int = 5) -> tuple[Records, dict[str, str]]:
    stories, spans = write_source(folder, count, seed)
    records = [json.loads(line) for line in stories.read_text().splitlines()]
    return records, {json.loads(line)["id"]: line for line in spans.read_text().splitlines()}


def spans_of(source: Path, lines: dict[str, str], to: Path) -> Path:
    read = read_stories(source, Columns())
    to.write_text("\n".join(lines[story.id] for story in read if isinstance(story, Story)))
    return to


@pytest.mark.parametrize("write", KINDS, ids=lambda kind: kind.__name__)
def test_any_source_in_shares_gives_the_bytes_of_a_plain_build(
    tmp_path: Path, write: Callable[[Records, Path], Path]
) -> None:
    records, spans = stories_of(tmp_path / "in", 40)
    source = write(records + records[7:10], tmp_path / "in")
    own = spans_of(source, spans, tmp_path / "in" / "own.jsonl")
    check_same(recipe(Source(source, None, own)), tmp_path)


def test_duplicates_rejects_several_sources_and_fixed_splits(tmp_path: Path) -> None:
    one, one_spans = write_source(tmp_path / "one", 50)
    two, two_spans = write_source(tmp_path / "two", 30, seed=6)
    kept, kept_spans = one.read_text().splitlines(), one_spans.read_text().splitlines()
    one.write_text("\n".join(["{", "", *kept[:20], '{"id": 7}', *kept[20:], kept[3], "[]"]))
    one_spans.write_text("\n".join([*kept_spans, kept_spans[3]]))
    sources = (
        Source(one, None, one_spans),
        Source(two, "late", two_spans),
        Source(two, "train", two_spans),  # all of it seen before
        Source(one, None, one_spans),
    )
    check_same(recipe(*sources), tmp_path)
    rejected = Corpus.open(tmp_path / "hand").manifest["rejects"]
    seen = sum(reasons.get("id seen before", 0) for reasons in rejected.values())
    assert seen == 1 + 30 + 51


def test_stories_without_a_date_and_lists_of_ids(tmp_path: Path) -> None:
    records, spans = stories_of(tmp_path / "in", 25)
    for record in records[::4]:
        record["date"] = record["url"] = None
    source = as_gzip(records, tmp_path / "in")
    own = spans_of(source, spans, tmp_path / "in" / "own.jsonl")
    check_same(recipe(Source(source, None, own), split="months:valid=2015-03"), tmp_path / "months")
    (tmp_path / "valid.txt").write_text("\n".join(record["id"] for record in records[3:12]))
    rule = f"ids:valid={tmp_path / 'valid.txt'}"
    check_same(recipe(Source(source, None, own), split=rule), tmp_path / "ids")


def test_sources_with_and_without_spans_share_a_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, spans = write_source(tmp_path / "one", 20)
    two, other = write_source(tmp_path / "two", 20, seed=6)
    found = {json.loads(line)["id"]: json.loads(line) for line in other.read_text().splitlines()}

    def annotate(stories: list[Story], *_: object) -> Iterator[StorySpans]:
        for story in stories:
            own = found[story.id]
            yield StorySpans(story.id, [own["article"], *own["highlights"]])

    monkeypatch.setattr(plain, "annotate", annotate)
    monkeypatch.setattr("cloze.builder.recipe.pipeline_name", lambda *_: "found")
    check_same(recipe(Source(one, "train", spans), Source(two, "train")), tmp_path)


def test_the_number_of_shares_may_change_and_an_engine_may_do_the_rest(tmp_path: Path) -> None:
    stories, spans = write_source(tmp_path / "in", 60)
    made = recipe(Source(stories, None, spans))
    build_recipe(made, tmp_path / "plain", workers=1, overwrite=False)
    out = tmp_path / "out"
    build_share(made, out, number=2, of=7, engine=on_processes(1))
    build_share(made, out, number=3, of=4, engine=on_processes(1))
    with pytest.raises(UserError, match=r"of 1\d parts are not done yet"):
        finish(made, out, overwrite=False)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.glob(".out.shards/*/records/*")}
    assert before
    finish(made, out, overwrite=False, engine=on_processes(2))
    assert all_bytes(out) == all_bytes(tmp_path / "plain")
    assert not list(tmp_path.glob(".*"))


def test_what_is_built_is_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stories, spans = write_source(tmp_path / "in", 30)
    made = recipe(Source(stories, None, spans))
    by_hand(made, tmp_path / "out", 3)

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(builds, "build_chunk", never)
    monkeypatch.setattr(surveys, "read_part", never)
    by_hand(made, tmp_path / "out", 4)
    finish(made, tmp_path / "out", overwrite=False)
    assert (tmp_path / "out" / "corpus.json").is_file()


def test_a_share_is_done_by_one_run_at_a_time(tmp_path: Path) -> None:
    stories, spans = write_source(tmp_path / "in", 10)
    made = recipe(Source(stories, None, spans))
    by_hand(made, tmp_path / "out", 2)
    (store,) = (
        path for path in (tmp_path / ".out.shards").iterdir() if path.name != "fingerprints"
    )
    with FolderStore(store).claim("shard 1 of 2"):
        with pytest.raises(UserError, match="another run is at work on shard 1 of 2"):
            build_share(made, tmp_path / "out", number=1, of=2, engine=on_processes(1))
        build_share(made, tmp_path / "out", number=2, of=2, engine=on_processes(1))
        with pytest.raises(UserError, match="another run is at work on shard 1 of 2"):
            finish(made, tmp_path / "out", overwrite=False)
    finish(made, tmp_path / "out", overwrite=False)


def test_shares_of_other_input_are_not_taken(tmp_path: Path) -> None:
    stories, spans = write_source(tmp_path / "in", 10)
    made = recipe(Source(stories, None, spans))
    by_hand(made, tmp_path / "out", 2)
    before = stories.stat()
    stories.write_text(stories.read_text().replace(" the ", " teh "))
    os.utime(stories, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(UserError, match="none was run, or a source has changed since"):
        finish(made, tmp_path / "out", overwrite=False)
    assert not (tmp_path / "out").exists()


def test_a_machine_with_other_versions_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stories, spans = write_source(tmp_path / "in", 10)
    made = recipe(Source(stories, None, spans))
    build_share(made, tmp_path / "out", number=1, of=2, engine=on_processes(1))
    here = versions.made_with()
    monkeypatch.setattr(versions, "made_with", lambda: here | {"pyarrow": "1.0"})
    with pytest.raises(UserError, match=r"this machine has pyarrow 1.0, the work was begun with"):
        build_share(made, tmp_path / "out", number=2, of=2, engine=on_processes(1))


def stores(tmp_path: Path) -> list[Store]:
    pytest.importorskip("fsspec")
    return [FolderStore(tmp_path / "store"), BucketStore(f"memory://{tmp_path}/store")]


def test_what_a_store_promises(tmp_path: Path) -> None:
    for store in stores(tmp_path):
        store.make()
        store.write("records/a.json", b"one")
        store.write("records/a.json", b"one")
        with pytest.raises(UserError, match="two runs made different bytes of the same input"):
            store.write("records/a.json", b"two")
        assert store.read("records/a.json") == b"one"
        assert store.read("records/a.json", 1, 2) == b"n"
        assert store.read("records/a.json", 1, 1) == b""
        assert store.has("records/a.json")
        assert not store.has("records/b.json")
        assert store.names("records") == {"a.json"}
        assert store.names("nothing") == set()
        with pytest.raises(UserError, match="is missing"):
            store.read("records/b.json")
        with store.claim("shard 1 of 2"), store.claim("shard 2 of 2"):
            with pytest.raises(UserError, match="another run is at work on shard 1 of 2"):
                with store.claim("shard 1 of 2"):
                    pass
            with pytest.raises(UserError, match="another run is at work on shard"):
                with store.claim_all():
                    pass
        with store.claim_all():
            pass
        store.fetch("records/a.json", tmp_path / "copy" / "a.json")
        assert (tmp_path / "copy" / "a.json").read_bytes() == b"one"
        store.remove()
        assert not store.has("records/a.json")


def test_a_worker_that_was_given_up_does_not_begin_a_store_anew(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="finished or removed meanwhile"):
        FolderStore(tmp_path / "gone").write("records/b.json", b"late")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_removed_cannot_be_claimed(tmp_path: Path) -> None:
    """Of two that finish the same work, the later one finds nothing and leaves nothing."""
    with pytest.raises(UserError, match="finished or removed meanwhile"):
        with FolderStore(tmp_path / "gone").claim("shard 1 of 1"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_removed_while_it_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FolderStore(tmp_path / "stores" / "one")
    store.make()
    store.write("plan.json", b"{}")

    class Late(FileLock):
        def acquire(self, *given: Any, **more: Any) -> Any:
            store.remove()
            return super().acquire(*given, **more)

    monkeypatch.setattr(folder_store, "FileLock", Late)
    with pytest.raises(UserError, match="finished or removed meanwhile"):
        with store.claim("shard 1 of 1"):
            pass
    assert list(tmp_path.iterdir()) == []


def test_finishing_what_nobody_began_leaves_nothing(tmp_path: Path) -> None:
    stories, spans = write_source(tmp_path / "in", 4)
    with pytest.raises(UserError, match="no shard is there"):
        finish(recipe(Source(stories, None, spans)), tmp_path / "out", overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_claim_of_a_dead_run_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    store = BucketStore(f"memory://{tmp_path}")
    with monkeypatch.context() as patch:
        patch.setattr(bucket_store, "now", lambda: 1000.0)
        store._take("locks/shard 1 of 2", "shard 1 of 2", "dead")
    with store.claim("shard 1 of 2"):
        assert store.names("locks") == {"shard 1 of 2"}
    assert store.names("locks") == set()


def test_machines_that_share_no_disk_meet_in_a_bucket(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    one, _ = write_source(tmp_path / "one", 40)
    two, _ = write_source(tmp_path / "two", 40)
    made = [recipe(Source(path, None, path.with_name("spans.jsonl"))) for path in (one, two)]
    build_recipe(made[0], tmp_path / "plain", workers=1, overwrite=False)
    address, here = f"memory://{tmp_path}/bucket", on_processes(1)
    for number in (3, 1, 2):
        own, out = made[number % 2], tmp_path / "out"
        build_share(own, out, number=number, of=3, engine=here, store=address)
    finish(made[1], tmp_path / "out", overwrite=False, store=address)
    assert all_bytes(tmp_path / "out") == all_bytes(tmp_path / "plain")
    assert not list(tmp_path.glob(".*"))


def test_a_spoilt_shard_is_noticed(tmp_path: Path) -> None:
    stories, spans = write_source(tmp_path / "in", 10)
    made = recipe(Source(stories, None, spans))
    by_hand(made, tmp_path / "out", 1)
    shard = next(tmp_path.glob(".out.shards/*/files/questions/*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(UserError, match="remove it and run its shard again"):
        finish(made, tmp_path / "out", overwrite=False)


def capitals(story: Story) -> StorySpans:
    """Every word with a capital, as a name."""
    texts = (story.article, *story.highlights)
    names = [[(m.start(), m.end(), "ORG") for m in re.finditer("[A-Z][a-z]+", t)] for t in texts]
    return StorySpans(story.id, names)


def write_pages(source: Path, pages: dict[str, str]) -> None:
    source.mkdir()
    for number, (address, page) in enumerate(pages.items()):
        (source / f"{number}.html").write_text(f'<link rel="canonical" href="{address}">{page}')
    (source / "none.html").write_text("")


def write_warc(source: Path, pages: dict[str, str]) -> None:
    with open(source, "wb") as file:
        writer = WARCWriter(file, gzip=True)
        for address, page in pages.items():
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            content = io.BytesIO(page.encode())
            writer.write_record(
                writer.create_warc_record(address, "response", content, http_headers=http)
            )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # warcio's writer
@pytest.mark.parametrize(("name", "write"), [("in", write_pages), ("in.warc.gz", write_warc)])
def test_pages_are_read_once_and_counted_by_host(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    write: Callable[[Path, dict[str, str]], None],
) -> None:
    monkeypatch.setattr(plan, "PART_BYTES", 2_000)
    both = (written.cnn_2015, written.cnn_2011)
    address = "http://www{}.example.com/2015/03/{}/story"
    write(tmp_path / name, {address.format(n % 3, n): both[n % 2]() for n in range(9)})
    assert len(list(parts_of(tmp_path / name, 2_000))) > 2
    spans = tmp_path / "spans.jsonl"
    how = Reading(seconds=0)
    found = [s for s in read_stories(tmp_path / name, Columns(), how) if isinstance(s, Story)]
    spans.write_text("\n".join(capitals(story).line() for story in found))
    made = replace(recipe(Source(tmp_path / name, None, spans)), pages=how, stories_a_shard=2)
    check_same(made, tmp_path, of=3)
    assert (tmp_path / "hand" / "hosts.json").is_file()


class Killed(BaseException):
    pass


def test_broken_off_before_changes_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill leaves no chance to clean up: after it, every further change fails too."""
    # A flush counts as a change. Here it does nothing: no process sees the difference.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    stories, spans = write_source(tmp_path / "in", 4)
    made = replace(recipe(Source(stories, "train", spans)), stories_a_shard=3)

    def run(out: Path) -> None:
        build_share(made, out, number=1, of=1, engine=on_processes(1))
        finish(made, out, overwrite=True)

    build_recipe(made, tmp_path / "calm" / "c", workers=1, overwrite=False)
    expected = all_bytes(tmp_path / "calm" / "c")
    changes = last = 0

    def mortal(change: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **options: Any) -> Any:
            nonlocal changes
            changes += 1
            if changes > last:
                raise Killed
            return change(*arguments, **options)

        return do

    for last in range(1000):
        out = tmp_path / str(last) / "c"
        changes = 0
        with monkeypatch.context() as patch:
            for name in ("replace", "rename", "unlink", "rmdir", "mkdir", "fsync", "link"):
                patch.setattr(os, name, mortal(getattr(os, name)))
            try:
                run(out)
                break
            except Killed:
                pass
        run(out)
        assert all_bytes(out) == expected, f"killed before change {last}"
        assert [path.name for path in out.parent.iterdir()] == ["c"], f"before change {last}"
        shutil.rmtree(out.parent)
    assert last > 60


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_source(tmp_path / "in", 20)
    words = ["build", "in/news.jsonl", "--spans", "in/spans.jsonl", "--name", "n", "--workers", "1"]

    def cloze(*more: str) -> str:
        done = CliRunner().invoke(app, [*words, *more], catch_exceptions=True)
        return done.output + str(done.exception or "")

    assert "none was run" in cloze("corpus", "--finish")
    assert "'0/2' is not a share" in cloze("corpus", "--shard", "0/2")
    assert "shard 2 of 2: " in cloze("corpus", "--shard", "2/2")
    assert "shard 1 of 2: " in cloze("corpus", "--shard", "1/2")
    assert "20 stories in" in cloze("corpus", "--finish")
    assert "20 stories in" in cloze("plain")
    assert all_bytes(tmp_path / "corpus") == all_bytes(tmp_path / "plain")
    assert "'spark' is nothing to run on" in cloze("other", "--on", "spark")
    for way in (["--shard", "1/2"], ["--finish"]):
        assert "do not go together" in cloze("other", "--on", "dask://127.0.0.1:8786", *way)


@pytest.mark.parametrize("ending", [".jsonl", ".zst", ".gz"])
def test_spans_found_in_shares_are_those_of_a_plain_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    stories, _ = write_source(tmp_path / "in", 30)
    kept = stories.read_text().splitlines()
    stories.write_text("\n".join(["{", *kept, kept[0], '{"article": "", "highlights": ["x"]}']))

    def found(stories: list[Story], *_: object) -> list[StorySpans]:
        return [StorySpans(s.id, [[(0, 1, "ORG")], *([] for _ in s.highlights)]) for s in stories]

    monkeypatch.setattr(annotating, "annotate", found)
    monkeypatch.setattr(annotating, "pipeline_name", lambda *_: "found")
    monkeypatch.setattr(annotating, "STORIES_A_CHUNK", 7)
    plain_out, out = tmp_path / f"plain{ending}", tmp_path / f"hand{ending}"
    annotated = annotating.annotate_file(stories, plain_out, workers=1)
    work = Annotation(stories, None, "en", Columns(), Reading(), ending, stories_a_shard=7)
    for number in (3, 1, 2):
        annotate_share(work, out, number=number, of=3, engine=on_processes(1))
    assert finish_spans(work, out, overwrite=False) == annotated == (32, 1)
    assert out.read_bytes() == plain_out.read_bytes()
    assert not list(tmp_path.glob(".*"))


@given(
    st.lists(st.sampled_from([b"a", b"", b"bb" * 9, b"\xff"])), st.booleans(), st.integers(1, 40)
)
@settings(deadline=None, max_examples=60)
def test_lines_in_ranges_are_the_lines(
    tmp_path_factory: pytest.TempPathFactory, made: list[bytes], ends: bool, size: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(b"\n".join(made) + b"\n" * ends)
    ranges = list(line_ranges(path, size))
    assert [line for each in ranges for line in lines(path, each)] == list(lines(path))
    firsts = [sum(1 for _ in lines(path, each)) for each in ranges]
    assert [each.first for each in ranges] == [sum(firsts[:n]) for n in range(len(ranges))]


def test_parts_of_a_source_are_the_source(tmp_path: Path) -> None:
    records, _ = stories_of(tmp_path, 30)
    for write in KINDS:
        source = write(records, tmp_path)
        parts = list(parts_of(source, 6_000))
        found = [s for part in parts for _, s in read_part(source, Columns(), part)]
        assert found == list(read_stories(source, Columns()))
        numbered = [n for n, _ in read_part(source, Columns(), parts[-1])]
        wanted = set(numbered[::2])
        assert [n for n, _ in read_part(source, Columns(), parts[-1], wanted)] == sorted(wanted)
    assert len(list(parts_of(as_parquet(records, tmp_path), 6_000))) > 2
    assert len(list(parts_of(tmp_path / "news.jsonl", 6_000))) > 2
    assert len(list(parts_of(as_tar(records, tmp_path), 6_000))) > 2


def test_spans_may_be_the_gold_of_the_newsroom(tmp_path: Path) -> None:
    write_raw(tmp_path / "news.jsonl", count=12, seed=3)
    source = Source(tmp_path / "news.jsonl", "train", tmp_path / "news.gold.jsonl")
    build_recipe(recipe(source), tmp_path / "c", workers=1, overwrite=False)
    expected = [to_point(story, gold)[0] for story, gold in newsroom(3, 12)]
    assert list(Corpus.open(tmp_path / "c").read("train")) == expected


def test_gold_that_is_none_is_refused(tmp_path: Path) -> None:
    write_raw(tmp_path / "news.jsonl", count=2, seed=3)
    gold = tmp_path / "news.gold.jsonl"
    good = [json.loads(line) for line in gold.read_text().splitlines()]
    first = good[0]["article"][0]
    for bad in ([*first[:3], 99], [first[1], first[0], *first[2:]], first[:3], [*first[:3], "0"]):
        record = good[0] | {"article": [bad, *good[0]["article"][1:]]}
        gold.write_text("\n".join(map(json.dumps, [record, good[1]])))
        with pytest.raises(UserError, match="line 1 does not hold the spans of a story"):
            source = Source(tmp_path / "news.jsonl", "train", gold)
            build_recipe(recipe(source), tmp_path / "c", workers=1, overwrite=False)

"""A build's work folder: one run at a time, and only for the input it was started with."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cloze.builder import annotate, chunks
from cloze.builder.annotate import annotate_file
from cloze.builder.build import build
from cloze.builder.build_input import Source
from cloze.builder.sources import Columns, read_stories
from cloze.builder.work_folder import work_folder
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.names.spans import StorySpans
from cloze.stories import Story
from tests.builder.newsroom_source import all_bytes, write_source

HOLDER = """
import sys
from pathlib import Path
from cloze.builder.work_folder import work_folder

with work_folder(Path(sys.argv[1]), {"made": "by a test"}):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_runs_do_not_write_in_one_place_and_a_dead_one_lets_go(tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    command = [sys.executable, "-c", HOLDER, str(out)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=r"corpus: another run is writing here; wait for it"):
            with work_folder(out, {"made": "by a test"}):
                pass
        holder.kill()
    assert out.with_name(".corpus.lock").is_file()  # left by the dead process
    with work_folder(out, {"made": "by a test"}) as work:
        assert work.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_many_runs_that_begin_at_once(tmp_path: Path) -> None:
    """Each gets the folder or is told that another has it: nothing else, and never two."""
    out = tmp_path / "corpus"
    begin = threading.Barrier(4)
    inside: list[int] = []
    problems: list[BaseException] = []

    def run(number: int) -> None:
        begin.wait()
        try:
            with work_folder(out, {"run": number}):
                inside.append(number)
                assert inside == [number]
                inside.remove(number)
        except UserError as refused:
            assert "another run is writing here" in str(refused)
        except BaseException as problem:
            problems.append(problem)

    for _ in range(100):
        threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert problems == []
    assert list(tmp_path.iterdir()) == []


class Killed(BaseException):
    pass


@contextmanager
def killed(patch: pytest.MonkeyPatch, when: Callable[[], bool]) -> Iterator[None]:
    """A kill leaves no chance to clean up: after it, every change to the disk fails."""
    dead = False

    def mortal(change: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **options: Any) -> Any:
            nonlocal dead
            dead = dead or when()
            if dead:
                raise Killed
            return change(*arguments, **options)

        return do

    with patch.context() as patched:
        for name in ("replace", "rename", "unlink", "remove", "rmdir", "mkdir", "fsync"):
            patched.setattr(os, name, mortal(getattr(os, name)))
        with pytest.raises(Killed):
            yield


def so_many_done(out: Path, count: int) -> Callable[[], bool]:
    done = out.with_name(f".{out.name}.building") / "chunks"
    return lambda: done.is_dir() and len(list(done.glob("*.json"))) >= count


def stories_in(folder: Path, count: int) -> tuple[Path, Path]:
    """A folder of `.story` files, and their spans."""
    stories, spans = write_source(folder, count)
    made = folder / "stories"
    made.mkdir()
    for story in read_stories(stories, Columns()):
        assert isinstance(story, Story)
        text = story.article + "".join(f"\n\n@highlight\n\n{h}" for h in story.highlights)
        (made / f"{story.id}.story").write_text(text)
    lines = {json.loads(line)["id"]: line for line in spans.read_text().splitlines()}
    ordered = [lines[path.stem] for path in sorted(made.glob("*.story"))]
    spans.write_text("\n".join(ordered))
    return made, spans


def edit_list(folder: Path) -> None:
    ids = (folder / "valid.txt").read_text().split()
    (folder / "valid.txt").write_text("\n".join(ids[5:]))


def edit_stories_at_the_same_size(folder: Path) -> None:
    for path in (folder / "stories").iterdir():
        before = path.stat()
        path.write_text(path.read_text().replace(" the ", " teh "))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size


def edit_spans_at_the_same_size(folder: Path) -> None:
    path = folder / "spans.jsonl"
    path.write_text(path.read_text().replace('"PERSON"', '"PRESON"'))


@pytest.mark.parametrize(
    "edit", [edit_list, edit_stories_at_the_same_size, edit_spans_at_the_same_size]
)
def test_a_build_is_not_taken_up_over_other_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[Path], None]
) -> None:
    stories, spans = stories_in(tmp_path, 30)
    ids = [path.stem for path in sorted(stories.iterdir())]
    (tmp_path / "valid.txt").write_text("\n".join(ids[:15]))

    def run(out: Path) -> None:
        source = Source(stories, None, spans)
        rule = f"ids:valid={tmp_path / 'valid.txt'}"
        build([source], out, name="n", split_rule=rule, workers=1, stories_a_shard=4)

    with killed(monkeypatch, so_many_done(tmp_path / "out", 4)):
        run(tmp_path / "out")
    edit(tmp_path)
    run(tmp_path / "out")
    run(tmp_path / "fresh")
    assert all_bytes(tmp_path / "out") == all_bytes(tmp_path / "fresh")
    seen = [document.id for split in ("train", "valid") for document, _ in
            Corpus.open(tmp_path / "out").read(split)]  # fmt: skip
    assert sorted(seen) == sorted(ids)


def test_a_chunk_made_from_something_else_is_made_again(tmp_path: Path) -> None:
    """Even if the identity agrees: input that was edited, read, and restored."""

    def run(payloads: list[str]) -> dict[str, chunks.Result]:
        made = [chunks.Chunk(str(number), 1, text) for number, text in enumerate(payloads)]
        task: chunks.Task = lambda _, chunk: {"text": chunk.payload}  # noqa: E731
        return chunks.run(tmp_path, made, task, lambda *_: [], workers=1, what="", total=None)

    run(["a", "b"])
    assert run(["a", "c"]) == {"0": {"text": "a"}, "1": {"text": "c"}}


def test_input_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stories, spans = write_source(tmp_path, 3)
    write = chunks.write_json

    def write_and_edit(path: Path, value: object) -> None:
        write(path, value)
        stories.write_text(stories.read_text() + "\n")

    monkeypatch.setattr(chunks, "write_json", write_and_edit)
    with pytest.raises(UserError, match=r"news.jsonl: was changed while it was being read"):
        build([Source(stories, "train", spans)], tmp_path / "c", name="n", workers=1)


Run = Callable[..., object]


@pytest.fixture(params=["build", "annotate"])
def command(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(folder, out)`: both commands leave their work beside `out`."""

    def found(stories: list[Story], *_: object) -> list[StorySpans]:
        return [StorySpans(s.id, [[(0, 1, "ORG")], *([] for _ in s.highlights)]) for s in stories]

    monkeypatch.setattr(annotate, "annotate", found)
    monkeypatch.setattr(annotate, "pipeline_name", lambda *_: "found")

    def run(folder: Path, out: Path, *, overwrite: bool = False) -> object:
        stories, spans = folder / "news.jsonl", folder / "spans.jsonl"
        if request.param == "annotate":
            return annotate_file(stories, out, workers=1, overwrite=overwrite)
        source = Source(stories, "train", spans)
        return build([source], out, name=folder.name, workers=1, overwrite=overwrite)

    return run


def content(out: Path) -> object:
    return out.read_bytes() if out.is_file() else all_bytes(out)


def test_after_a_kill_when_the_output_stood_another_run_makes_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run
) -> None:
    write_source(tmp_path / "one", 4, seed=1)
    write_source(tmp_path / "two", 4, seed=2)
    out = tmp_path / "out"
    command(tmp_path / "two", tmp_path / "fresh")
    with killed(monkeypatch, out.exists):
        command(tmp_path / "one", out)
    with pytest.raises(UserError, match="already exists"):
        command(tmp_path / "two", out)
    with killed(monkeypatch, lambda: True):
        command(tmp_path / "one", out)
    command(tmp_path / "two", out, overwrite=True)
    assert content(out) == content(tmp_path / "fresh")
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two", "out", "fresh"}


def test_after_such_a_kill_the_same_run_is_finished_unless_its_output_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run
) -> None:
    write_source(tmp_path / "one", 4)
    out = tmp_path / "out"
    for remove in (False, True):
        with killed(monkeypatch, out.exists):
            command(tmp_path / "one", out)
        before = content(out)
        if remove:
            out.rename(tmp_path / "elsewhere")
        command(tmp_path / "one", out)
        assert content(out) == before
        assert not list(tmp_path.glob(".*"))
        if not remove:
            out.rename(tmp_path / "first")


def test_what_was_to_be_replaced_comes_back_when_another_run_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run
) -> None:
    write_source(tmp_path / "one", 4)
    out = tmp_path / "out"
    out.mkdir()
    (out / "precious").write_text("x")
    with killed(monkeypatch, lambda: not out.exists()):
        command(tmp_path / "one", out, overwrite=True)
    assert not out.exists()
    write_source(tmp_path / "two", 4, seed=2)
    (tmp_path / "two" / "news.jsonl").write_text("{")
    (tmp_path / "two" / "spans.jsonl").write_text("")
    with pytest.raises(UserError):
        command(tmp_path / "two", out)
    assert (out / "precious").read_text() == "x"


def test_kept_work_that_was_damaged_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Run
) -> None:
    """A flipped bit in what a killed run had finished would else be in the output of the next."""
    write_source(tmp_path / "one", 4)
    out = tmp_path / "out"
    with killed(monkeypatch, so_many_done(out, 1)):
        command(tmp_path / "one", out)
    work = tmp_path / ".out.building"
    (kept,) = [*work.glob("parts/*"), *work.glob("result/questions/*")]
    spoilt = bytearray(kept.read_bytes())
    spoilt[len(spoilt) // 2] ^= 1
    kept.write_bytes(spoilt)
    with pytest.raises(UserError, match=rf"{kept.name}: was altered") as refused:
        command(tmp_path / "one", out)
    assert f"remove {work}" in str(refused.value)
    assert not out.exists()
    kept.unlink()
    with pytest.raises(UserError, match=rf"{kept.name}: is missing"):
        command(tmp_path / "one", out)

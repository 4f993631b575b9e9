"""Write the entity spans of every story to a file, so that the slow step is done once."""

import gzip
import lzma
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from cloze.builder.chunks import Chunk, Result, run
from cloze.builder.prepare import reject_early
from cloze.builder.sources import Columns, Reading, count_all, read_stories
from cloze.builder.sources.fingerprint import Fingerprint
from cloze.builder.work_folder import RESULT, check_free, move_out, was_finished, work_folder
from cloze.compressed import lines
from cloze.engines.processes import cores
from cloze.files import check_apart, whole_file
from cloze.names.detection import Pipeline, annotate, pipeline_name
from cloze.names.spans import StorySpans
from cloze.stories import Reject, Story
from cloze.version import __version__

STORIES_A_CHUNK = 100


class Annotated(NamedTuple):
    stories: int
    rejected: int


def annotate_file(
    source: Path,
    out: Path,
    *,
    pipeline: Pipeline = None,
    language: str = "en",
    columns: Columns | None = None,
    pages: Reading = Reading(),
    workers: int = 0,
    overwrite: bool = False,
) -> Annotated:
    """Annotate the stories of `source` into `out`, in order; if killed, a second call continues."""
    check_apart(out, source)
    columns = columns or Columns()
    read = Fingerprint.of(source)
    identity = identity_of(read, pipeline, language, columns, pages, out.suffix)
    rejected = 0

    def chunks() -> Iterator[Chunk]:
        nonlocal rejected
        good: list[Story] = []
        number = 0
        for story in read_stories(source, columns, pages):
            if isinstance(story, Reject):
                rejected += 1
                continue
            good.append(story)
            if len(good) == STORIES_A_CHUNK:
                yield Chunk(f"{number:06d}", len(good), good)
                good, number = [], number + 1
        if good:
            yield Chunk(f"{number:06d}", len(good), good)

    with work_folder(out, identity) as work:
        if was_finished(work):
            return Annotated(sum(1 for _ in lines(out)), 0)
        if not overwrite:
            check_free(out)
        task = partial(_annotate_chunk, pipeline=pipeline, language=language, ending=out.suffix)
        results = run(
            work,
            chunks(),
            task,
            _files,
            workers=workers or cores(),
            what="annotating",
            total=count_all([source]),
        )
        read.check()
        with whole_file(work / RESULT) as whole, open(whole, "wb") as file:
            for name in results:  # concatenated compressed streams are one stream
                with open(_part(work, name), "rb") as part:
                    shutil.copyfileobj(part, file)
        move_out(work, out)
    return Annotated(sum(result["stories"] for result in results.values()), rejected)


def identity_of(
    read: Fingerprint,
    pipeline: Pipeline,
    language: str,
    columns: Columns,
    pages: Reading,
    ending: str,
) -> dict[str, Any]:
    return {
        "cloze": __version__,
        "source": read.told,
        "content": read.content,
        "pipeline": pipeline_name(pipeline, language),
        "columns": repr(columns),
        "pages": repr(pages),
        "ending": ending,
    }


def _annotate_chunk(
    work: Path, chunk: Chunk, *, pipeline: Pipeline, language: str, ending: str
) -> Result:
    with whole_file(_part(work, chunk.name)) as temporary:
        temporary.write_bytes(annotate_chunk(chunk.payload, pipeline, language, ending))
    return {"stories": len(chunk.payload)}


def annotate_chunk(stories: list[Story], pipeline: Pipeline, language: str, ending: str) -> bytes:
    """The lines of some stories, compressed as the ending of the file says."""
    good = [story for story in stories if not reject_early(story)]
    found = iter(annotate(good, pipeline, language))
    lines = []
    for story in stories:
        empty: list[list[tuple[int, int, str]]] = [[], *([] for _ in story.highlights)]
        spans = StorySpans(story.id, empty) if reject_early(story) else next(found)
        lines.append(spans.line() + "\n")
    return _compressed("".join(lines).encode(), ending)


def _files(work: Path, chunk: Chunk) -> list[Path]:
    return [_part(work, chunk.name)]


def _part(work: Path, name: str) -> Path:
    return work / "parts" / name


def _compressed(content: bytes, ending: str) -> bytes:
    if ending == ".zst":
        return bytes(pa.Codec("zstd", compression_level=10).compress(content))
    if ending == ".gz":
        return gzip.compress(content, mtime=0)  # a timestamp would make each run differ
    return lzma.compress(content) if ending == ".xz" else content

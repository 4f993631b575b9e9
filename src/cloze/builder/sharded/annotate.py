"""Spans found on many machines."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from cloze.builder.annotate import STORIES_A_CHUNK, Annotated, annotate_chunk, identity_of
from cloze.builder.build_input import Source
from cloze.builder.chunks import Chunk, Result
from cloze.builder.sharded import run
from cloze.builder.sharded.layout import count_records, read_layout
from cloze.builder.sharded.plan import Plan
from cloze.builder.sharded.records import bring_all
from cloze.builder.sources import Columns, Reading
from cloze.builder.sources.fingerprint import Fingerprint
from cloze.builder.work_folder import RESULT
from cloze.compressed import lines
from cloze.engines.engine import Engine
from cloze.files import whole_file
from cloze.names.detection import Pipeline


@dataclass(frozen=True, slots=True)
class Annotation:
    """What is to be annotated, and how."""

    source: Path
    pipeline: Pipeline
    language: str
    columns: Columns
    pages: Reading
    ending: str
    stories_a_shard: int = STORIES_A_CHUNK
    split_rule: ClassVar[str] = "all"
    unique: ClassVar[bool] = False

    @property
    def sources(self) -> tuple[Source, ...]:
        return (Source(self.source),)

    def paths(self) -> list[Path]:
        return [self.source]

    def identity(self, read: Mapping[Path, Fingerprint]) -> dict[str, Any]:
        about = (self.pipeline, self.language, self.columns, self.pages, self.ending)
        return identity_of(read[self.source], *about)


def annotate_share(
    work: Annotation, out: Path, *, number: int, of: int, engine: Engine, store: str | None = None
) -> int:
    """Share `number` of `of` (from 1), on this machine; returns its stories."""
    return run.do_share(work, _make, out, number=number, of=of, engine=engine, store=store)


def finish(
    work: Annotation,
    out: Path,
    *,
    overwrite: bool,
    engine: Engine | None = None,
    store: str | None = None,
) -> Annotated:
    """Make the file of its shards, which are all there or are made now by an engine."""
    return run.finish(
        work,
        _make,
        out,
        _gather,
        again=lambda: Annotated(sum(1 for _ in lines(out)), 0),
        overwrite=overwrite,
        engine=engine,
        store=store,
    )


def _make(folder: Path, chunk: Chunk, *, recipe: Annotation) -> Result:
    stories, _ = chunk.payload
    (folder / RESULT).mkdir()
    spans = annotate_chunk(stories, recipe.pipeline, recipe.language, recipe.ending)
    (folder / RESULT / chunk.name).write_bytes(spans)
    return {}


def _gather(plan: Plan, folder: Path, _: object) -> Annotated:
    shards = read_layout(plan).shards
    with whole_file(folder / RESULT) as whole, open(whole, "wb") as file:
        names = (shard.name for shard in shards)
        brought = bring_all(plan.store, names, folder / "parts")
        for shard, _ in zip(shards, brought, strict=True):  # compressed streams make one stream
            part = folder / "parts" / shard.name
            with open(part, "rb") as content:
                shutil.copyfileobj(content, file)
            part.unlink()
    stories = sum(shard.size for shard in shards)
    return Annotated(stories, count_records(plan) - stories)

"""What a build makes out of what: its sources and options, and the identity that follows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from cloze.builder.build_input import Source
from cloze.builder.prepare import MOST_TOKENS
from cloze.builder.sources import Columns, Reading, holds_pages
from cloze.builder.sources.fingerprint import Fingerprint
from cloze.corpus.splits import lists_of
from cloze.names.detection import Pipeline, pipeline_name
from cloze.names.language import load_language
from cloze.version import __version__

STORIES_A_SHARD = 500
Fingerprints = Mapping[Path, Fingerprint]


@dataclass(frozen=True, slots=True)
class Recipe:
    sources: tuple[Source, ...]
    name: str
    split_rule: str
    columns: Columns
    pipeline: Pipeline
    language: str
    rules: int
    pages: Reading = field(default_factory=Reading)
    stories_a_shard: int = STORIES_A_SHARD
    unique: ClassVar[bool] = True  # of stories with the same id only the first is taken

    def paths(self) -> list[Path]:
        """Everything that the build reads."""
        given = [path for own in self.sources for path in (own.stories, own.spans) if path]
        return [*given, *lists_of(self.split_rule)]

    def options(self, read: Fingerprints) -> dict[str, Any]:
        """What the manifest of the corpus says about how it was made."""
        options: dict[str, Any] = {
            "sources": [_described(source, read) for source in self.sources],
            "split": self.split_rule,
            "most_tokens": MOST_TOKENS,
            "stories_a_shard": self.stories_a_shard,
        }
        if load_language(self.language, self.rules).code != "en":
            options["language"] = self.language
        if self.rules != 1:  # the only set before manifests named it
            options["rules"] = self.rules
        if any(holds_pages(source.stories) for source in self.sources):
            pages = {"titles": self.pages.titles, "fundus": self.pages.fundus is not None}
            options["pages"] = pages
        if any(source.spans is None for source in self.sources):
            options["pipeline"] = pipeline_name(self.pipeline, self.language)
        return options

    def identity(self, read: Fingerprints) -> dict[str, Any]:
        """Two builds with the same identity make the same bytes."""
        return {
            "cloze": __version__,
            "name": self.name,
            "columns": repr(self.columns),
            "reading": repr(self.pages),
            "content": [fingerprint.content for fingerprint in read.values()],
            **self.options(read),
        }


def _described(source: Source, read: Fingerprints) -> dict[str, Any]:
    described: dict[str, Any] = {"stories": read[source.stories].told, "split": source.split}
    if source.spans is not None:
        described["spans"] = read[source.spans].told
    return described

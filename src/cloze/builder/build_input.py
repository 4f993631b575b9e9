"""The sources of a build, read in fixed chunks of stories with their spans."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

from cloze.builder.build_report import NO_SPLIT, Report
from cloze.builder.chunks import Chunk
from cloze.builder.sources import Columns, Reading, holds_pages, read_stories
from cloze.corpus.splits import SplitOf, check_name
from cloze.errors import UserError
from cloze.names.spans import StorySpans, check_fit, read_spans
from cloze.stories import Reason, Reject, Story


@dataclass(frozen=True, slots=True)
class Source:
    """Stories, their split (none if a rule decides) and their spans (if there are any)."""

    stories: Path
    split: str | None = None
    spans: Path | None = None


def parse_sources(given: Sequence[str], spans: Sequence[Path]) -> list[Source]:
    """Sources as on the command line: `train=news.jsonl`, spans as files or in a folder."""
    sources: list[Source] = []
    if spans and not (len(spans) == 1 and spans[0].is_dir()) and len(spans) != len(given):
        raise UserError(
            f"{len(given)} sources but {len(spans)} files of spans",
            fix="give one for each source, in order, or one folder with files of the same names",
        )
    for number, text in enumerate(given):
        split, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            split, path = "", text
        else:
            check_name(split)
        own: Path | None = None
        if spans:
            own = spans[0] / Path(path).name if spans[0].is_dir() else spans[number]
        sources.append(Source(Path(path), split or None, own))
    return sources


def story_chunks(
    sources: Sequence[Source],
    columns: Columns,
    pages: Reading,
    split_of: SplitOf,
    size: int,
    report: Report,
    rejects: Path,
) -> Iterator[Chunk]:
    """Fixed chunks of a split's stories, in the order of the sources."""
    seen: set[str] = set()
    numbers: Counter[str] = Counter()
    waiting: dict[tuple[str, bool], list[tuple[Story, StorySpans | None]]] = {}

    def chunk(key: tuple[str, bool]) -> Chunk:
        split, ready = key
        pairs = waiting.pop(key)
        number = numbers[split]
        numbers[split] += 1
        spans = [own for _, own in pairs] if ready else None
        return Chunk(f"{split}-{number:05d}", len(pairs), ([story for story, _ in pairs], spans))

    with open(rejects, "w", encoding="utf-8") as log:

        def refuse(split: str, where: str, reason: Reason) -> None:
            report.reject(split, reason)
            print(json.dumps({"where": where, "split": split, "reason": reason}), file=log)

        for source in sources:
            are_pages = holds_pages(source.stories)
            for story, spans in _with_spans(source, columns, pages):
                report.stories += 1
                if are_pages:
                    report.hosts.count(story)
                if isinstance(story, Reject):
                    refuse(source.split or NO_SPLIT, *story)
                    continue
                split = source.split or split_of(story)
                if split is None:
                    refuse(NO_SPLIT, story.id, Reason.NO_DATE)
                elif story.id in seen:
                    refuse(split, story.id, Reason.SEEN_BEFORE)
                else:
                    seen.add(story.id)
                    key = split, spans is not None
                    waiting.setdefault(key, []).append((story, spans))
                    if len(waiting[key]) == size:
                        yield chunk(key)
        for key in sorted(waiting):
            yield chunk(key)


def _with_spans(
    source: Source, columns: Columns, pages: Reading
) -> Iterator[tuple[Story | Reject, StorySpans | None]]:
    spans = chain(read_spans(source.spans), repeat(None)) if source.spans else repeat(None)
    for story in read_stories(source.stories, columns, pages):
        if isinstance(story, Reject):
            yield story, None
            continue
        own = next(spans)
        if source.spans is not None:
            if own is None:
                raise UserError(
                    f"ends before story {story.id}",
                    where=source.spans,
                    fix="write it again with cloze annotate",
                )
            check_fit(story, own, source.spans)
        yield story, own

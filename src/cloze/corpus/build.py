"""Build a corpus directory from stories: parallel, resumable, the same bytes every time."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from cloze import __version__
from cloze.corpus.card import write_card
from cloze.corpus.chunks import (
    RESULT,
    Chunk,
    Result,
    check_free,
    cores,
    move_out,
    run,
    was_finished,
    work_folder,
)
from cloze.corpus.data_point import MOST_TOKENS, make_data_point, reject_early
from cloze.corpus.sources import Columns, Reject, count_all, fingerprint, read_stories
from cloze.corpus.spans import StorySpans, check_fit, read_spans
from cloze.corpus.splits import check_name, parse_rule
from cloze.corpus.store import Corpus, Point, write_manifest, write_shard
from cloze.corpus.story import Story
from cloze.errors import UserError
from cloze.files import whole_file

STORIES_A_SHARD = 500
NO_SPLIT = "none"  # where the rejects are counted that never came so far as to have a split
REJECTS = "rejects.jsonl"
_UNANSWERABLE = "questions: answer not in the context"
_REFUSED = "refused.jsonl"  # in the work folder: what never came so far as to be in a chunk


@dataclass(frozen=True, slots=True)
class Source:
    """Stories, the split they all belong to (or none: a rule decides), their spans (or none)."""

    stories: Path
    split: str | None = None
    spans: Path | None = None


@dataclass(slots=True)
class Report:
    """What went in and what came out; `check` holds them against each other."""

    stories: int = 0
    documents: Counter[str] = field(default_factory=Counter)
    questions: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    rejects: dict[str, Counter[str]] = field(default_factory=dict)
    unanswerable: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, corpus: Corpus) -> "Report":
        """What a corpus that stands there says of itself (all but the tokens)."""
        report = cls()
        for split in corpus.splits:
            report.documents[split] = corpus.count(split, "documents")
            report.questions[split] = corpus.count(split)
        for split, reasons in corpus.manifest["rejects"].items():
            for reason, count in reasons.items():
                if reason == _UNANSWERABLE:
                    report.unanswerable[split] = count
                else:
                    report.reject(split, reason, count)
        report.stories = report.documents.total() + report.rejected
        return report

    @property
    def rejected(self) -> int:
        return sum(reasons.total() for reasons in self.rejects.values())

    def reject(self, split: str, reason: str, count: int = 1) -> None:
        self.rejects.setdefault(split, Counter())[reason] += count

    def table(self) -> str:
        """The counts for people: what went in, what came out, what was rejected and why."""
        lines = [f"{self.stories:>9,} stories in"]
        for split in sorted(self.documents):
            lines.append(
                f"{self.documents[split]:>9,} documents out in {split}, "
                f"with {self.questions[split]:,} questions"
            )
        for split in sorted(self.rejects):
            for reason, count in sorted(self.rejects[split].items()):
                where = "" if split == NO_SPLIT else f" ({split})"
                lines.append(f"{count:>9,} stories rejected: {reason}{where}")
        for split in sorted(self.unanswerable):
            count = self.unanswerable[split]
            lines.append(f"{count:>9,} questions dropped: answer not in the context ({split})")
        return "\n".join(lines)

    def check(self) -> None:
        out = self.documents.total() + self.rejected
        if self.stories != out:
            raise AssertionError(f"{self.stories} stories went in, {out} came out or were rejected")


def parse_sources(given: Sequence[str], spans: Sequence[Path]) -> list[Source]:
    """Sources as the command line has them: `train=news.jsonl`, spans in turn or in a folder."""
    sources: list[Source] = []
    if spans and not (len(spans) == 1 and spans[0].is_dir()) and len(spans) != len(given):
        raise UserError(
            f"{len(given)} sources but {len(spans)} files of spans",
            fix="give one for each source in turn, or one folder with files of the same names",
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


def build(
    sources: Sequence[Source],
    out: Path,
    *,
    name: str,
    split_rule: str = "hash:valid=5,test=5",
    columns: Columns | None = None,
    pipeline: str | None = None,
    workers: int = 0,
    overwrite: bool = False,
    stories_a_shard: int = STORIES_A_SHARD,
) -> Report:
    """Build the corpus `out`. Killed at any moment and called again, it takes up where it was."""
    columns = columns or Columns()
    if was_finished(out):
        return Report.of(Corpus.open(out))
    if not overwrite:
        check_free(out)
    options = {
        "sources": [_description(source) for source in sources],
        "split": split_rule,
        "most_tokens": MOST_TOKENS,
        "stories_a_shard": stories_a_shard,
    }
    if any(source.spans is None for source in sources):
        from cloze.corpus.entities import pipeline_name

        options["pipeline"] = pipeline_name(pipeline)
    report = Report()
    identity = {"cloze": __version__, "columns": repr(columns), **options}
    with work_folder(out, identity) as work:
        task = partial(_build_chunk, pipeline=pipeline)
        results = run(
            work,
            _chunks(sources, columns, split_rule, stories_a_shard, report, work / _REFUSED),
            task,
            workers=workers or cores(),
            what="building",
            total=count_all([source.stories for source in sources]),
        )
        _add_up(results, report)
        corpus = work / RESULT
        with whole_file(corpus / REJECTS) as temporary:
            _write_rejects(temporary, work / _REFUSED, results)
        write_manifest(corpus, name=name, options=options, rejects=_rejects(report))
        write_card(corpus)
        move_out(work, out)
    return report


def _description(source: Source) -> dict[str, Any]:
    description: dict[str, Any] = {"stories": fingerprint(source.stories), "split": source.split}
    if source.spans is not None:
        description["spans"] = fingerprint(source.spans)
    return description


def _chunks(
    sources: Sequence[Source],
    columns: Columns,
    split_rule: str,
    size: int,
    report: Report,
    rejects: Path,
) -> Iterator[Chunk]:
    """Fixed chunks of a split's stories, in the order of the sources."""
    split_of = parse_rule(split_rule)
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

        def refuse(split: str, where: str, reason: str) -> None:
            report.reject(split, reason)
            print(json.dumps({"where": where, "split": split, "reason": reason}), file=log)

        for source in sources:
            for story, spans in _with_spans(source, columns):
                report.stories += 1
                if isinstance(story, Reject):
                    refuse(source.split or NO_SPLIT, *story)
                    continue
                split = source.split or split_of(story)
                if split is None:
                    refuse(NO_SPLIT, story.id, "no date to split by")
                elif story.id in seen:
                    refuse(split, story.id, "id seen before")
                else:
                    seen.add(story.id)
                    key = split, spans is not None
                    waiting.setdefault(key, []).append((story, spans))
                    if len(waiting[key]) == size:
                        yield chunk(key)
        for key in sorted(waiting):
            yield chunk(key)


def _with_spans(
    source: Source, columns: Columns
) -> Iterator[tuple[Story | Reject, StorySpans | None]]:
    spans = chain(read_spans(source.spans), repeat(None)) if source.spans else repeat(None)
    for story in read_stories(source.stories, columns):
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


def _build_chunk(work: Path, chunk: Chunk, *, pipeline: str | None) -> Result:
    """What a worker does: a shard of documents and questions, and the counts."""
    stories: list[Story]
    spans: list[StorySpans] | None
    stories, spans = chunk.payload
    if spans is None:
        from cloze.corpus.entities import annotate

        good = [story for story in stories if not reject_early(story)]
        found = {own.id: own for own in annotate(good, pipeline)}
        spans = [found.get(story.id, StorySpans(story.id, [])) for story in stories]
    points: list[Point] = []
    rejected: list[tuple[str, str]] = []
    unanswerable = 0
    for story, own in zip(stories, spans, strict=True):
        outcome = make_data_point(story, own.texts, own.clusters)
        unanswerable += outcome.unanswerable
        if outcome.document is None:
            rejected.append((story.id, outcome.reason))
        else:
            points.append((outcome.document, outcome.questions))
    split, number = chunk.name.rsplit("-", 1)
    write_shard(work / RESULT, split, int(number), points)
    return {
        "split": split,
        "stories": len(stories),
        "documents": len(points),
        "questions": sum(len(questions) for _, questions in points),
        "tokens": sum(len(document.context) for document, _ in points),
        "unanswerable": unanswerable,
        "rejected": rejected,
    }


def _add_up(results: dict[str, Result], report: Report) -> None:
    for result in results.values():
        split = result["split"]
        report.documents[split] += result["documents"]
        report.questions[split] += result["questions"]
        report.tokens[split] += result["tokens"]
        report.unanswerable[split] += result["unanswerable"]
        for _, reason in result["rejected"]:
            report.reject(split, reason)
    report.check()


def _rejects(report: Report) -> dict[str, dict[str, int]]:
    splits = sorted({*report.rejects, *(s for s, n in report.unanswerable.items() if n)})
    counts = {split: dict(sorted(report.rejects.get(split, {}).items())) for split in splits}
    for split, count in report.unanswerable.items():
        if count:
            counts[split][_UNANSWERABLE] = count
    return counts


def _write_rejects(path: Path, from_sources: Path, results: dict[str, Result]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(from_sources.read_text(encoding="utf-8"))
        for result in results.values():
            for where, reason in result["rejected"]:
                line = {"where": where, "split": result["split"], "reason": reason}
                print(json.dumps(line, ensure_ascii=False), file=file)

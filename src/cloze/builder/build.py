"""Build a corpus directory from stories: parallel, resumable, the same bytes every time."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cloze.builder.build_input import Source, story_chunks
from cloze.builder.build_report import Report
from cloze.builder.chunks import Chunk, Result, cores, run
from cloze.builder.hosts import HOSTS
from cloze.builder.pages.page import host_of
from cloze.builder.prepare import MOST_TOKENS, prepare, reject, reject_early
from cloze.builder.sources import Columns, Reading, count_all, holds_pages
from cloze.builder.sources.fingerprint import Fingerprint
from cloze.builder.work_folder import RESULT, check_free, move_out, was_finished, work_folder
from cloze.corpus.card import write_card
from cloze.corpus.splits import lists_of, parse_rule
from cloze.corpus.statistics import SplitStatistics, Statistics, counted
from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Point
from cloze.files import check_apart, whole_file, write_json
from cloze.names.detection import annotate, pipeline_name
from cloze.names.language import RULES, load_language
from cloze.names.spans import StorySpans
from cloze.stories import Reason, Story
from cloze.version import __version__

STORIES_A_SHARD = 500
REJECTS = "rejects.jsonl"
_REFUSED = "refused.jsonl"  # in the work folder: records rejected before they reached a chunk


def build(
    sources: Sequence[Source],
    out: Path,
    *,
    name: str | None = None,
    split_rule: str = "hash:valid=5,test=5",
    columns: Columns | None = None,
    pages: Reading = Reading(),
    pipeline: str | None = None,
    language: str = "en",
    rules: int = RULES,
    workers: int = 0,
    overwrite: bool = False,
    stories_a_shard: int = STORIES_A_SHARD,
) -> Report:
    """Build the corpus `out`. If it is killed, a second call continues where it stopped."""
    columns, name = columns or Columns(), name or out.resolve().name
    paths = _paths(sources, split_rule)
    check_apart(out, *paths)
    read = {path: Fingerprint.of(path) for path in paths}
    options = {
        "sources": [_description(source, read) for source in sources],
        "split": split_rule,
        "most_tokens": MOST_TOKENS,
        "stories_a_shard": stories_a_shard,
    }
    if load_language(language, rules).code != "en":
        options["language"] = language
    if rules != 1:  # the only set before manifests named it
        options["rules"] = rules
    if any(holds_pages(source.stories) for source in sources):
        options["pages"] = {"titles": pages.titles, "fundus": pages.fundus is not None}
    if any(source.spans is None for source in sources):
        options["pipeline"] = pipeline_name(pipeline, language)
    identity = {
        "cloze": __version__,
        "name": name,
        "columns": repr(columns),
        "reading": repr(pages),
        "content": [fingerprint.content for fingerprint in read.values()],
        **options,
    }
    split_of = parse_rule(split_rule)
    with work_folder(out, identity) as work:
        if was_finished(work):
            return Report.of(Corpus.open(out))
        if not overwrite:
            check_free(out)
        report = Report()
        task = partial(_build_chunk, pipeline=pipeline, language=language, rules=rules)
        results = run(
            work,
            story_chunks(
                sources, columns, pages, split_of, stories_a_shard, report, work / _REFUSED
            ),
            task,
            workers=workers or cores(),
            what="building",
            total=count_all([source.stories for source in sources]),
        )
        for fingerprint in read.values():
            fingerprint.check()
        statistics = _add_up(results, report)
        if not report.documents.total():
            shutil.rmtree(work)
            raise report.nothing_came_out()
        _remove_others(work / RESULT, set(results))
        with whole_file(work / RESULT / REJECTS) as temporary:
            _write_rejects(temporary, work / _REFUSED, results)
        if report.hosts.counts:
            write_json(work / RESULT / HOSTS, report.hosts.as_json())
        corpus = write_manifest(
            work / RESULT, name=name, options=options, rejects=report.left_out()
        )
        write_card(corpus, Statistics.of(corpus, statistics))
        move_out(work, out)
    return report


def _paths(sources: Sequence[Source], split_rule: str) -> list[Path]:
    """Everything that a build reads."""
    given = [path for source in sources for path in (source.stories, source.spans) if path]
    return [*given, *lists_of(split_rule)]


def _description(source: Source, read: dict[Path, Fingerprint]) -> dict[str, Any]:
    description: dict[str, Any] = {"stories": read[source.stories].told, "split": source.split}
    if source.spans is not None:
        description["spans"] = read[source.spans].told
    return description


def _remove_others(result: Path, names: set[str]) -> None:
    """Remove shards left by an earlier run over other input."""
    for shard in result.glob("*/*.parquet"):
        if shard.stem not in names:
            shard.unlink()


def _build_chunk(
    work: Path, chunk: Chunk, *, pipeline: str | None, language: str, rules: int
) -> Result:
    """What a worker does: write a shard of documents and questions, and count them."""
    stories: list[Story]
    spans: list[StorySpans] | None
    stories, spans = chunk.payload
    if spans is None:
        good = [story for story in stories if not reject_early(story)]
        found = {own.id: own for own in annotate(good, pipeline, language)}
        spans = [found.get(story.id, StorySpans(story.id, [])) for story in stories]
    spoken = load_language(language, rules)
    points: list[Point] = []
    rejected: list[tuple[str, Reason]] = []
    unanswerable = 0
    for story, own in zip(stories, spans, strict=True):
        reason = reject_early(story)
        if reason is None:
            point = prepare(story, own, spoken)
            reason = reject(point)
            if reason in (None, Reason.NO_QUESTION):
                unanswerable += point.unanswerable
        if reason is None:
            points.append((point.document, [q for asked in point.questions for q in asked]))
        else:
            rejected.append((story.id, reason))
    split, number = chunk.name.rsplit("-", 1)
    statistics = SplitStatistics()
    write_shard(work / RESULT, split, int(number), counted(points, statistics))
    return {
        "split": split,
        "statistics": statistics.as_json(),
        "unanswerable": unanswerable,
        "rejected": rejected,
        "hosts": _questions_by_host(points),
    }


def _questions_by_host(points: list[Point]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for document, questions in points:
        counts[host_of(document.url)] += len(questions)
    return counts


def _add_up(results: dict[str, Result], report: Report) -> dict[str, SplitStatistics]:
    """Add the chunks' counts to the report; returns the statistics of each split."""
    splits: dict[str, SplitStatistics] = {}
    for result in results.values():
        split = result["split"]
        part = SplitStatistics.from_json(result["statistics"])
        splits.setdefault(split, SplitStatistics()).merge(part)
        report.unanswerable[split] += result["unanswerable"]
        for _, reason in result["rejected"]:
            report.reject(split, Reason(reason))
        if report.hosts.counts:
            report.hosts.add_questions(result["hosts"])
    for split, found in splits.items():
        report.documents[split] = found.documents
        report.questions[split] = found.queries
        report.tokens[split] = found.tokens
    report.check()
    return splits


def _write_rejects(path: Path, from_sources: Path, results: dict[str, Result]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(from_sources.read_text(encoding="utf-8"))
        for result in results.values():
            for where, reason in result["rejected"]:
                line = {"where": where, "split": result["split"], "reason": reason}
                print(json.dumps(line, ensure_ascii=False), file=file)

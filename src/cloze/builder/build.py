"""Build a corpus directory from stories: parallel, resumable, the same bytes every time."""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from cloze.builder.build_input import Source, story_chunks
from cloze.builder.build_report import Report
from cloze.builder.chunks import Chunk, Result, run
from cloze.builder.hosts import HOSTS
from cloze.builder.pages.page import host_of
from cloze.builder.prepare import prepare, reject, reject_early
from cloze.builder.recipe import STORIES_A_SHARD, Recipe
from cloze.builder.sources import Columns, Reading, count_all
from cloze.builder.sources.fingerprint import Fingerprint
from cloze.builder.work_folder import RESULT, check_free, move_out, was_finished, work_folder
from cloze.corpus.card import write_card
from cloze.corpus.splits import parse_rule
from cloze.corpus.statistics import SplitStatistics, Statistics, counted
from cloze.corpus.store import Corpus, shard_paths, write_manifest, write_shard
from cloze.document import Point
from cloze.engines.processes import cores
from cloze.files import check_apart, whole_file, write_json
from cloze.names.detection import Pipeline, annotate
from cloze.names.language import RULES, load_language
from cloze.names.spans import StorySpans
from cloze.stories import Reason, Story

REJECTS = "rejects.jsonl"
REFUSED = "refused.jsonl"  # in the work folder: records rejected before they reached a chunk


def build(
    sources: Sequence[Source],
    out: Path,
    *,
    name: str | None = None,
    split_rule: str = "hash:valid=5,test=5",
    columns: Columns | None = None,
    pages: Reading = Reading(),
    pipeline: Pipeline = None,
    language: str = "en",
    rules: int = RULES,
    workers: int = 0,
    overwrite: bool = False,
    stories_a_shard: int = STORIES_A_SHARD,
) -> Report:
    """Build the corpus `out`. If it is killed, a second call continues where it stopped."""
    recipe = Recipe(
        tuple(sources),
        name or out.resolve().name,
        split_rule,
        columns or Columns(),
        pipeline,
        language,
        rules,
        pages,
        stories_a_shard,
    )
    return build_recipe(recipe, out, workers=workers, overwrite=overwrite)


def build_recipe(recipe: Recipe, out: Path, *, workers: int, overwrite: bool) -> Report:
    check_apart(out, *recipe.paths())
    read = {path: Fingerprint.of(path) for path in recipe.paths()}
    split_of = parse_rule(recipe.split_rule)
    with work_folder(out, recipe.identity(read)) as work:
        if was_finished(work):
            return Report.of(Corpus.open(out))
        if not overwrite:
            check_free(out)
        report = Report()
        results = run(
            work,
            story_chunks(
                recipe.sources,
                recipe.columns,
                recipe.pages,
                split_of,
                recipe.stories_a_shard,
                report,
                work / REFUSED,
            ),
            partial(build_chunk, recipe=recipe),
            _files,
            workers=workers or cores(),
            what="building",
            total=count_all([source.stories for source in recipe.sources]),
        )
        for fingerprint in read.values():
            fingerprint.check()
        _remove_others(work / RESULT, set(results))
        make_corpus(work, recipe, recipe.options(read), results.values(), report)
        move_out(work, out)
    return report


def make_corpus(
    work: Path, recipe: Recipe, options: dict[str, Any], results: Iterable[Result], report: Report
) -> None:
    """Everything beside the shards: what was rejected, the manifest and the card."""
    rejects = work / RESULT / REJECTS
    with whole_file(rejects) as temporary, open(temporary, "w", encoding="utf-8") as file:
        with open(work / REFUSED, encoding="utf-8") as refused:
            shutil.copyfileobj(refused, file)
        statistics = _add_up(results, report, file)
    if not report.documents.total():
        shutil.rmtree(work)
        raise report.nothing_came_out()
    if report.hosts.counts:
        write_json(work / RESULT / HOSTS, report.hosts.as_json())
    corpus = write_manifest(
        work / RESULT, name=recipe.name, options=options, rejects=report.left_out()
    )
    write_card(corpus, Statistics.of(corpus, statistics))


def _remove_others(result: Path, names: set[str]) -> None:
    """Remove shards left by an earlier run over other input."""
    for shard in result.glob("*/*.parquet"):
        if shard.stem not in names:
            shard.unlink()


def build_chunk(work: Path, chunk: Chunk, *, recipe: Recipe) -> Result:
    """What a worker does: write a shard of documents and questions, and count them."""
    stories: list[Story]
    spans: list[StorySpans] | None
    stories, spans = chunk.payload
    if spans is None:
        good = [story for story in stories if not reject_early(story)]
        found = {own.id: own for own in annotate(good, recipe.pipeline, recipe.language)}
        spans = [found.get(story.id, StorySpans(story.id, [])) for story in stories]
    spoken = load_language(recipe.language, recipe.rules)
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
    split, number = _place(chunk)
    statistics = SplitStatistics()
    write_shard(work / RESULT, split, number, counted(points, statistics))
    return {
        "split": split,
        "statistics": statistics.as_json(),
        "unanswerable": unanswerable,
        "rejected": rejected,
        "hosts": _questions_by_host(points),
    }


def _files(work: Path, chunk: Chunk) -> tuple[Path, Path]:
    return shard_paths(work / RESULT, *_place(chunk))


def _place(chunk: Chunk) -> tuple[str, int]:
    """Its split, and its number there."""
    split, number = chunk.name.rsplit("-", 1)
    return split, int(number)


def _questions_by_host(points: list[Point]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for document, questions in points:
        counts[host_of(document.url)] += len(questions)
    return counts


def _add_up(
    results: Iterable[Result], report: Report, rejects: TextIO
) -> dict[str, SplitStatistics]:
    """Add the chunks' counts to the report, and what they rejected to a file; returns the
    statistics of each split."""
    splits: dict[str, SplitStatistics] = {}
    for result in results:
        split = result["split"]
        part = SplitStatistics.from_json(result["statistics"])
        splits.setdefault(split, SplitStatistics()).merge(part)
        report.unanswerable[split] += result["unanswerable"]
        for where, reason in result["rejected"]:
            report.reject(split, Reason(reason))
            line = {"where": where, "split": split, "reason": reason}
            print(json.dumps(line, ensure_ascii=False), file=rejects)
        if report.hosts.counts:
            report.hosts.add_questions(result["hosts"])
    for split, found in splits.items():
        report.documents[split] = found.documents
        report.questions[split] = found.queries
        report.tokens[split] = found.tokens
    report.check()
    return splits

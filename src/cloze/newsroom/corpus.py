"""A corpus of newsroom stories, its names and clusters taken from the gold.

Synthetic news knows its own entities, so no tagger is needed and nothing is guessed. To try the
real builder on the same stories, write them raw (`write_raw`) and give them to `cloze build`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from cloze.builder.prepare import prepare
from cloze.corpus.card import write_card
from cloze.corpus.statistics import SplitStatistics, Statistics, counted
from cloze.corpus.store import write_manifest, write_shard
from cloze.document import Point
from cloze.files import whole_directory, whole_file, with_a_name
from cloze.names.coreference.component import Place
from cloze.names.language import load_language
from cloze.names.spans import StorySpans
from cloze.newsroom.generator import stories
from cloze.newsroom.gold import Gold, Mention
from cloze.progress import track
from cloze.stories import Story

STORIES_A_SHARD = 5_000


def write_newsroom(
    out: Path, *, count: int, held_out: int, seed: int, overwrite: bool = False
) -> dict[str, Counter[str]]:
    """Write `count` stories as train and `held_out` each as valid and test; returns the counts."""
    sizes = {"train": count, "valid": held_out, "test": held_out}
    counts: dict[str, Counter[str]] = {}
    start = 0
    with whole_directory(out, overwrite=overwrite) as directory:
        statistics = {split: SplitStatistics() for split in sizes}
        for split, size in sizes.items():
            counts[split] = Counter()
            points = counted(_points(seed, start, size, counts[split]), statistics[split])
            shown = track(points, f"writing {split}", total=size, unit="stories")
            for number in range(-(-size // STORIES_A_SHARD)):
                rest = min(STORIES_A_SHARD, size - number * STORIES_A_SHARD)
                write_shard(directory, split, number, (next(shown) for _ in range(rest)))
            start += size
        rejects = {
            split: {"questions whose answer is not in the context": found["dropped"]}
            for split, found in counts.items()
            if found["dropped"]
        }
        options = {"source": "newsroom", "stories": count, "held out": held_out}
        corpus = write_manifest(
            directory, name="newsroom", options=options, seed=seed, rejects=rejects
        )
        write_card(corpus, Statistics.of(corpus, statistics))
    return counts


def write_raw(out: Path, *, count: int, seed: int) -> None:
    """Write the raw stories and, beside them, their gold mentions and clusters.

    OUT.jsonl holds the stories and OUT.gold.jsonl the truth, one line per story in the same order.
    """
    out = with_a_name(out)
    gold_path = out.with_suffix(".gold.jsonl")
    with whole_file(out) as raw, whole_file(gold_path) as truth:
        with (
            raw.open("w", encoding="utf-8") as story_lines,
            truth.open("w", encoding="utf-8") as gold_lines,
        ):
            written = stories(seed, count)
            for story, gold in track(written, "writing", total=count, unit="stories"):
                line = {
                    "id": story.id,
                    "url": story.url,
                    "date": story.date,
                    "article": story.article,
                    "highlights": story.highlights,
                }
                story_lines.write(json.dumps(line) + "\n")
                gold_lines.write(json.dumps(_gold_line(gold)) + "\n")


def to_point(story: Story, gold: Gold) -> tuple[Point, int]:
    """The document and questions of a story, and how many questions were left out."""
    point = prepare(story, _spans(gold), load_language("en"))
    questions = [question for own in point.questions for question in own]
    return (point.document, questions), point.unanswerable


def _points(seed: int, start: int, size: int, counts: Counter[str]) -> Iterator[Point]:
    for story, gold in stories(seed, size, start):
        point, dropped = to_point(story, gold)
        counts.update(documents=1, questions=len(point[1]), dropped=dropped)
        yield point


def _spans(gold: Gold) -> StorySpans:
    texts = [gold.article, *gold.highlights]
    clusters: list[list[Place]] = [[] for _ in gold.names]
    for number, mentions in enumerate(texts):
        for mention in mentions:
            clusters[mention.cluster].append((number, mention.start, mention.end))
    spans = [[(m.start, m.end, m.label) for m in mentions] for mentions in texts]
    return StorySpans(gold.id, spans, clusters, gold=True)


def _gold_line(gold: Gold) -> dict[str, object]:
    def spans(mentions: Sequence[Mention]) -> list[list[object]]:
        return [[m.start, m.end, m.label, m.cluster] for m in mentions]

    return {
        "id": gold.id,
        "article": spans(gold.article),
        "highlights": [spans(mentions) for mentions in gold.highlights],
        "names": gold.names,
    }

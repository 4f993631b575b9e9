"""Newsroom stories as a source, with their gold as ready spans: input for whole builds."""

import json
from pathlib import Path

from cloze.newsroom import stories


def write_source(folder: Path, count: int, seed: int = 5) -> tuple[Path, Path]:
    """Files of stories and of spans for them."""
    folder.mkdir(parents=True, exist_ok=True)
    stories_path, spans_path = folder / "news.jsonl", folder / "spans.jsonl"
    with open(stories_path, "w") as story_lines, open(spans_path, "w") as span_lines:
        for story, gold in stories(seed, count):
            record = {"id": story.id, "url": story.url, "date": story.date}
            record |= {"article": story.article, "highlights": story.highlights}
            print(json.dumps(record), file=story_lines)
            article, *highlights = (
                [[m.start, m.end, m.label] for m in text]
                for text in (gold.article, *gold.highlights)
            )
            spans = {"id": story.id, "article": article, "highlights": highlights}
            print(json.dumps(spans), file=span_lines)
    return stories_path, spans_path


def all_bytes(folder: Path) -> dict[str, bytes]:
    """Every file in the folder with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }

"""Stories from JSON lines, compressed or not."""

import json
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from cloze.builder.sources.records import Columns, story_of
from cloze.compressed import LineRange, line_ranges, lines
from cloze.files import MOST_BYTES
from cloze.stories import Reason, Reject, Story

WHAT = "JSON lines"
ENDINGS = (".jsonl", ".ndjson")


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    return (story for _, story in read_part(path, columns, {}, None))


def cut(path: Path, size: int) -> Iterator[dict[str, Any]]:
    """Ranges of lines; a compressed file is one part."""
    found = False
    for each in line_ranges(path, size):
        found = True
        yield each._asdict()
    if not found:
        yield {}


def read_part(
    path: Path, columns: Columns, part: dict[str, Any], wanted: Container[int] | None
) -> Iterator[tuple[int, Story | Reject]]:
    within = LineRange(**part) if part else None
    number = -1
    for line_number, line in enumerate(lines(path, within), within.first + 1 if within else 1):
        if not line.strip():
            continue
        number += 1
        if wanted is None or number in wanted:
            yield number, _story(line, columns, f"{path.name}, line {line_number}")


def count(path: Path) -> int:
    return sum(1 for line in lines(path) if line.strip())


def _story(line: bytes, columns: Columns, where: str) -> Story | Reject:
    if len(line) > MOST_BYTES:
        return Reject(where, Reason.TOO_BIG)
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError:
        return Reject(where, Reason.NOT_UTF8)
    except (ValueError, RecursionError):  # or a number with thousands of digits
        return Reject(where, Reason.NOT_JSON)
    if not isinstance(record, dict):
        return Reject(where, Reason.NOT_JSON)
    return story_of(record, columns, where)

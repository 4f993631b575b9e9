"""Stories from JSON lines, compressed or not."""

import json
from collections.abc import Iterator
from pathlib import Path

from cloze.builder.sources.records import Columns, story_of
from cloze.compressed import lines
from cloze.files import MOST_BYTES
from cloze.stories import Reason, Reject, Story

WHAT = "JSON lines"
ENDINGS = (".jsonl", ".ndjson")


def read(path: Path, columns: Columns) -> Iterator[Story | Reject]:
    for number, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        where = f"{path.name}, line {number}"
        if len(line) > MOST_BYTES:
            yield Reject(where, Reason.TOO_BIG)
            continue
        try:
            record = json.loads(line.decode())
        except UnicodeDecodeError:
            yield Reject(where, Reason.NOT_UTF8)
        except (ValueError, RecursionError):  # or a number with thousands of digits
            yield Reject(where, Reason.NOT_JSON)
        else:
            if isinstance(record, dict):
                yield story_of(record, columns, where)
            else:
                yield Reject(where, Reason.NOT_JSON)


def count(path: Path) -> int:
    return sum(1 for line in lines(path) if line.strip())

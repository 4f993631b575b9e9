"""What is told of each question and line that came in bulk, and what became of them all."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cloze.answering import Ranking
from cloze.ask.article import Prepared
from cloze.errors import UserError
from cloze.files import whole_file
from cloze.sealed import unsealed

SHOWN = 5  # candidates of an answer


@dataclass
class Counts:
    """What became of a file of questions."""

    lines: int = 0
    answered: int = 0  # questions
    rejected: int = 0  # lines that could not be read
    refused: int = 0  # questions of the other lines
    reasons: Counter[str] = field(default_factory=Counter)


def told_of(ready: Prepared | UserError, ranking: Ranking | UserError) -> dict[str, Any]:
    if isinstance(ready, UserError) or isinstance(ranking, UserError):
        return {"rejected": str(ready if isinstance(ready, UserError) else ranking)}
    chances = ranking.probabilities
    shares = ranking.scores if chances is None else chances
    best = [
        [ready.document.name_of(int(marker)), round(float(share), 6)]
        for marker, share in zip(ranking.candidates[:SHOWN], shares, strict=False)
    ]
    return {
        "answer": best[0][0],
        "probability": None if chances is None else best[0][1],
        "sure": ranking.sure,
        "meaning": ranking.meaning,
        "candidates": best,
    }


def join(parts: Sequence[Path], out: Path) -> Counts:
    counts = Counts()
    with whole_file(out) as temporary, open(temporary, "wb") as file:
        for part in parts:
            content = unsealed(part.read_bytes(), where=part, fix="remove it")
            file.write(content)
            for line in content.splitlines():
                _count(counts, json.loads(line))
    return counts


def _count(counts: Counts, told: dict[str, Any]) -> None:
    counts.lines += 1
    if "rejected" in told:
        counts.rejected += 1
        counts.reasons[told["rejected"]] += 1
        return
    for answer in told["answers"]:
        if "rejected" in answer:
            counts.refused += 1
            counts.reasons[answer["rejected"]] += 1
        else:
            counts.answered += 1

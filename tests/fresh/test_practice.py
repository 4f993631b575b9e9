"""The practice texts, which readers are trained on, have nothing of those that they are scored on."""

import json
import re
from pathlib import Path

from cloze.builder.marked_texts import read_texts

PRACTICE = Path(__file__).parents[2] / "experiments" / "practice"
SCORED = [Path(__file__).parent / name for name in ("texts", "later")]
RUN = 10  # words in a row that two texts may not share; stock phrases are shorter


def runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[k : k + RUN]) for k in range(len(words) - RUN + 1)}


def test_no_practice_text_repeats_one_that_is_scored_on() -> None:
    scored: set[tuple[str, ...]] = set()
    for text in [text for folder in SCORED for text in read_texts(folder)]:
        asked = [question.ask.text for question in (*text.plain, *text.paraphrased)]
        scored |= set().union(*map(runs, [text.article.text, *asked]))
    assert len(scored) > 10_000
    files = sorted(PRACTICE.glob("*.jsonl"))
    assert len(files) == 6
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    stories = [json.loads(line) for line in lines]
    assert len({story["id"] for story in stories}) == len(stories)
    for story in stories:
        assert len(story["highlights"]) >= 10
        for own in (story["article"], *story["highlights"]):
            assert not runs(own) & scored, story["id"]

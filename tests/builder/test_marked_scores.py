"""Names on marked texts: every kind of error is counted where it occurs, and nowhere else."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cloze.builder.marked_scores import KINDS, MarkedScore, score_text, table
from cloze.builder.marked_texts import MarkedText, read_marks
from cloze.builder.prepare import prepare
from cloze.cli.main import app
from cloze.names.language import load_language
from cloze.names.spans import StorySpans
from cloze.stories import Story

TYPES = {"vennick": "PERSON", "night": "EVENT", "tollan": "GPE", "oke": "PERSON"}
ARTICLE = read_marks(
    "Cllr [Clara Vennick]{vennick} saw the [Night of the Lanterns]{night} in [Tollan]{tollan}. "
    "The Clerk thanked [Vennick]{vennick}. [Vennick]{vennick} thanked [Oke]{oke}."
)
TEXT = MarkedText("minutes", "council minutes", "look", TYPES, ARTICLE, [], [])


def scored(*said: tuple[str, str, int]) -> MarkedScore:
    """The score of these mentions: words found from left to right, their type and cluster."""
    spans, clusters, at = [], {}, 0
    for words, label, cluster in said:
        start = ARTICLE.text.index(words, at)
        at = start + len(words)
        spans.append((start, at, label))
        clusters.setdefault(cluster, []).append((0, start, at))
    story = Story("minutes", ARTICLE.text, ())
    found = StorySpans("minutes", [spans], list(clusters.values()), gold=True)
    document = prepare(story, found, load_language("en")).document
    return score_text(TEXT, document, ARTICLE.text)


RIGHT = [
    ("Clara Vennick", "PERSON", 0),
    ("Night of the Lanterns", "WORK_OF_ART", 1),
    ("Tollan", "LOC", 2),
    ("Vennick", "PERSON", 0),
    ("Vennick", "PERSON", 0),
    ("Oke", "PERSON", 3),
]


def test_the_truth_has_no_errors() -> None:
    score = scored(*RIGHT)
    assert (score.spans.f1, score.b_cubed.f1) == (1, pytest.approx(1))
    assert (score.entities, score.split, score.joined, score.kinds.total()) == (4, 0, 0, 0)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("title glued", [("Cllr Clara Vennick", "PERSON", 0), *RIGHT[1:]]),
        ("cut short", [RIGHT[0], ("Night", "EVENT", 1), *RIGHT[2:]]),
        ("other edges", [*RIGHT[:2], ("in Tollan.", "GPE", 2), *RIGHT[3:]]),
        ("no name", [*RIGHT[:3], ("Clerk", "PERSON", 9), *RIGHT[3:]]),
        ("missed", RIGHT[:-1]),
        ("short form apart", [*RIGHT[:3], ("Vennick", "PERSON", 9), *RIGHT[4:]]),
        ("type", [*RIGHT[:2], ("Tollan", "PERSON", 2), *RIGHT[3:]]),
    ],
)
def test_each_kind_of_error(kind: str, said: list[tuple[str, str, int]]) -> None:
    score = scored(*said)
    assert +score.kinds == {kind: 1}
    assert score.split == (kind == "short form apart")
    assert score.joined == 0


def test_one_marker_for_two_people_joins_them() -> None:
    score = scored(*RIGHT[:-1], ("Oke", "PERSON", 0))
    assert (score.split, score.joined) == (0, 1)


def test_the_table_adds_up_by_manner() -> None:
    wire = MarkedText("wire", "newswire", "look", TYPES, ARTICLE, [], [])
    made = table([TEXT, wire, wire], [scored(*RIGHT[:-1]), scored(*RIGHT), scored(*RIGHT)])
    rows = {row[0]: row[1:] for row in made.rows}
    assert list(rows) == ["council minutes", "newswire", "other", "all"]
    assert rows["newswire"][:5] == ["2", "12", "100.0", "100.0", "100.0"]
    assert rows["other"] == rows["council minutes"]
    assert rows["all"][:4] == ["3", "18", "100.0", "94.4"]
    missed = made.heads.index("missed")
    assert [row[missed] for row in made.rows] == ["1", "0", "1", "1"]
    assert made.heads[-len(KINDS) :] == [*KINDS]


def test_the_command(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    (tmp_path / "minutes.yaml").write_text(
        "manner: council minutes\nhalf: look\nentities: {london: GPE}\n"
        "article: They met in [London]{london} on Monday.\nplain: []\nparaphrased: []\n"
    )
    run = CliRunner()
    said = run.invoke(app, ["audit", "--gold", str(tmp_path), "--half", "look"])
    assert said.exit_code == 0, said.output
    assert said.output.splitlines()[-1].split()[:6] == ["all", "1", "1", "100.0", "100.0", "100.0"]
    assert run.invoke(app, ["audit", "--gold", str(tmp_path), "--half", "final"]).exit_code != 0
    assert run.invoke(app, ["audit"]).exit_code != 0

"""Scores against a textbook's numbers and a slow oracle; doubts; the page; gold through the CLI."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cloze.builder.audit import Looked, doubts
from cloze.builder.audit_page import page
from cloze.cli.main import app
from cloze.document import Entity
from cloze.names.coreference.scores import b_cubed, mention_score, muc
from cloze.names.language import load_language
from tests.builder.newsroom_source import write_source
from tests.conftest import document_of, question_of

# Amigó et al. and Vilain et al. work such examples: truth {1-5} {6-7} {8-9, a-c}
TRUTH = {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 1, 7: 1, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2}


def test_bagga_and_baldwins_example() -> None:
    """Their two answers: B³ tells apart the small wrong merge from the large one, MUC does not."""
    small = {**TRUTH, 6: 0, 7: 0}  # {1-7}
    large = {**TRUTH, **dict.fromkeys((8, 9, 10, 11, 12), 0)}  # {1-5, 8-12}
    assert muc(TRUTH, small).precision == muc(TRUTH, large).precision == pytest.approx(9 / 10)
    assert b_cubed(TRUTH, small).precision == pytest.approx((5 * 5 / 7 + 2 * 2 / 7 + 5) / 12)
    assert b_cubed(TRUTH, large).precision == pytest.approx((5 * 0.5 + 2 + 5 * 0.5) / 12)
    assert b_cubed(TRUTH, small).recall == muc(TRUTH, small).recall == 1


def oracle(truth: dict[int, int], said: dict[int, int]) -> tuple[float, float]:
    """B³ by its definition, mention by mention."""
    precision = recall = 0.0
    for mention in truth.keys() & said.keys():
        mine = {m for m in said if said[m] == said[mention]}
        true = {m for m in truth if truth[m] == truth[mention]}
        precision += len(mine & true) / len(mine)
        recall += len(mine & true) / len(true)
    return precision / max(len(said), 1), recall / max(len(truth), 1)


clusterings = st.dictionaries(st.integers(0, 9), st.integers(0, 3))


@given(clusterings, clusterings)
def test_b_cubed_is_its_definition(truth: dict[int, int], said: dict[int, int]) -> None:
    found = b_cubed(truth, said)
    assert (found.precision, found.recall) == pytest.approx(oracle(truth, said))
    assert 0 <= muc(truth, said).f1 <= 1


@given(clusterings)
def test_the_truth_scores_full_marks(truth: dict[int, int]) -> None:
    renamed = {mention: -cluster for mention, cluster in truth.items()}
    if truth:
        assert b_cubed(truth, renamed).f1 == pytest.approx(1)
        assert mention_score(truth, renamed).f1 == 1
    if len(set(truth.values())) < len(truth):
        assert muc(truth, renamed).f1 == 1


def whys(*entities: Entity) -> str:
    return " ".join(doubt.why for doubt in doubts(entities, load_language("en")))


def test_doubts() -> None:
    def entity(marker: int, *surfaces: str, type: str = "PERSON") -> Entity:
        return Entity(marker, max(surfaces, key=len), type, surfaces)

    assert whys(entity(0, "Ann Tillow", "Tillow"), entity(1, "Zembla", type="GPE")) == ""
    assert whys(entity(0, "Federal Bureau", "FB", type="ORG")) == ""
    assert whys(entity(0, "United States", "America", type="GPE")) == ""
    assert "“Pim” shares nothing" in whys(entity(0, "Ann Tillow", "Pim"))
    assert "two given names" in whys(entity(0, "Ann Tillow", "Joe Tillow"))
    assert "may “Tillow”" in whys(entity(0, "Ann Tillow", "Tillow"), entity(1, "Joe Tillow"))


def test_hostile_text_stays_text_on_the_page() -> None:
    document = document_of("the @entity0 left", "<b>1</b>")
    evil = Entity(0, "<script>alert(1)</script>", "ORG", ("<script>alert(1)</script>", "a & b"))
    document = replace(document, entities=(evil,))
    looked = Looked(document, [question_of("@placeholder left", 0, document)], Counter({0: 1}), [])
    html = page("<i>", "valid", [looked])
    assert "<script" not in html
    assert "<b>1</b>" not in html
    assert "<td>a &amp; b</td>" in html
    assert "<title>Audit of &lt;i&gt;</title>" in html


def test_the_command(tmp_path: Path) -> None:
    stories, spans = write_source(tmp_path, 12)
    gold = tmp_path / "news.gold.jsonl"
    newsroom = ["newsroom", str(tmp_path / "news.jsonl"), "--raw", "--stories", "12", "--seed", "5"]
    run = CliRunner()
    assert run.invoke(app, newsroom, catch_exceptions=False).exit_code == 0
    assert gold.is_file()
    corpus = tmp_path / "c"
    building = ["build", f"valid={stories}", str(corpus), "--spans", str(spans), "--workers", "1"]
    assert run.invoke(app, building, catch_exceptions=False).exit_code == 0
    out = tmp_path / "audit.html"
    arguments = ["audit", str(corpus), "--gold", str(gold), "--out", str(out), "--sample", "5"]
    result = run.invoke(app, arguments, catch_exceptions=False)
    assert "5 documents of valid" in result.output
    scores = dict(line.split()[0:4:3] for line in result.output.splitlines()[-3:])
    assert set(scores) == {"mentions", "B³", "MUC"}
    assert all(float(f1) > 95 for f1 in scores.values())
    html = out.read_text()
    assert html.count("<details") == 10
    first = json.loads(stories.read_text().splitlines()[0])
    assert first["id"] in html or html.count("<summary><b>") == 5

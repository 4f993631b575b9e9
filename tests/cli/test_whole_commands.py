"""The commands that do the most, run as a user runs them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import spacy

from cloze.baselines import BASELINES
from cloze.names.spans import read_spans
from cloze.readers.reader import Reader
from cloze.readers.shipped_models import shipped_models


def cloze(*arguments: object, cwd: Path) -> str:
    """Run it; returns what it printed. It must succeed without a warning."""
    done = subprocess.run(
        [sys.executable, "-m", "cloze", *map(str, arguments)],
        cwd=cwd,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


def test_demo_makes_every_part_of_the_paper(tmp_path: Path) -> None:
    said = cloze("demo", "--stories", "20", "--held-out", "10", "--steps", "2", cwd=tmp_path)
    made = tmp_path / "demo"
    assert said.splitlines()[-1] == str(Path("demo", "index.html"))
    page = (made / "index.html").read_text(encoding="utf-8")
    for name in ("Deep LSTM Reader", "Uniform Reader", "Attentive Reader", "Impatient Reader"):
        assert f"The {name} is trained and answers" in said
        assert name in page
    for name in (
        "Word distance model",
        "Frame-semantic model",
        "Attentive Reader (trained on CNN)",
    ):
        assert name in page
    assert said.count("Writing the page") == 2  # with what there is, and at the end
    assert re.search(r"Question: The X ran aground.*\n +\d+\.\d% +Solveig\n", said)
    # Valid and test; of those that ship, the paper's two answer valid, and the other is only asked.
    files = 2 * (len(BASELINES) + 4) + len(shipped_models()) - 1
    assert len(list((made / "predictions").glob("*.parquet"))) == files
    assert Reader.from_pretrained(made / "runs" / "impatient" / "model").config.kind == "impatient"


def test_prune_makes_a_smaller_reader(tmp_path: Path) -> None:
    model = next(model for model in shipped_models() if model.name == "attentive")
    options = ("--words", "50", "--names-only", "--bits", "4")
    said = cloze("prune", model, "small", *options, cwd=tmp_path)
    assert said.startswith("small: 50 words, ")
    head = json.loads((tmp_path / "small" / "config.json").read_text(encoding="utf-8"))
    assert head["weights"]["dtype"] == "int4"
    small, whole = Reader.from_pretrained(tmp_path / "small"), Reader.from_pretrained(model)
    assert small.vocabulary.words == whole.vocabulary.words[:50]
    assert small.vocabulary.pool == whole.vocabulary.pool


def test_annotate_writes_the_spans_that_build_reads(tmp_path: Path) -> None:
    rules = spacy.blank("en")
    rules.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Mara Venn"}])
    rules.to_disk(tmp_path / "rules")
    story = {"id": "s1", "article": "Mara Venn left.", "highlights": ["Now Mara Venn is gone"]}
    (tmp_path / "news.jsonl").write_text(json.dumps(story) + "\n", encoding="utf-8")
    command = ("annotate", "news.jsonl", "spans.jsonl.zst", "--pipeline", "rules")
    said = cloze(*command, "--workers", "2", cwd=tmp_path)
    assert said.startswith("1 stories annotated in ")
    (found,) = read_spans(tmp_path / "spans.jsonl.zst")
    assert found.texts == [[[0, 9, "PERSON"]], [[4, 13, "PERSON"]]]
    cloze("build", "news.jsonl", "corpus", "--spans", "spans.jsonl.zst", cwd=tmp_path)
    assert json.loads(cloze("stats", "corpus", "--json", cwd=tmp_path))["splits"]

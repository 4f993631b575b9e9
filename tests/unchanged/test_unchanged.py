"""The shipped readers and baselines answer fixed questions as they always did."""

import json
from pathlib import Path

import pytest

from tests.unchanged import recorded

pytest.importorskip("spacy")


def test_the_same_rows_and_the_same_answers_as_before(tmp_path: Path) -> None:
    """One test, because recording takes long."""
    before = json.loads(Path(recorded.RECORDED).read_text())
    now = recorded.record(tmp_path)
    assert now["corpora"] == before["corpora"]
    for corpus, files in before["answers"].items():
        assert set(files) <= set(now["answers"][corpus])
        for file, questions in files.items():
            for question, said in questions.items():
                told = now["answers"][corpus][file][question]
                assert told["candidates"] == said["candidates"], (file, question)
                # Sums in another order move the sixth digit: no two processors agree in it.
                assert told["scores"] == pytest.approx(said["scores"], abs=1e-5, rel=1e-5)

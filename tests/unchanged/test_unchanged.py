"""The shipped readers and baselines answer fixed questions as they always did."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unchanged import recorded

pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return recorded.record(tmp_path_factory.mktemp("unchanged"))


@pytest.fixture(scope="module")
def before() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(recorded.RECORDED).read_text())
    return found


def test_a_corpus_of_the_same_stories_has_the_same_rows(
    now: dict[str, Any], before: dict[str, Any]
) -> None:
    assert now["corpora"] == before["corpora"]


def test_every_answerer_ranks_as_before(now: dict[str, Any], before: dict[str, Any]) -> None:
    for corpus, files in before["answers"].items():
        assert set(files) <= set(now["answers"][corpus])
        for file, questions in files.items():
            for question, said in questions.items():
                told = now["answers"][corpus][file][question]
                assert told["candidates"] == said["candidates"], (file, question)
                # Sums in another order move the sixth digit: no two processors agree in it.
                assert told["scores"] == pytest.approx(said["scores"], abs=1e-5, rel=1e-5)

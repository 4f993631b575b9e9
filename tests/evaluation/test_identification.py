"""Who is behind a marker: a model that knows all, one that knows some, one that knows nobody."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cloze.cli.main import app
from cloze.corpus.store import Corpus
from cloze.document import Entity, Point
from cloze.evaluation.identification import guesses_in, is_name_of
from cloze.language_models.forms import marker_labels
from cloze.newsroom.corpus import write_newsroom
from tests.conftest import document_of
from tests.language_models.loopback import Answer, Behaviour, Loopback, said


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("news") / "corpus"
    write_newsroom(folder, count=1, held_out=4, seed=5)
    return Corpus.open(folder)


def audit(corpus: Corpus, server: Loopback, folder: Path) -> Result:
    words = ["audit", corpus.path, "--endpoint", server.url, "--model", "little"]
    return CliRunner().invoke(app, [*map(str, words), "--replies", str(folder / "r.sqlite")])


def behaviour(points: list[Point], kinds: set[str]) -> Behaviour:
    """Lines with the real names of the entities of these kinds, unknown for the others."""
    by_article = {}
    for document, _ in points:
        labels = marker_labels(document, 0)
        lines = [
            f"**{labels[e.marker]}**: {e.name if e.type in kinds else 'unknown'}"
            for e in document.entities
        ]
        by_article[frozenset(_words(document.context.original))] = lines

    def reply(prompt: str, _: int) -> Answer:
        words = set(_words(re.sub(r"@entity\d+", " ", prompt)))
        best = max(by_article, key=lambda own: len(own & words))
        return said("\n".join(by_article[best]))

    return reply


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{3,}", text)


@pytest.mark.parametrize(
    ("kinds", "warned"), [({"PERSON", "ORG", "GPE", "LOC", "FAC", "EVENT", "WORK_OF_ART", "PRODUCT", "NORP"}, True), ({"PERSON"}, True), (set(), False)]
)  # fmt: skip
def test_the_share_is_that_of_the_names_it_knows(
    kinds: set[str], warned: bool, news: Corpus, tmp_path: Path
) -> None:
    points = list(news.read("valid"))
    entities = [e for d, _ in points for e in d.entities if e.marker in set(d.context.mentions())]
    share = sum(e.type in kinds for e in entities) / len(entities)
    with Loopback(behaviour(points, kinds)) as server:
        done = audit(news, server, tmp_path)
        assert done.exception is None
        again = audit(news, server, tmp_path)
        assert set(server.asked.values()) == {1}
    assert f"names {100 * share:.1f} % [" in done.stdout
    assert f"of {len(entities)} markers in 4 documents" in done.stdout
    assert ("warning: over 10 %" in done.output) == warned
    assert again.stdout == done.stdout


def test_replies_that_name_nothing_are_counted(news: Corpus, tmp_path: Path) -> None:
    with Loopback(lambda *_: said("I cannot tell.")) as server:
        done = audit(news, server, tmp_path)
    assert "names 0.0 % [0.0, " in done.stdout
    assert "no line to read in 4 replies" in done.stdout


def test_lines_as_models_write_them() -> None:
    document = document_of("@entity0 met @entity1 and @entity2 .")
    label = marker_labels(document, 0)
    text = (
        f"Sure!\n- {label[0]}: Mara Venn\n2. **{label[1]}** is *Ostrava Rail*.\n@entity99: Nobody"
    )
    assert guesses_in(text, document) == {0: "Mara Venn", 1: "Ostrava Rail"}


@pytest.mark.parametrize(
    ("name", "right"),
    [("Mara Venn", True), ("mara venn", True), ("Venn", True), ("the Venn", True), ("Mar", False), ("", False), ("unknown", False)],
)  # fmt: skip
def test_a_name_counts_as_the_article_writes_it(name: str, right: bool) -> None:
    assert is_name_of(name, Entity(0, "Mara Venn", "PERSON", ("Mara Venn", "Venn"))) == right

"""The three commands, as a user calls them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cloze.cli import main as command
from cloze.corpus.store import Corpus
from cloze.document import Point
from tests.evaluation.conftest import answers_of, write_model
from tests.readers.cases import reader_config

Make = Callable[..., tuple[Corpus, list[Point]]]


@pytest.fixture
def cloze(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable:
    """Run the command; returns its exit code, standard output and standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["cloze", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            command.main()
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def reader(make_press: Make, tmp_path: Path) -> tuple[Path, Path]:
    """A small untrained Impatient Reader, and the corpus that its vocabulary comes from."""
    from cloze.readers.reader import Reader
    from cloze.readers.vocabulary import Vocabulary

    corpus, _ = make_press(8, longest=5)
    config = reader_config(kind="impatient", hidden_size=4, output="candidates")
    model = Reader(config, Vocabulary.from_corpus(corpus, "valid"))
    model.save_pretrained(tmp_path / "model")
    return tmp_path / "model", corpus.path


def test_evaluate_then_report_then_heatmap(
    reader: tuple[Path, Path], cloze, tmp_path: Path
) -> None:
    model, corpus = reader
    out = tmp_path / "predictions"
    code, printed, _ = cloze(
        "evaluate", model, corpus, "--attention", "--permutations", 2, "--out", out
    )
    assert code == 0
    assert "Impatient Reader" in printed
    assert "under 2 namings" in printed
    code, printed, _ = cloze("report", out, "--out", tmp_path / "report", "--title", "A & B")
    assert code == 0
    page = (tmp_path / "report" / "index.html").read_text()
    assert "<title>A &amp; B</title>" in page
    assert str(tmp_path / "report" / "index.html") in printed
    code, printed, _ = cloze("heatmap", out, "--out", tmp_path / "film.html", "--pairs", 1)
    assert code == 0
    assert "heat maps" in printed
    code, _, _ = cloze("heatmap", out, "--out", tmp_path / "pictures", "--pairs", 1, "--markers")
    assert code == 0
    assert list((tmp_path / "pictures").glob("impatient-reader-*.png"))


def test_predictions_of_several_corpora_side_by_side(make_press, cloze, tmp_path: Path) -> None:
    out = tmp_path / "predictions"
    out.mkdir()
    for name in ("press", "gazette"):
        corpus, points = make_press(6, name, longest=5)
        answered = answers_of(points, 0.5, steps=1)
        write_model(out, corpus, answered, "Attentive Reader")
        write_model(out, corpus, answers_of(points, 0.5), "Word distance model", "baseline")
    films = [str(path) for path in out.glob("attentive*.parquet")]
    code, _, _ = cloze("heatmap", *films, "--out", tmp_path / "film.html", "--pairs", 1)
    assert code == 0
    assert {page.name for page in tmp_path.glob("film*.html")} == {
        "film-press-valid.html",
        "film-gazette-valid.html",
    }
    code, _, _ = cloze("heatmap", out, "--question", "story0-q0", "--out", tmp_path / "pictures")
    assert code == 0
    assert {path.parent.name for path in (tmp_path / "pictures").rglob("*.png")} == {
        "press-valid",
        "gazette-valid",
    }
    # A corpus that was given is used for its own predictions only.
    code, _, _ = cloze("report", out, "--corpus", tmp_path / "press", "--out", tmp_path / "report")
    assert code == 0
    page = (tmp_path / "report" / "index.html").read_text()
    assert "press valid" in page
    assert "gazette valid" in page
    code, _, said = cloze("heatmap", out, "--question", "nobody", "--out", tmp_path / "none.html")
    assert code == 2
    assert "there is no attention for the question nobody" in said


def test_evaluate_for_machines(reader: tuple[Path, Path], cloze, tmp_path: Path) -> None:
    model, corpus = reader
    code, printed, _ = cloze(
        "evaluate",
        model,
        corpus,
        "--limit",
        5,
        "--question-only",
        "--json",
        "--out",
        tmp_path / "p",
    )
    assert code == 0
    (found,) = json.loads(printed)
    assert found["questions"] == 5
    assert found["model"] == "Impatient Reader, question only"
    assert 0 <= found["low"] <= found["accuracy"] <= found["high"] <= 1
    assert Path(found["predictions"]).is_file()


def test_two_readers_of_a_kind_are_kept_apart(
    reader: tuple[Path, Path], cloze, tmp_path: Path
) -> None:
    model, corpus = reader
    for name in ("small", "large"):
        shutil.copytree(model, tmp_path / name / "model")
    places = [tmp_path / name / "model" for name in ("small", "large")]
    out = tmp_path / "predictions"
    code, printed, _ = cloze("evaluate", *places, corpus, "--out", out)
    assert code == 0
    assert "Impatient Reader (small)" in printed
    assert "Impatient Reader (large)" in printed
    assert len(list(out.glob("*.parquet"))) == 2


def test_mistakes_are_one_line(make_press: Make, cloze, tmp_path: Path) -> None:
    corpus, points = make_press(3)
    plain = write_model(tmp_path, corpus, answers_of(points, 0.5), "Plain")
    for words, complaint in (
        (("evaluate", corpus.path), "nothing to evaluate"),
        (("evaluate", tmp_path / "nowhere"), "no such corpus folder"),
        (("evaluate", tmp_path / "no-model", corpus.path), "no-model"),
        (("evaluate", "--baseline", "oracle", corpus.path), "there is no baseline 'oracle'"),
        (("report", tmp_path / "nowhere"), "no such file of predictions"),
        (("heatmap", plain), "hold no attention"),
    ):
        code, printed, complained = cloze(*words)
        assert (code, printed) == (2, "")
        assert complaint in complained
        assert len(complained.strip().splitlines()) == 1


def test_encoded_arrays_give_the_same_predictions(
    reader: tuple[Path, Path], cloze, tmp_path: Path
) -> None:
    from cloze.corpus.store import Corpus
    from cloze.readers.encode_split import encode_split
    from cloze.readers.vocabulary import Vocabulary

    model, corpus = reader
    vocabulary = Vocabulary.load(model / "vocabulary.txt")
    encode_split(Corpus.open(corpus), "valid", vocabulary, tmp_path / "encoded" / "valid")
    tables = []
    for name, more in (("plain", ()), ("arrays", ("--encoded", tmp_path / "encoded"))):
        out = tmp_path / name
        code, _, said = cloze("evaluate", model, corpus, "--attention", "--out", out, *more)
        assert code == 0, said
        tables.append(pq.read_table(next(out.glob("*.parquet"))).to_pylist())
    timeless = [[{k: v for k, v in row.items() if k != "seconds"} for row in t] for t in tables]
    assert timeless[0] == timeless[1]
    code, _, said = cloze(
        "evaluate", model, corpus, "--question-only", "--encoded", tmp_path / "encoded"
    )
    assert (code, "--question-only hides" in said) == (2, True)

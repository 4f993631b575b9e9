"""The report as files: whole, self-contained, and bounded; and the heat maps as files."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.metrics import compare
from cloze.reporting import report
from cloze.reporting.figures import plots
from cloze.reporting.heatmap_page import write_heatmaps
from cloze.reporting.heatmap_png import write_pictures
from cloze.reporting.levels import excerpt
from cloze.reporting.plot import save
from cloze.reporting.report import Bounds, prediction_files, write_report
from cloze.text import Text
from tests.evaluation.conftest import answers_of, write_model
from tests.reporting.opens import count_opens

Make = Callable[..., tuple[Corpus, list[Point]]]


def _two_models(folder: Path, corpus: Corpus, points: list[Point]) -> list[Path]:
    return [
        write_model(folder, corpus, answers_of(points, 0.3, 1), "Maximum frequency", "baseline"),
        write_model(folder, corpus, answers_of(points, 0.6, 2, steps=4), "Impatient Reader"),
    ]


def _data(page: Path) -> dict:
    html = page.read_text(encoding="utf-8")
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    return json.loads(data)


@pytest.fixture
def one_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """One figure is enough for tests that are not about figures."""
    monkeypatch.setattr(report, "plots", lambda: plots()[:1])


def test_everything_is_written(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(12)
    _two_models(tmp_path / "predictions", corpus, points)
    page = write_report([tmp_path / "predictions"], None, tmp_path / "out")
    html = page.read_text(encoding="utf-8")
    assert not re.search(r"{{|{%|{#", re.sub(r"<(script|style).*?</\1>", "", html, flags=re.S))
    # Nothing is fetched: no source or link leads out of the page.
    assert not re.search(r'(?:src|href)="(?!#|data:)', html)
    assert "default-src 'none'" in html
    for ending in ("txt", "md", "csv", "tex"):
        assert (tmp_path / "out" / "tables" / f"accuracy.{ending}").stat().st_size
    folder = tmp_path / "out" / "figures" / "press-valid"
    assert not (folder / "training.svg").exists()  # neither model was trained
    for plot in plots():
        if plot.slug == "training":
            continue
        ElementTree.parse(folder / f"{plot.slug}.svg")
        with Image.open(folder / f"{plot.slug}.png") as picture:
            assert picture.width > 800
        assert (folder / f"{plot.slug}.csv").read_text().startswith("model,x,label,share")
        assert plot.title in html
    (data,) = _data(page)["datasets"]
    assert len(data["questions"]["id"]) == sum(len(asked) for _, asked in points)
    assert {data["maps"][k]["model"] for pair in data["gallery"] for k in pair} == {1}


def test_the_same_predictions_give_the_same_figures(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(6)
    (comparison,) = compare(_two_models(tmp_path, corpus, points))
    one, two = (save(plots()[1], comparison, tmp_path / name) for name in ("one", "two"))
    assert one == two
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.usefixtures("one_plot")
def test_the_page_is_bounded(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(40, longest=8)
    paths = _two_models(tmp_path, corpus, points)
    bounds = Bounds(questions=30, texts=16, heatmaps=6)
    page = write_report(paths, corpus.path, tmp_path / "out", bounds=bounds)
    (data,) = _data(page)["datasets"]
    total = sum(len(asked) for _, asked in points)
    assert len(data["questions"]["id"]) <= 60 < total
    assert len(data["texts"]) * data["textsAChunk"] == 16
    assert len(data["maps"]) == 6
    assert f"of {total:,} questions are on this page" in page.read_text()


@pytest.mark.usefixtures("one_plot")
def test_each_file_is_opened_once(
    make_press: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, points = make_press(8, longest=8)
    write_shard(corpus.path, "test", 0, points)
    write_manifest(corpus.path, name="press", options={})
    corpus = Corpus.open(corpus.path)
    paths = _two_models(tmp_path / "p", corpus, points)
    again = answers_of(points, 0.6, 2, steps=4)
    paths.append(write_model(tmp_path / "p", corpus, again, "Impatient Reader", split="test"))
    hashed = []
    monkeypatch.setattr(Corpus, "open", lambda path: hashed.append(path) or corpus)
    opens = count_opens(monkeypatch)
    write_report(paths, None, tmp_path / "out")
    assert {path.name: opens[path.name] for path in paths} == {path.name: 1 for path in paths}
    assert hashed == [str(corpus.path)]  # two splits, one corpus


@pytest.mark.usefixtures("one_plot")
def test_hostile_text_stays_text(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(3)
    evil = "<img src=x onerror=alert(1)> {{ 7 * 7 }} $\\frac{"
    paths = [
        write_model(tmp_path, corpus, answers_of(points, 0.5, 1, steps=1), evil),
        write_model(tmp_path, corpus, answers_of(points, 0.5), "<img src=y>, question only"),
    ]
    html = write_report(paths, None, tmp_path / "out", title="<img src=z>").read_text()
    assert "<img" not in html
    assert "{{ 7 * 7 }}" in html
    (comparison,) = compare(paths)
    write_heatmaps(comparison, corpus, tmp_path / "maps.html")
    assert "<img" not in (tmp_path / "maps.html").read_text()


@pytest.mark.usefixtures("one_plot")
def test_mistakes_are_told_in_one_line(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(3)
    paths = _two_models(tmp_path / "p", corpus, points)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has no predictions"):
        prediction_files([tmp_path / "empty"])
    corpus.path.rename(tmp_path / "moved")
    with pytest.raises(UserError, match=r"not where it was.*--corpus"):
        write_report(paths, None, tmp_path / "out")
    assert write_report(paths, tmp_path / "moved", tmp_path / "out").is_file()
    with pytest.raises(UserError, match="there is no attention for the question nope"):
        write_heatmaps(
            compare(paths)[0],
            Corpus.open(tmp_path / "moved"),
            tmp_path / "x.html",
            questions=["nope"],
        )
    with pytest.raises(UserError, match="hold no attention"):
        write_heatmaps(compare(paths[:1])[0], Corpus.open(tmp_path / "moved"), tmp_path / "x.html")


@pytest.mark.usefixtures("one_plot")
def test_another_corpus_is_refused(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(3)
    paths = _two_models(tmp_path / "p", corpus, points)
    other, _ = make_press(4, name="other")
    with pytest.raises(UserError, match="is not the corpus of the predictions"):
        write_report(paths, other.path, tmp_path / "out")


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_heat_maps_as_pictures(make_press: Make, tmp_path: Path, steps: int) -> None:
    corpus, points = make_press(6, longest=20)
    path = write_model(tmp_path, corpus, answers_of(points, 0.5, 1, steps=steps), "Reader")
    (comparison,) = compare([path])
    maps = write_pictures(comparison, corpus, tmp_path / "png", pairs=1)
    files = sorted((tmp_path / "png").iterdir())
    assert len(files) == len(maps) == 2
    for file in files:
        with Image.open(file) as picture:
            pixels = np.asarray(picture.convert("RGB")).reshape(-1, 3).astype(int)
        warm = (pixels[:, 0] - pixels[:, 2] > 100) & (pixels[:, 0] > 200)
        assert warm.sum() > 500  # something was looked at


def test_markers_instead_of_names(make_press: Make, tmp_path: Path) -> None:
    corpus, points = make_press(4, longest=6)
    path = write_model(tmp_path, corpus, answers_of(points, 0.5, 1, steps=1), "Reader")
    (comparison,) = compare([path])
    wanted = [points[0][1][0].id]
    write_pictures(comparison, corpus, tmp_path / "names", questions=wanted)
    write_pictures(comparison, corpus, tmp_path / "markers", questions=wanted, names=False)
    (one,), (two,) = ((tmp_path / folder).iterdir() for folder in ("names", "markers"))
    assert one.read_bytes() != two.read_bytes()
    write_heatmaps(comparison, corpus, tmp_path / "x.html", questions=wanted, names=False)
    assert 'data-show="markers"' in (tmp_path / "x.html").read_text()


def test_an_excerpt_is_the_sentences_looked_at() -> None:
    tokens = ["a", "b", ".", "c", "d", ".", "e", "f", "."]
    text = Text(tokens, tokens, [1] * 9)
    levels = np.zeros((2, 9), np.uint8)
    levels[0, 7], levels[1, 0] = 200, 255
    assert excerpt(text, levels, 6) == [0, 1, 2, 6, 7, 8]
    assert excerpt(text, levels, 1) == [0, 1, 2]  # never nothing


def test_what_lies_below_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what a killed evaluation keeps nor a folder that vanishes meanwhile."""
    for name in ("a/b.parquet", ".c.parquet.building/chunks/00000.parquet", "gone/d.parquet"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    look = os.scandir

    def vanished(place: Any = ".") -> Any:
        if Path(place).name == "gone":
            raise FileNotFoundError(place)
        return look(place)

    monkeypatch.setattr(os, "scandir", vanished)
    assert prediction_files([tmp_path]) == [tmp_path / "a" / "b.parquet"]

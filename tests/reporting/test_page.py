"""The page in a browser: it opens, fits, and does what its user asks."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.evaluation.metrics import compare
from cloze.reporting.heatmap_page import write_heatmaps
from cloze.reporting.levels import excerpt, quantise
from cloze.reporting.report import write_report
from cloze.templating import as_it_is
from cloze.text import Text
from tests.evaluation.conftest import answers_of, press, story, write_model

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
FLAGS = (
    "--no-sandbox --headless=new --disable-gpu --disable-background-networking "
    "--disable-component-update --disable-sync"
)
LONG = 2000  # tokens of the longest document, the most that a corpus holds


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A report over two splits with an attentive and an impatient model; and their heat maps."""
    folder = tmp_path_factory.mktemp("page")
    paths, first = [], None
    for split, seed in (("valid", 1), ("test", 2)):
        points = press(30, seed=seed, longest=60)
        points.append(
            story(30, np.random.default_rng(seed), LONG // 7)
        )  # seven tokens per sentence
        write_shard(folder / "press", split, 0, points)
    write_manifest(folder / "press", name="press", options={})
    corpus = Corpus.open(folder / "press")
    for split in ("valid", "test"):
        points = list(corpus.read(split))
        for model, skill, kind, steps in (
            ("Word distance model", 0.5, "baseline", 0),
            ("Attentive Reader", 0.6, "reader", 1),
            ("Impatient Reader", 0.7, "reader", 6),
        ):
            answered = answers_of(points, skill, steps, steps)
            paths.append(write_model(folder, corpus, answered, model, kind, split))
        first = first or compare(paths)[0]
    report = write_report(paths, None, folder / "report")
    write_heatmaps(first, corpus, folder / "heatmaps.html", pairs=2)
    return report.as_uri(), (folder / "heatmaps.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    playwright.expect.set_options(timeout=100_000)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: "playwright.Browser") -> Iterator:
    """Opens an address; by the end of the test there must have been no error."""
    opened, complaints = [], []

    def visit(address: str, width: int = 1280, scheme: str = "light") -> "playwright.Page":
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(300_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
        page.goto(address)
        return page

    yield visit
    for context in opened:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits(pages: tuple[str, str], visit, which: int, scheme: str, width: int) -> None:
    page = visit(pages[which], width, scheme)
    page.locator(".heatmap .text").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # An element that does not scroll sideways must not be cut off at the side either.
    cut = page.evaluate(
        """() => [...document.querySelectorAll("h1, h2, h3, p, button, .card, figure, .detail")]
             .filter((e) => e.offsetParent && !e.closest(".scroll, nav") &&
                            e.getBoundingClientRect().right > innerWidth + 1)
             .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert cut == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(int(x) for x in background[4:-1].split(",")) > 380
    assert light == (scheme == "light")


def _film(page: "playwright.Page"):
    for each in page.locator("#gallery > *").all():  # they are drawn when they are seen
        each.scroll_into_view_if_needed()
    card = page.locator(".card", has=page.locator(".film")).first
    card.scroll_into_view_if_needed()
    card.locator(".film").wait_for()
    return card


def _heat(card) -> list[str]:
    return card.evaluate(
        "(e) => [...e.querySelectorAll('.text span')].map((s) => s.style.background)"
    )


def test_the_film_by_keyboard(pages: tuple[str, str], visit) -> None:
    card = _film(visit(pages[0]))
    slider, counter = card.locator("input[type=range]"), card.locator("output")
    assert counter.inner_text() == "6 / 6"
    last = _heat(card)
    slider.focus()
    slider.press("ArrowLeft")
    assert counter.inner_text() == "5 / 6"
    assert _heat(card) != last
    slider.press("ArrowRight")
    assert _heat(card) == last
    slider.press("Home")
    assert counter.inner_text() == "1 / 6"
    assert card.locator(".query .now").count() == 1
    # The arrows also work while the text has the focus.
    card.locator(".text").focus()
    card.locator(".text").press("ArrowRight")
    assert counter.inner_text() == "2 / 6"


def test_the_film_by_mouse(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    card = _film(page)
    box = card.locator("input[type=range]").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    assert card.locator("output").inner_text() == "1 / 6"
    card.locator(".query .step").nth(3).click()
    assert card.locator("output").inner_text() == "4 / 6"
    card.locator(".play").click()
    playwright.expect(card.locator("output")).to_have_text("6 / 6")
    playwright.expect(card.locator(".play")).to_have_text("▶")
    card.locator(".all").click()
    assert card.locator(".multiples .frame").count() == 6


def test_names_and_markers(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    card = _film(page)
    text, detail = card.locator(".text"), page.locator("#detail .text")
    named = text.inner_text()
    assert "ent1" not in named
    page.locator("#attention .names button", has_text="markers").click()
    assert "ent1" in text.inner_text()
    playwright.expect(detail).to_contain_text("ent")
    assert "ent" in page.locator("#list").inner_text()
    page.locator("#questions .names button", has_text="names").click()
    assert text.inner_text() == named


def test_filters(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    found, list_ = page.locator("#found"), page.locator("#list button")
    total = int(found.inner_text().split(" ")[0])
    chip = page.locator("#verdicts button", has_text="Attentive Reader")
    chip.click()
    right = int(found.inner_text().split(" ")[0])
    chip.click()
    wrong = int(found.inner_text().split(" ")[0])
    assert right + wrong == total
    assert 0 < right < total
    list_.first.click()
    row = page.locator("#detail tr", has_text="Attentive Reader")
    assert row.inner_text().startswith("✗")
    chip.click()
    assert int(found.inner_text().split(" ")[0]) == total
    page.locator("#least").fill("200")
    page.locator("#most").fill("300")
    lengths = page.locator("#list .meta > span:first-child").all_inner_texts()
    assert lengths
    assert all(200 <= int(length.split()[0]) <= 300 for length in lengths)
    page.locator("#least").fill("")
    page.locator("#most").fill("")
    word = list_.first.inner_text().split()[0]
    page.locator("#search").fill(word)
    assert list_.count() > 0
    assert all(word in line for line in list_.all_inner_texts())
    page.locator("#search").fill("nothing says this")
    assert found.inner_text().startswith("0 of")


def test_a_question_opens_with_its_article(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    page.locator("#list button").nth(2).click()
    detail = page.locator("#detail")
    playwright.expect(detail.locator(".text")).to_contain_text("the")
    assert detail.locator("tr").count() == 3
    detail.locator("button", has_text="Attentive Reader").click()
    playwright.expect(detail.locator("tr.chosen")).to_contain_text("Attentive Reader")
    page.locator("#list button").nth(2).press("ArrowDown")
    playwright.expect(page.locator("#list button").nth(3)).to_have_attribute("aria-current", "true")


def test_splits_are_switched(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    shown = page.locator("#curves [data-dataset]:not([hidden])")
    assert shown.get_attribute("data-dataset") == "0"
    page.locator("nav button", has_text="press test").click()
    assert shown.get_attribute("data-dataset") == "1"
    page.locator("#gallery article").first.scroll_into_view_if_needed()  # it is drawn when seen
    playwright.expect(page.locator("#gallery .heatmap .text").first).to_be_attached()


def test_a_step_of_the_film_touches_only_what_changes(pages: tuple[str, str], visit) -> None:
    """So that the film of a long text stays quick."""
    card = _film(visit(pages[0]))
    before = _heat(card)
    card.evaluate(
        """(card) => {
          window.touched = new Set();
          const note = (changes) => changes.forEach((change) => touched.add(change.target));
          const what = { attributes: true, childList: true, subtree: true };
          new MutationObserver(note).observe(card.querySelector(".text"), what);
        }"""
    )
    card.locator("input[type=range]").press("ArrowLeft")
    after = _heat(card)
    touched = card.evaluate(
        "(card) => [...card.querySelectorAll('.text span')].map((word) => touched.has(word))"
    )
    assert touched == [old != new for old, new in zip(before, after, strict=True)]
    assert 0 < sum(touched) < len(touched)


def test_a_long_text_is_shown_whole(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    page.locator("#sort").select_option("long")
    page.locator("#list button").first.click()
    words = page.locator("#detail .text span")
    playwright.expect(words.nth(LONG - 10)).to_be_attached()
    length = int(page.locator("#list .meta > span").first.inner_text().split()[0])
    assert words.count() == length == 7 * (LONG // 7)


def test_a_legend_brings_curves_forward(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    legend = page.locator("#curves .legend").first
    legend.locator("button", has_text="Attentive").hover()
    own = page.locator("#curves .series.of-1").first
    other = page.locator("#curves .series.of-0").first
    playwright.expect(own).to_have_css("opacity", "1")
    playwright.expect(other).to_have_css("opacity", "0.14")


def test_on_paper_all_steps_are_shown(pages: tuple[str, str], visit, tmp_path: Path) -> None:
    page = visit(pages[1])
    for card in page.locator(".card").all():
        card.scroll_into_view_if_needed()
        card.locator(".heatmap .text, .text").first.wait_for()
    assert page.locator(".multiples:visible").count() == 0
    page.pdf(path=tmp_path / "print.pdf")
    assert page.locator(".multiples .frame").count() > 0
    assert (tmp_path / "print.pdf").stat().st_size > 10_000


def test_the_page_and_python_agree_on_levels_and_excerpts(visit) -> None:
    """The ask page computes in JavaScript what a report packs in Python."""
    page = visit("about:blank")
    module = str(as_it_is("reporting", "heatmap.js"))
    dice = np.random.default_rng(4)
    words = ["a", "b", ".", "c", "?", "''", "d", "e", "...", "f", "g", "!", "h", "i", "."]
    text = Text(words, words, [1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 2, 1, 1, 1, 1])
    for steps, power in ((1, 1), (3, 1), (2, 12)):
        weights = dice.random((steps, len(words))) ** power
        weights /= weights.sum(axis=1, keepdims=True)
        ours = quantise(weights)
        theirs = page.evaluate(
            """async ([module, rows, tokens, spacing]) => {
                 const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
                 const { HeatMap, levelsOf } = await import(address);
                 const found = levelsOf(rows, tokens.length);
                 const context = { surfaces: tokens, tokens, spacing, marker: tokens.map(() => null) };
                 const map = { what: { context, ...found } };
                 return { ...found, levels: [...found.levels],
                          excerpt: HeatMap.prototype.excerpt.call(map, 6) };
               }""",
            [module, weights.tolist(), text.tokens, text.spacing],
        )
        assert theirs["levels"] == ours.levels.ravel().tolist()
        assert theirs["peak"] == pytest.approx(ours.peak)
        assert theirs["spread"] == pytest.approx(ours.spread)
        assert theirs["excerpt"] == excerpt(text, ours.levels, 6)


def test_the_explorer_opens_on_a_question_with_a_heat_map(pages: tuple[str, str], visit) -> None:
    page = visit(pages[0])
    page.locator("#detail .heatmap .ribbon").wait_for()
    chosen = page.locator("#detail tr.chosen").inner_text()
    assert "Attentive Reader" in chosen or "Impatient Reader" in chosen


def test_heat_maps_begin_with_a_whole_line(pages: tuple[str, str], visit) -> None:
    page = visit(pages[1], 390)
    page.locator(".card .text").first.wait_for()
    box = page.locator(".card:has(.ribbon) .text").first
    # A long text opens somewhere in its middle: no line is cut at its upper edge.
    cut = box.evaluate(
        """(box) => {
          const top = box.getBoundingClientRect().top;
          const fade = parseFloat(getComputedStyle(box).paddingTop);
          const rows = [...box.querySelectorAll("span")].map((s) => s.getClientRects()[0]);
          return rows.filter((r) => r.top < top + fade - 1 && r.bottom > top + 3).length;
        }"""
    )
    assert cut == 0


def test_the_page_of_heat_maps_has_a_margin(pages: tuple[str, str], visit) -> None:
    page = visit(pages[1])
    assert page.locator("h1").bounding_box()["y"] >= 20
    assert page.locator("h1").bounding_box()["x"] >= 16

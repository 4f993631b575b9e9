"""What a person does after the first answer: mend names, change words, mark, compare, keep."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import ARTICLE, QUESTION
from .in_browser import Page, opened

expect = pytest.importorskip("playwright.sync_api").expect

SIZES = {
    "desk, light": (1280, 800, "light"),
    "desk, dark": (1280, 800, "dark"),
    "phone, light": (390, 844, "light"),
    "phone, dark": (390, 844, "dark"),
}


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def every_page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Page]:
    with opened(browser, address, *request.param) as page:
        yield page


def asked(page: Page, question: str = QUESTION) -> Any:
    """The page in the browser, after a question about the article."""
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    page.ask(question)
    page.page.wait_for_selector(".reader")
    return page.page


def rows(page: Any) -> list[tuple[str, str]]:
    """The names that the first reader shows, with their probabilities."""
    shown = page.locator(".reader >> nth=0").locator(".ranking .go")
    return [
        (row.locator(".who").text_content(), row.locator(".percent").text_content())
        for row in shown.all()
    ]


def luminance(colour: str) -> float:
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_answers_are_above_the_fold(every_page: Page) -> None:
    page = asked(every_page)
    fold = page.viewport_size["height"]
    assert page.evaluate("scrollY") == 0
    for reader in page.locator(".reader").all():  # all three of them, whole
        box = reader.bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= fold
    first = page.locator(".ranking .go").first.bounding_box()
    assert first["y"] + first["height"] < fold / 2
    # The suggestions are folded away, and can be had again.
    assert not page.is_visible("#sentences")
    expect(page.locator("#answers-title")).to_be_focused()
    page.click("#offer summary")
    assert page.is_visible("#sentences")
    # What is written can be read: ink and paper differ, in the dark as in the light.
    ink, paper = page.evaluate(
        "[getComputedStyle(document.querySelector('.who')).color,"
        " getComputedStyle(document.body).backgroundColor]"
    )
    assert abs(luminance(ink) - luminance(paper)) > 120
    assert (luminance(paper) < 128) == page.evaluate(
        "matchMedia('(prefers-color-scheme: dark)').matches"
    )


def test_names_are_mended_by_keyboard_alone(every_page: Page) -> None:
    page = every_page.page
    page.keyboard.type(ARTICLE.replace("\n\n", " "))
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#sentences button.name")
    page.focus("#question")
    page.keyboard.type("Who insulted Lund?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".reader")
    assert page.evaluate("document.activeElement.id") == "answers-title"
    assert page.text_content(".query").strip().endswith("insulted Lund")
    before = rows(page)

    # From the first word to the first name, Harbour Line, and its menu.
    page.locator("#text [tabindex='0']").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "Harbour Line"
    page.keyboard.press("Enter")
    expect(page.locator("#word-menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#word-menu")).to_be_hidden()
    assert page.evaluate("document.activeElement.textContent") == "Harbour Line"
    page.keyboard.press("Enter")
    page.locator("#word-menu button", has_text="is not a name").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#mended li")).to_have_count(1)
    assert "Harbour Line" in [name for name, _ in before]
    assert "Harbour Line" not in [name for name, _ in rows(page)]
    assert page.evaluate("document.activeElement.id") == "answers-title"

    # And back again.
    page.locator("#mended button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#mended li")).to_have_count(0)
    assert rows(page) == before


def test_names_are_joined_and_parted(page: Page) -> None:
    shown = asked(page)
    assert "4 names" in shown.text_content("#measure")
    venn = shown.locator("#text .text .entity", has_text=re.compile("^Venn$")).first
    venn.click()
    shown.locator("#word-menu button", has_text="“Venn” is somebody else").click()
    expect(shown.locator("#measure")).to_contain_text("5 names")
    shown.locator("#text .text .entity", has_text=re.compile("^Ostrava$")).first.click()
    shown.select_option("#same-as", label="Tobias Lund")
    shown.click("#word-menu >> text=Join")
    expect(shown.locator("#measure")).to_contain_text("4 names")
    assert shown.locator("#mended li").all_text_contents() == [
        "“Venn” is somebody else✕",
        "“Ostrava” and “Tobias Lund” are one✕",
    ]
    # A link holds the corrections too.
    link = shown.evaluate("location.href")
    shown.goto("about:blank")
    shown.goto(link)
    shown.wait_for_selector(".reader")
    assert shown.locator("#mended li").count() == 2


def test_a_word_is_changed_and_the_answer_moves(page: Page) -> None:
    shown = asked(page)
    before = rows(shown)
    shown.locator("#text .text span", has_text=re.compile("^insulted$")).click()
    shown.fill("#new-word", "praised")
    shown.press("#new-word", "Enter")
    expect(shown.locator("#moved")).to_contain_text("“insulted” became “praised”")
    assert "praised Tobias Lund" in shown.inner_text("#text .text")
    assert rows(shown) != before
    was = shown.locator(".reader.shown .was").all_text_contents()
    assert dict(zip([name for name, _ in rows(shown)], was, strict=True)) == {
        name: f"was {share}" for name, share in before
    }
    shown.click("#moved >> text=Undo")
    expect(shown.locator("#moved")).to_be_hidden()
    assert rows(shown) == before
    assert "insulted Tobias Lund" in shown.inner_text("#text .text")


def test_the_right_name_is_marked(page: Page) -> None:
    shown = asked(page)
    second = shown.locator(".reader.shown .ranking li").nth(1)
    name = second.locator(".who").text_content()
    second.locator(".mark").click()
    expect(shown.locator(".reader.shown")).to_contain_text("The right name came in place 2.")
    assert shown.locator(".reader.shown li.right .who").text_content() == name
    expect(shown.locator(".mark[aria-pressed=true]").first).to_be_focused()
    shown.keyboard.press("Enter")  # taken back
    assert shown.locator(".reader.shown li.right").count() == 0
    # For a name that was hidden the answer is known, so there is nothing to mark.
    shown.click("#offer summary")
    shown.locator("#sentences button.name").first.click()
    expect(shown.locator(".mark")).to_have_count(0)


def test_the_ranking_moves_with_the_film(any_page: Page) -> None:
    page = asked(any_page)
    page.locator("button.title").nth(1).click()
    slider = page.locator(".film input[type=range]")
    ranking = page.locator(".reader.shown .ranking")
    last = ranking.inner_text()
    slider.press("Home")
    first = ranking.inner_text()
    assert first != last
    shares = [int(re.sub(r"\D", "", s)) for s in ranking.locator(".percent").all_text_contents()]
    assert shares == sorted(shares, reverse=True)
    slider.press("End")
    assert ranking.inner_text() == last


def test_who_the_readers_are(any_page: Page) -> None:
    page = any_page.page
    page.focus("#who")
    page.keyboard.press("Enter")
    told = page.locator("#readers")
    expect(told).to_be_visible()
    assert told.locator("li").count() == 3
    assert "Its card says nothing" not in told.inner_text()  # untrained, and without a card
    page.keyboard.press("Escape")
    expect(told).to_be_hidden()


def test_unknown_words_are_grey_among_the_markers(page: Page) -> None:
    page.read(ARTICLE.replace("engineer", "zymurgist"))
    shown = page.page
    shown.wait_for_selector("#sentences button.name")
    assert shown.locator(".unknown-word").count() == 0  # a person reads them
    shown.click("#as-markers")
    grey = shown.locator("#text .unknown-word").all_text_contents()
    assert "zymurgist" in grey
    assert "the" not in grey
    expect(shown.get_by_text(f"does not know the {len(grey)} words in grey")).to_be_visible()


def test_suggestions_say_that_they_are_the_articles_own(page: Page) -> None:
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    assert "the article’s own sentences" in page.page.text_content("#offer-hint")
    page.read(ARTICLE, "Mara Venn insulted Tobias Lund")
    expect(page.page.locator("#offer-hint")).to_be_empty()


def test_the_page_is_kept_as_one_file(page: Page, browser: Any, tmp_path: Path) -> None:
    shown = asked(page, QUESTION + " </script><b>bold</b>")
    shown.locator("button.title").nth(1).click()
    expected = shown.inner_text("#answers"), page.heat()
    with shown.expect_download() as saving:
        shown.click("#keep")
    kept = tmp_path / "cloze.html"
    saving.value.save_as(kept)

    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    again = context.new_page()
    problems: list[str] = []
    again.on("pageerror", lambda problem: problems.append(str(problem)))
    again.on("request", lambda request: problems.append(request.url))
    again.goto(kept.as_uri())
    again.wait_for_selector(".reader")
    heat = again.eval_on_selector_all("#text .text span", "ws => ws.map(w => w.style.background)")
    text = again.inner_text("#answers")
    assert (text.replace("○\n", "").replace("\n○", ""), heat) == (
        expected[0].replace("○\n", "").replace("\n○", ""),
        expected[1],
    )
    # The film, the markers and the other readers work without a server; asking does not.
    again.locator(".film input[type=range]").press("Home")
    assert again.inner_text("#answers") != text
    again.click("#as-markers")
    assert "Mara Venn" not in again.text_content("#text .text")
    again.locator("button.title").nth(0).click()
    assert again.locator(".film").count() == 0
    assert not again.is_visible("#ask")
    assert again.is_visible("text=needs no server")
    ours = {kept.as_uri()}
    assert [p for p in problems if p not in ours and not p.startswith("data:")] == []
    context.close()

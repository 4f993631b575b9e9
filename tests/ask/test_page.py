"""The page in a real Chromium: everything a person does with it."""

import re

import pytest

from .conftest import ARTICLE, QUESTION
from .in_browser import Page

expect = pytest.importorskip("playwright.sync_api").expect

HIGHLIGHTS = "Mara Venn insulted Tobias Lund\nHarbour Line dismisses Venn"


def test_paste_gap_answer(any_page: Page) -> None:
    page = any_page
    page.read(ARTICLE, HIGHLIGHTS)
    names = page.page.locator("#sentences button.name")
    names.first.wait_for()
    assert names.all_text_contents() == ["Mara Venn", "Tobias Lund", "Harbour Line", "Venn"]
    assert "tokens" in page.page.text_content("#measure")
    assert not any(page.heat())

    names.nth(1).click()
    page.page.wait_for_selector(".reader")
    assert page.page.input_value("#question") == "Mara Venn insulted ___"
    readers = page.page.locator(".reader")
    assert readers.count() == 3
    shares = readers.first.locator(".percent").all_text_contents()
    assert len(shares) == 4
    assert any(page.heat())
    # The hidden name is marked wherever it came.
    right = readers.first.locator(".ranking .right .who")
    assert right.all_text_contents() == ["Tobias Lund"]
    every = readers.first.locator(".ranking .who").all_text_contents()
    assert {"Harbour Line", "Mara Venn", "Ostrava", "Tobias Lund"} <= set(every)


def test_own_question_and_the_way_back(page: Page) -> None:
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    assert "first sentences" in page.page.text_content("#offer-title")
    page.ask(QUESTION)
    page.page.wait_for_selector(".reader")
    assert page.page.locator(".ranking .right").count() == 0  # nobody said what is right
    page.page.click("#edit")
    assert page.page.input_value("#article") == ARTICLE
    assert not page.page.is_visible("#result")


def test_switching_models_changes_the_heat(page: Page) -> None:
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    page.ask(QUESTION)
    page.page.wait_for_selector(".reader.shown")
    attentive = page.heat()
    assert not page.page.is_visible(".film")
    titles = page.page.locator("button.title")
    titles.nth(1).click()
    page.page.wait_for_selector(".film")
    impatient = page.heat()
    assert impatient != attentive
    titles.nth(2).click()
    page.page.wait_for_selector("text=has no attention to show")
    assert not any(page.heat())
    page.page.keyboard.press("1")
    assert page.heat() == attentive
    # A reader that is switched off no longer answers; the last one cannot be.
    page.page.click("#who")
    boxes = page.page.locator("#readers input")
    boxes.nth(0).uncheck()
    expect(page.page.locator(".reader")).to_have_count(2)
    boxes.nth(1).uncheck()
    expect(page.page.locator(".reader")).to_have_count(1)
    boxes.nth(2).click()
    assert boxes.nth(2).is_checked()


def test_the_film(any_page: Page) -> None:
    page = any_page
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    page.ask(QUESTION)
    page.page.wait_for_selector(".reader.shown")
    page.page.locator("button.title").nth(1).click()
    slider = page.page.locator(".film input[type=range]")
    steps = int(slider.get_attribute("max")) + 1
    assert steps == 6  # Engineer ___ will not sue [Mara Venn]
    assert slider.input_value() == "5"
    seen = {5: page.heat()}
    for step in (4, 3):
        slider.press("ArrowLeft")
        assert slider.input_value() == str(step)
        seen[step] = page.heat()
    assert seen[3] != seen[4] != seen[5]
    slider.press("Home")
    assert slider.input_value() == "0"
    assert page.page.locator(".query .now").text_content() == "Engineer"
    # Arrow keys move it from anywhere that is not a field.
    page.page.evaluate("document.activeElement.blur()")
    page.page.keyboard.press("ArrowRight")
    assert slider.input_value() == "1"
    page.page.locator(".query .step").nth(4).click()
    assert slider.input_value() == "4"
    assert page.heat() == seen[4]
    page.page.click(".film .play")  # plays on to the end
    expect(slider).to_have_value("5")
    assert page.heat() == seen[5]


def test_side_by_side(any_page: Page) -> None:
    page = any_page
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    page.ask(QUESTION)
    page.page.wait_for_selector(".reader.shown")
    if not page.page.is_visible("#compare"):  # a phone has no room for it
        assert page.page.viewport_size["width"] < 500
        return
    page.page.click("#compare")
    assert page.page.locator("#text .heatmap").count() == 3
    assert page.page.locator("#text .ribbon").count() == 2
    page.page.click("#compare")
    assert page.page.locator("#text .heatmap").count() == 1


def test_markers_show_what_the_reader_sees(page: Page) -> None:
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    page.page.click("#as-markers")
    text = page.page.text_content("#text .text")
    assert "Mara Venn" not in text
    assert re.search(r"shouted at by @?ent(ity)?\d+ will not", text)
    page.page.click("#as-names")
    assert "Mara Venn" in page.page.text_content("#text .text")


@pytest.mark.parametrize(
    ("article", "message"),
    [
        ("", "The article is empty"),
        ("   ", "The article is empty"),
        ("word " * 8001, "The article has 8,001 tokens and at most 8,000 can be read"),
        ("word " * 12_000, "The article has more than 50,000 characters"),
    ],
    ids=["empty", "blank", "too long", "very long"],
)
def test_articles_that_cannot_be_read(page: Page, article: str, message: str) -> None:
    page.read(article)
    alert = page.page.locator("[role=alert]:visible")
    alert.wait_for()
    assert message in alert.text_content()
    # It goes away when all is well.
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    assert page.page.locator("[role=alert]:visible").count() == 0


def test_a_request_that_is_too_large(page: Page) -> None:
    page.page.evaluate("document.getElementById('highlights').value = 'word '.repeat(250_000)")
    page.read(ARTICLE)
    page.page.wait_for_selector("#trouble:visible")
    assert "more than 1,048,576 bytes" in page.page.text_content("#trouble")


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            "Nobody will sue",
            "no gap; put X, @placeholder or ___ in the place of the name that is asked for, or begin with",
        ),
        ("X sued X", "has 2 gaps"),
    ],
)
def test_questions_that_cannot_be_asked(page: Page, question: str, message: str) -> None:
    page.read(ARTICLE)
    page.page.wait_for_selector("#sentences button.name")
    page.ask(question)
    alert = page.page.locator("#question-problem:visible")
    alert.wait_for()
    assert message in alert.text_content()
    assert page.page.evaluate("document.activeElement.id") == "question"
    assert page.page.get_attribute("#question", "aria-invalid") == "true"


def test_markup_is_shown_and_never_run(any_page: Page) -> None:
    page = any_page
    evil = (
        "<script>alert('ran')</script> Mara Venn met <img src=x onerror=alert(1)> Tobias Lund."
        ' </textarea><svg onload=alert(2)> said Mara Venn & "Lund" &amp; javascript:alert(3)'
    )
    page.read(evil, "<b>Mara Venn</b> met Tobias Lund <script>alert(4)</script>")
    page.page.wait_for_selector("#sentences button.name")
    page.page.locator("#sentences button.name").first.click()
    page.page.wait_for_selector(".reader")
    assert page.page.inner_text("#text .text").split() == evil.split()
    assert page.page.locator("main script, main img, main b:not(.intro b), main svg").count() == 0


def test_right_to_left_text(page: Page) -> None:
    arabic = "قالت مارا فين إن توبياس لوند غادر الميناء يوم الجمعة.\n\nMara Venn left the port."
    page.read(arabic)
    page.page.wait_for_selector("#text .text p")
    first, second = (page.page.locator("#text .text p").nth(k) for k in (0, 1))
    assert first.inner_text() == arabic.split("\n\n")[0]
    places = [
        paragraph.evaluate("p => [p.firstChild.getBoundingClientRect().left, p.clientWidth]")
        for paragraph in (first, second)
    ]
    assert places[0][0] > places[1][0] + places[1][1] / 4  # it begins at the right
    assert first.evaluate("p => getComputedStyle(p).unicodeBidi") == "plaintext"


def test_an_example_and_a_link_to_the_result(page: Page, address: str) -> None:
    page.page.locator("#stories button").nth(1).click()
    page.page.wait_for_selector("#sentences button.name")
    page.page.locator("#sentences button.name").first.click()
    page.page.wait_for_selector(".reader")
    page.page.click("#copy")
    page.page.wait_for_selector("text=The link is copied")
    link = page.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{address}/#read=")
    assert "?" not in link  # all of it in the fragment, which no server sees
    expected = page.page.inner_text("#answers"), page.heat(), page.page.input_value("#question")
    page.page.goto("about:blank")
    page.page.goto(link)
    page.page.wait_for_selector(".reader")
    again = page.page.inner_text("#answers"), page.heat(), page.page.input_value("#question")
    assert again == expected


@pytest.mark.parametrize(
    "fragment", ["#read=", "#read=%%%", "#read=AAAA", "#other", "#read=q1YqLg"]
)
def test_a_broken_link_is_an_empty_page(page: Page, fragment: str) -> None:
    page.page.goto("about:blank")
    page.page.goto(page.address + "/" + fragment)
    page.page.wait_for_selector("#stories button")
    assert page.page.input_value("#article") == ""


def test_a_text_file_can_be_dropped(page: Page) -> None:
    transfer = page.page.evaluate_handle(
        "text => { const t = new DataTransfer(); t.items.add(new File([text], 'news.txt')); return t }",
        ARTICLE,
    )
    page.page.dispatch_event("#article", "drop", {"dataTransfer": transfer})
    expect(page.page.locator("#article")).to_have_value(ARTICLE)


def test_all_of_it_by_keyboard(page: Page) -> None:
    page.page.keyboard.type("Mara Venn met Tobias Lund in Ostrava on Friday.")  # it has the focus
    page.page.keyboard.press("Control+Enter")
    page.page.wait_for_selector("#sentences button.name")
    expect(page.page.locator("#sentences button.name").first).to_be_focused()
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")
    page.page.wait_for_selector(".reader")
    assert page.page.input_value("#question") == "Mara Venn met ___ in Ostrava on Friday."


def test_a_server_that_is_gone(page: Page) -> None:
    page.page.route("**/api/read", lambda route: route.abort())
    page.read(ARTICLE)
    expect(page.page.get_by_text("The server does not answer")).to_be_visible()
    assert page.page.input_value("#article") == ARTICLE
    assert page.page.locator(".reader").count() == 0

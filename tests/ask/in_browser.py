"""The page in a browser, as a person uses it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Page:
    """A page that remembers every error and every request to elsewhere."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.on("pageerror", lambda problem: self.errors.append(str(problem)))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog: {dialog.message}"))
        page.on("request", self._note)
        page.goto(address)
        page.wait_for_selector("#stories button")

    def _note(self, request: Any) -> None:
        if not request.url.startswith(self.address):
            self.foreign.append(request.url)

    def read(self, article: str, highlights: str = "") -> None:
        if not self.page.is_visible("#article"):
            self.page.click("#edit")
        self.page.fill("#article", article)
        if highlights:
            self.page.evaluate("document.getElementById('more').open = true")
            self.page.fill("#highlights", highlights)
        self.page.click("#read")

    def ask(self, question: str) -> None:
        self.page.fill("#question", question)
        self.page.press("#question", "Enter")

    def heat(self) -> list[str]:
        """The background of every word of the article that is shown."""
        return self.page.eval_on_selector_all(
            "#text .text span", "words => words.map(word => word.style.background)"
        )


@contextmanager
def opened(
    browser: Any, address: str, width: int, height: int = 844, colours: str = "light"
) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
        color_scheme=colours,
    )
    context.set_default_timeout(300_000)
    page = Page(context.new_page(), address)
    yield page
    # Whatever the test did, the page neither failed nor spoke to anyone else.
    assert page.errors == []
    assert page.foreign == []
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()

"""The tutorial in a browser: every cell is run, and the heat maps' controls are used.

python in_a_browser.py jupyter|marimo ADDRESS [PICTURE]
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

MINUTES = 60_000
INSTALLED = ("/usr/bin/chromium", "/usr/bin/google-chrome")


def main(kind: str, address: str, picture: str | None = None) -> None:
    chromium = next((path for path in INSTALLED if Path(path).exists()), None)
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.set_default_timeout(10 * MINUTES)
        complaints: list[str] = []
        page.on("pageerror", lambda problem: complaints.append(str(problem)))
        {"jupyter": open_in_jupyter, "marimo": open_in_marimo}[kind](page, address)
        look(page)
        if picture:
            page.locator(".cloze-notebook").last.scroll_into_view_if_needed()
            page.screenshot(path=picture)
        ours = [line for line in complaints if "heatmap" in line.lower()]
        assert not ours, ours
        browser.close()


def open_in_jupyter(page: Page, address: str) -> None:
    page.goto(f"{address}lab/tree/small.ipynb?token=ours")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for(state="attached")
    page.wait_for_timeout(10_000)  # menus fill up only after that
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.wait_for_timeout(1_000)
    page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
    expect(page.locator(".jp-OutputArea-output", has_text="report/index.html").last).to_be_attached(
        timeout=10 * MINUTES
    )


def open_in_marimo(page: Page, address: str) -> None:
    page.goto(address)  # every cell is run at once; what they print goes to the terminal
    expect(page.locator(".cloze-notebook")).to_have_count(2, timeout=10 * MINUTES)


def look(page: Page) -> None:
    maps = page.locator(".cloze-notebook")
    for number in range(2):  # a notebook lays out what is looked at
        maps.nth(number).scroll_into_view_if_needed()
        expect(maps.nth(number).locator(".text span.entity").first).to_be_visible()
    film = maps.nth(1)
    last = film.locator("output").inner_text()
    film.locator(".step").nth(1).click()
    first = film.locator("output").inner_text()
    shaded = film.locator('.text span[style*="background"]').count()
    film.locator("button.names").click()
    markers = film.locator(".text span.entity").first.inner_text()
    assert first != last
    assert first.startswith("2 /"), first
    assert shaded > 0
    assert markers.startswith("ent"), markers
    film.locator("button.names").click()
    print(f"{maps.count()} heat maps; the film went from step {last} to {first}", end="")
    print(f" with {shaded} words shaded, and showed the marker {markers}")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Saved web pages, in which `cloze.builder.pages` looks for an article and its bullets."""

from cloze.builder.pages.page import Page

WHAT = "a folder of saved web pages"
ENDINGS = (".html", ".htm")


def parse(content: bytes, name: str) -> Page:
    return Page(content, name)

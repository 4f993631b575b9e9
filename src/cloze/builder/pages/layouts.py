"""How CNN and the Daily Mail laid out their pages from 2007 to 2015.

A layout names the elements that hold the bullets and the paragraphs, newest design first, and what
stands among the paragraphs without being text of the article. Elements are found by a word of their
class or by their id.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_NO_BULLET = re.compile(r"story highlights$|next article in\b", re.I)


@dataclass(frozen=True, slots=True)
class Layout:
    hosts: tuple[str, ...]  # and everything below them
    bullets: tuple[str, ...]  # XPath expressions, of which the first that finds something counts
    paragraphs: tuple[str, ...]
    without: frozenset[str]  # classes and ids of what is left out, with all that is in it


def _called(name: str) -> str:
    """The XPath test for an element of this class or id."""
    return f"(contains(concat(' ', normalize-space(@class), ' '), ' {name} ') or @id='{name}')"


CNN = Layout(
    hosts=("cnn.com",),
    bullets=(
        f"//*[{_called('el__storyhighlights')} or {_called('el__storyhighlights__list')}]//li",
        f"//*[{_called('cnnStryHghLght')}]//li",
        f"//*[{_called('cnnHeaderRightCol')}]//li",
    ),
    paragraphs=(
        f"//*[{_called('zn-body__paragraph')}]",
        f"//*[{_called('cnn_strycntntlft')}]//p",
        f"//*[{_called('cnnContentContainer')}]//p",
    ),
    without=frozenset(
        "el__storyhighlights cnnStryHghLght cnnHeaderRightCol cnn_strylftcntnt cnn_stryspcvbx "
        "cnn_strycaptiontxt cnn_html_slideshow cnnByline cnn_stryathrtmp cnnStoryToolsFooter "
        "el__embedded media__caption twitter-tweet instagram-media zn-body__footer".split()
    ),
)
DAILY_MAIL = Layout(
    hosts=("dailymail.co.uk",),
    bullets=(
        f"//ul[{_called('mol-bullets-with-font')}]/li",
        "//ul[starts-with(@class, 'article-summary')]/li",
        f"//*[{_called('article-text')}]//h1/following-sibling::ul[1]/li",
    ),
    paragraphs=(
        f"//*[{_called('js-article-text')}]//p",
        f"//*[{_called('article-text')}]//p",
    ),
    without=frozenset(
        "artSplitter imageCaption image-wrap byline-section byline-plain author-section "
        "related-carousel mol-factbox moduleFull shareArticles column-content mol-video "
        "mol-bullets-with-font twitter-tweet instagram-media reader-comments".split()
    ),
)
LAYOUTS = (CNN, DAILY_MAIL)


def layout_of(host: str) -> Layout | None:
    """
    >>> layout_of("edition.cnn.com") is CNN, layout_of("notcnn.com")
    (True, None)
    """
    for layout in LAYOUTS:
        if any(host == known or host.endswith(f".{known}") for known in layout.hosts):
            return layout
    return None


def bullets_of(layout: Layout, tree: Any) -> list[str]:
    """The bullets of one list: a page may show the same list twice."""
    for elements in _found(layout.bullets, tree):
        first = elements[0].getparent()
        texts = [_text(each) for each in elements if each.getparent() is first]
        if bullets := [text for text in texts if text and not _NO_BULLET.match(text)]:
            return bullets
    return []


def paragraphs_of(layout: Layout, tree: Any) -> list[str]:
    for elements in _found(layout.paragraphs, tree):
        texts = [_text(each) for each in elements if not _is_left_out(each, layout.without)]
        if paragraphs := [text for text in texts if text]:
            return paragraphs
    return []


def _found(expressions: Sequence[str], tree: Any) -> Iterator[list[Any]]:
    return filter(None, (tree.xpath(expression) for expression in expressions))


def _is_left_out(element: Any, without: frozenset[str]) -> bool:
    around = (element, *element.iterancestors())
    return any(
        each.tag in ("li", "table", "footer", "figure")
        or each.get("id") in without
        or not without.isdisjoint((each.get("class") or "").split())
        for each in around
    )


def _text(element: Any) -> str:
    parts = element.xpath(".//text()[not(ancestor::script or ancestor::style)]")
    return " ".join("".join(parts).split())

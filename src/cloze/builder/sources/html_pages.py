"""Stories from saved web pages: the article's text and its summary bullets.

The article comes from trafilatura, which knows thousands of layouts. The bullets are the list that
a page marks as its highlights, key points or summary, or else a short list of whole sentences at
the head of the article.
"""

import hashlib
import re
from typing import Any

from cloze.builder.sources.records import checked, date_in
from cloze.extras import needs
from cloze.stories import Reason, Reject, Story

WHAT = "a folder of saved web pages"
ENDINGS = (".html", ".htm")
_MARKED = re.compile(r"highlight|bullet|key-?points?|summary|takeaway|tl-?dr|at-a-glance", re.I)
_FURNITURE = re.compile(r"nav|menu|footer|related|share|social|sidebar|comment|breadcrumb", re.I)
_BULLETS = range(2, 9)  # how many a summary has
_WORDS = range(4, 51)  # how many a bullet has


def parse(page: bytes, name: str) -> Story | Reject:
    """The story on a saved page."""
    with needs("nlp"):
        import trafilatura
        from trafilatura.metadata import extract_metadata

    tree = trafilatura.load_html(page)
    if tree is None:
        return Reject(name, Reason.NOT_HTML)
    bullets = _bullets(tree)
    text = trafilatura.extract(page, include_comments=False, include_tables=False) or ""
    metadata = extract_metadata(tree)
    url = metadata.url if metadata else None
    said = {_key(bullet) for bullet in bullets}
    lines = (line.removeprefix("- ").strip() for line in text.split("\n"))
    paragraphs = [line for line in lines if line and _key(line) not in said]
    story = Story(
        id=hashlib.sha1((url or name).encode(errors="surrogateescape")).hexdigest(),
        article="\n\n".join(paragraphs),
        highlights=tuple(bullets),
        url=url,
        date=(metadata.date if metadata else None) or date_in(url),
    )
    return checked(story, name)


def _bullets(tree: Any) -> list[str]:
    lists = [_items(element) for element in tree.iter("ul", "ol") if not _is_furniture(element)]
    marked = [
        items
        for element, items in zip(
            (e for e in tree.iter("ul", "ol") if not _is_furniture(e)), lists, strict=True
        )
        if _is_marked(element)
    ]
    for items in (*marked, *lists):
        if len(items) in _BULLETS and all(len(item.split()) in _WORDS for item in items):
            return items
    return []


def _items(element: Any) -> list[str]:
    texts = (" ".join(item.text_content().split()) for item in element.iterchildren("li"))
    return [text for text in texts if text]


def _names(element: Any) -> str:
    return f"{element.get('class', '')} {element.get('id', '')}"


def _is_marked(element: Any) -> bool:
    """The list, or one of the few elements around it, is called a summary."""
    around = [element, *list(element.iterancestors())[:2]]
    return any(_MARKED.search(_names(each)) for each in around)


def _is_furniture(element: Any) -> bool:
    return any(
        each.tag in ("nav", "footer", "aside", "header") or _FURNITURE.search(_names(each))
        for each in (element, *list(element.iterancestors())[:4])
        if not _MARKED.search(_names(each))
    )


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()

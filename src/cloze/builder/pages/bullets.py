"""The bullets of a page of no known layout.

They are the list that a page marks as its highlights, key points or summary, or else a short list
of whole sentences.
"""

import re
from typing import Any

_MARKED = re.compile(r"highlight|bullet|key-?points?|summary|takeaway|tl-?dr|at-a-glance", re.I)
_FURNITURE = re.compile(r"nav|menu|footer|related|share|social|sidebar|comment|breadcrumb", re.I)
_BULLETS = range(2, 9)  # how many a summary has
_WORDS = range(4, 51)  # how many a bullet has


def bullets_in(tree: Any) -> list[str]:
    lists = [each for each in tree.iter("ul", "ol") if not _is_furniture(each)]
    marked = [each for each in lists if _is_marked(each)]
    for element in (*marked, *lists):
        items = _items(element)
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

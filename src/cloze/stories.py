"""What every source yields: an article with its bullet-point summary, or why there is none."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

_DATE_IN_URL = re.compile(
    r"/((?:19|20)\d\d)/(?:(\d\d)/(?:(\d\d)/)?|(?:[a-z][\w.-]*/){1,3}(\d\d)/(\d\d)/)", re.I
)


@dataclass(frozen=True, slots=True)
class Story:
    """One article as it was published: cased, untokenised, paragraphs separated by blank lines."""

    id: str
    article: str
    highlights: tuple[str, ...]
    url: str | None = None
    date: str | None = None  # ISO: 2015-03-23, or just 2015-03
    headline: bool = False  # the highlights are a page's title and standfirst, not bullets


class Reason(StrEnum):
    """Why something is left out of a corpus, in the words of its manifest and its rejects."""

    # a record that is not a story
    NO_ARTICLE = "no article"
    NO_HIGHLIGHTS = "no highlights"
    NOT_TEXT = "article or highlights are not text"
    NOT_UTF8 = "invalid UTF-8"
    NOT_JSON = "invalid JSON"
    NOT_HTML = "not an HTML page"
    NO_PAGE = "the server sent no page"
    TOO_SLOW = "took too long to read"
    NO_FIELD = "id, url or date is not text"
    BAD_ID = "id is not one word"
    NO_FILE = "not a file that can be read"
    TOO_BIG = "over 64 MiB"
    OTHER_SOURCE = "a source of its own, not read with its folder"
    LINKED_FOLDER = "a link to a folder, not followed"
    # a story that belongs to no split
    NO_DATE = "no date to split by"
    SEEN_BEFORE = "id seen before"
    # a story that makes no document
    EMPTY = "empty article"
    TOO_LONG = "over 2,000 tokens"
    NO_QUESTION = "no answerable question"
    # a question rather than a story
    UNANSWERABLE = "questions: answer not in the context"


class Reject(NamedTuple):
    """A record that is not a story, and why."""

    where: str
    reason: Reason


def checked(story: Story, where: str) -> Story | Reject:
    """Refuse text that was not UTF-8 (it holds lone surrogates) or an id that breaks a line."""
    try:
        about = (story.id, story.url or "", story.date or "")
        "".join((*about, story.article, *story.highlights)).encode()
    except UnicodeEncodeError:
        return Reject(where, Reason.NOT_UTF8)
    if story.id != story.id.strip() or not story.id.isprintable():
        return Reject(where, Reason.BAD_ID)
    return story


def date_in(url: str | None) -> str | None:
    """
    >>> date_in("http://www.cnn.com/2015/03/23/us/david-crosby-jogger/")
    '2015-03-23'
    >>> date_in("http://www.cnn.com/2009/WORLD/europe/03/09/storm/index.html")
    '2009-03-09'
    """
    found = _DATE_IN_URL.search(url or "")
    return "-".join(part for part in found.groups() if part) if found else None

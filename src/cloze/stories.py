"""What every source yields: an article with its bullet-point summary, or why there is none."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Story:
    """One article as it was published: cased, untokenised, paragraphs separated by blank lines."""

    id: str
    article: str
    highlights: tuple[str, ...]
    url: str | None = None
    date: str | None = None  # ISO: 2015-03-23, or just 2015-03


class Reason(StrEnum):
    """Why something is left out of a corpus, in the words of its manifest and its rejects."""

    # a record that is not a story
    NO_ARTICLE = "no article"
    NO_HIGHLIGHTS = "no highlights"
    NOT_TEXT = "article or highlights are not text"
    NOT_UTF8 = "invalid UTF-8"
    NOT_JSON = "invalid JSON"
    NOT_HTML = "not an HTML page"
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

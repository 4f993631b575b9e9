"""A story from a record (a JSON object, a table's row), whatever its columns are called."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze.errors import UserError
from cloze.stories import Reason, Reject, Story, checked, date_in


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of a record holds what; only `article` and `highlights` must be there."""

    article: str = "article"
    highlights: str = "highlights"
    id: str = "id"
    url: str = "url"
    date: str = "date"

    @classmethod
    def parse(cls, text: str) -> "Columns":
        """
        >>> Columns.parse("article=text,highlights=summary").article
        'text'
        """
        given: dict[str, str] = {}
        for pair in filter(None, text.split(",")):
            field, equals, column = pair.partition("=")
            if field not in cls.__slots__ or not equals or not column:
                raise UserError(
                    f"'{pair}' does not name a column",
                    fix=f"write FIELD=COLUMN, where FIELD is one of {', '.join(cls.__slots__)}",
                )
            given[field] = column
        return cls(**given)


def check_columns(names: Iterable[str], columns: Columns, path: Path) -> None:
    """Stop if a table lacks a column that every story needs."""
    have = list(names)
    missing = [column for column in (columns.article, columns.highlights) if column not in have]
    if missing:
        raise UserError(
            f"has no column '{missing[0]}', only {', '.join(have) or 'none'}",
            where=path,
            fix="say which is which: --columns article=COLUMN,highlights=COLUMN",
        )


def story_of(record: Mapping[str, Any], columns: Columns, where: str) -> Story | Reject:
    """The story in a record; highlights may be a list or one string with one per line."""
    article = record.get(columns.article)
    highlights = record.get(columns.highlights)
    if article is None:
        return Reject(where, Reason.NO_ARTICLE)
    if highlights is None:
        return Reject(where, Reason.NO_HIGHLIGHTS)
    if isinstance(highlights, str):
        highlights = highlights.split("\n")
    is_list = isinstance(highlights, list) and all(isinstance(each, str) for each in highlights)
    if not isinstance(article, str) or not is_list:
        return Reject(where, Reason.NOT_TEXT)
    about = [record.get(column) for column in (columns.id, columns.url, columns.date)]
    if any(isinstance(value, list | dict | bytes) for value in about):
        return Reject(where, Reason.NO_FIELD)
    story_id, url, date = map(_text, about)
    if story_id is None:
        story_id = hashlib.sha1((url or article).encode(errors="surrogatepass")).hexdigest()
    return checked(
        Story(
            id=story_id,
            article=article,
            highlights=tuple(highlights),
            url=url,
            date=date or date_in(url),
        ),
        where,
    )


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)

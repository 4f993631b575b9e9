"""What the pages of each host gave: articles, bullets, questions.

An extractor that has grown too old for a site's design fails quietly; here it is seen.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import NonNegativeInt

from cloze.builder.pages.page import host_of
from cloze.files import read_json
from cloze.shape import Shape
from cloze.stories import Reject, Story
from cloze.tables import Table, as_text

HOSTS = "hosts.json"  # in a corpus that was made of pages
COLUMNS = ("pages", "articles", "bullets", "titles", "questions")
_SHOWN = 40


class _Hosts(Shape):
    hosts: dict[str, dict[str, NonNegativeInt]]


@dataclass(slots=True)
class Hosts:
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Hosts":
        found = {"hosts": read_json(path)}
        _Hosts.check(found, where=path, fix="build the corpus again")
        return cls({host: Counter(own) for host, own in found["hosts"].items()})

    def count(self, found: Story | Reject) -> None:
        """A page, and the story on it if there is one."""
        own = self._of(found.where if isinstance(found, Reject) else found.url)
        own["pages"] += 1
        if isinstance(found, Story):
            own["articles"] += bool(found.article.strip())
            own["titles" if found.headline else "bullets"] += bool(found.highlights)

    def add_questions(self, counts: Mapping[str, int]) -> None:
        for host, count in counts.items():
            self._of(host)["questions"] += count

    def as_json(self) -> dict[str, dict[str, int]]:
        return {
            host: {column: own[column] for column in COLUMNS}
            for host, own in sorted(self.counts.items(), key=lambda each: (-each[1]["pages"], each))
        }

    def table(self) -> str:
        """For people: the hosts with most pages, and the sum of the others."""
        rows = [
            (host or "no address", *(own[column] for column in COLUMNS))
            for host, own in self.as_json().items()
        ]
        shown, others = rows[:_SHOWN], rows[_SHOWN:]
        if others:
            sums = (sum(column) for column in zip(*(row[1:] for row in others), strict=True))
            shown.append((f"{len(others):,} other hosts", *sums))
        heads = ["host", *COLUMNS[:3], "titles instead", COLUMNS[4]]
        return as_text(
            Table(heads, [[str(name), *(f"{count:,}" for count in row)] for name, *row in shown])
        )

    def _of(self, url: str | None) -> Counter[str]:
        host = host_of(url) if "/" in (url or "") else url or ""
        return self.counts.setdefault(host, Counter())

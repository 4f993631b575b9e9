"""A list of addresses, fetched from a site on loopback."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cloze.fetching.fetch import ACCOUNT, Fetched, fetch
from cloze.fetching.manner import Manner

QUICK = {
    "contact": "tests@example.org",
    "every": 0.0,
    "archive_every": 0.0,
    "pause": 0.06,
    "seconds": 60.0,
    "allow_local": True,
}


@pytest.fixture
def fetching(tmp_path: Path) -> Callable[..., Fetched]:
    def run(addresses: Sequence[str], **how: Any) -> Fetched:
        (tmp_path / "urls.txt").write_text("\n".join(addresses) + "\n")
        return fetch(tmp_path / "urls.txt", tmp_path / "out", Manner(**QUICK | how))

    return run


@pytest.fixture
def rows(tmp_path: Path) -> Callable[[], dict[str, tuple[Any, ...]]]:
    """What the account says about each address: outcome, reason."""

    def read() -> dict[str, tuple[Any, ...]]:
        with closing(sqlite3.connect(tmp_path / "out" / ACCOUNT)) as base:
            found = base.execute("select address, outcome, reason from addresses order by number")
            return {address: (outcome, reason) for address, outcome, reason in found}

    return read

"""How often Parquet files are opened, by each of the ways that pyarrow has.

(inotify would see other ways too, but it reports several opens in a row as one.)
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest


def count_opens(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """A counter of opens by file name, until the end of the test."""
    opens: Counter[str] = Counter()

    def counting(original: Any, place: int) -> Any:
        def counted(*given: Any, **named: Any) -> Any:
            if isinstance(given[place], str | Path):  # not what another of these has just opened
                opens[Path(given[place]).name] += 1
            return original(*given, **named)

        return counted

    for name in ("read_metadata", "read_schema"):
        monkeypatch.setattr(pq, name, counting(getattr(pq, name), 0))
    for kind in (pq.ParquetFile, pq.ParquetDataset):  # the second is what read_table opens
        monkeypatch.setattr(kind, "__init__", counting(kind.__init__, 1))
    return opens

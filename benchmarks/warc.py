"""How fast a WARC is read, and its articles taken out: pages per second of computing.

    python benchmarks/warc.py fetched/pages-00000.warc.gz

warcio, which writes the files, is compared with fastwarc, if that is installed.
"""

import argparse
import itertools
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from warcio.archiveiterator import WARCIterator

from cloze.builder.pages.page import Page, Reading
from cloze.builder.pages.story_on_page import story_on
from cloze.builder.sources.records import Columns
from cloze.builder.sources.warc_files import read

SOME = 500  # pages, out of which the articles are taken


def with_warcio(path: Path) -> Iterable[object]:
    with open(path, "rb") as file:
        for record in WARCIterator(file):
            if record.rec_type == "response":
                yield record.content_stream().read()


def with_fastwarc(path: Path) -> Iterable[object]:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            yield record.reader.read()


def as_stories(path: Path) -> Iterable[object]:
    pages = (found for found in read(path, Columns()) if isinstance(found, Page))
    return (story_on(page, Reading()) for page in itertools.islice(pages, SOME))


WAYS: dict[str, Callable[[Path], Iterable[object]]] = {
    "warcio": with_warcio,
    "warcio, as cloze build reads": lambda path: read(path, Columns()),
    "fastwarc": with_fastwarc,
    f"articles out of {SOME} pages": as_stories,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("warc", type=Path)
    path = parser.parse_args().warc
    next(iter(as_stories(path)))  # imports what it needs
    for name, way in WAYS.items():
        begun = time.process_time()
        try:
            count = sum(1 for _ in way(path))
        except ModuleNotFoundError as missing:
            print(f"{name}: {missing}")
            continue
        print(f"{name}: {count / (time.process_time() - begun):,.0f} per second")


if __name__ == "__main__":
    main()

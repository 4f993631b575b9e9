"""A web page as it was saved or sent, and how pages are to be read."""

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit


class Page(NamedTuple):
    content: bytes
    where: str  # for messages: a file's name, or the address
    address: str | None = None  # as in the list of addresses; its hash is the story's id
    url: str | None = None  # where the page stood; without one it is what the page says itself
    charset: str | None = None  # as the server said


@dataclass(frozen=True, slots=True)
class Reading:
    """How pages become stories."""

    titles: bool = False  # where there are no bullets, take the title and the standfirst
    seconds: int = 30  # of computing for one page; 0: no limit, and no process of its own
    children: int = 0  # processes that read pages; 0: one per core
    fundus: str | None = None  # a Python that has Fundus


def host_of(url: str | None) -> str:
    """
    >>> host_of("http://www.cnn.com:80/2015/03/23/us/"), host_of("rain.html")
    ('www.cnn.com', '')
    """
    try:
        return (urlsplit(url or "").hostname or "").lower()
    except ValueError:
        return ""

"""How to ask: politely, unless told otherwise."""

import re
from dataclasses import dataclass

from cloze.errors import UserError
from cloze.fetching.address import NoAddress, parsed
from cloze.fetching.robots import AGENT
from cloze.version import __version__
from cloze.wayback import is_wrapped

WAYBACK = "https://web.archive.org"
_AROUND = re.compile(r"(19|20)\d\d(-?\d\d(-?\d\d)?)?")


@dataclass(frozen=True)
class Manner:
    contact: str  # an address at which whoever runs a server can reach whoever runs this
    wayback: bool = False  # look for a capture of every page that is not an archive's already
    around: str | None = None  # the date of the capture; without it, the one in the address
    archive: str = WAYBACK
    every: float = 2.0  # seconds between two requests to a live host
    archive_every: float = 6.0  # and to the archive
    at_once: int = 1  # requests to one host
    hosts: int = 32  # asked at once
    pause: float = 300.0  # for a host that says "too many requests" but not for how long
    tries: int = 3
    seconds: float = 60.0  # for one reply
    robots: bool = True
    allow_local: bool = False
    retry: bool = False  # also ask for what failed or was refused in an earlier run

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[!-~]+@[!-~]+|https?://[!-~]+", self.contact):
            raise UserError(
                f"'{self.contact}' is not an address to name yourself by",
                fix="give --contact you@example.org, or a page about you",
            )
        if self.around is not None and not _AROUND.fullmatch(self.around):
            raise UserError(f"'{self.around}' is not a date", fix="give it as in 2015-04-30")
        try:
            parsed(self.archive)
        except NoAddress as problem:
            raise UserError(str(problem), where=self.archive) from None

    @property
    def agent(self) -> str:
        return f"{AGENT}/{__version__} (+{self.contact})"

    @property
    def archive_host(self) -> str:
        return parsed(self.archive).host

    def is_archived(self, url: str) -> bool:
        """Whether this is a page in the archive, rather than live."""
        return is_wrapped(url) and parsed(url).host in (self.archive_host, parsed(WAYBACK).host)

    def host_of(self, address: str) -> str:
        """The host that is asked for an address."""
        return self.archive_host if self.wayback else parsed(address).host

    def every_of(self, host: str) -> float:
        archives = (self.archive_host, parsed(WAYBACK).host)
        return self.archive_every if host in archives else self.every

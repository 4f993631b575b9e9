"""The addresses of one host, one after another, and whether there is any hope for them."""

from collections.abc import Iterator

from cloze.fetching.account import Row
from cloze.fetching.client import Got, Trouble

HOPELESS = 10  # addresses in a row for which a host could not be reached


class Lane:
    def __init__(self, host: str, rows: Iterator[Row]) -> None:
        self.host, self.rows = host, rows
        self.given_up = ""
        self.away: list[tuple[Row, Trouble]] = []  # in a row, and not settled before that ends
        self.replies_before = 0  # from any host, before this one was away

    def judge(self, row: Row, found: Got | Trouble, replies: int) -> bool:
        """Whether to settle it now."""
        if isinstance(found, Got) and found.status == 429:
            self.given_up = "goes on saying that there are too many requests"
            return False
        if not (isinstance(found, Trouble) and found.away):
            return True
        if found.lost:
            self.given_up = "can no longer be reached"
            return False
        if not self.away:
            self.replies_before = replies
        self.away.append((row, found))
        if len(self.away) >= HOPELESS:
            self.given_up = "cannot be reached"
        return False

    def back(self) -> list[tuple[Row, Trouble]]:
        """What had failed while the host was away, which is over."""
        failed, self.away = self.away, []
        return failed

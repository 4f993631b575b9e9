"""The pages of a list of addresses into a folder of WARCs, with an account of each address."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from cloze.compressed import lines
from cloze.errors import UserError
from cloze.fetching.account import Account, Outcome
from cloze.fetching.address import NoAddress, parsed
from cloze.fetching.fetcher import Fetcher
from cloze.fetching.manner import Manner
from cloze.fetching.warcs import Warcs
from cloze.files import LOCK, check_apart, one_writer, sha256
from cloze.progress import bar, track

ACCOUNT = "account.sqlite"
_AT_ONCE = 10_000  # addresses that are put down in one go


@dataclass(frozen=True)
class Fetched:
    """What came of a list; the counts add up to its addresses."""

    counts: dict[tuple[Outcome | None, str | None], int]
    left: dict[str, str]  # hosts that were given up in this run, and why
    requests: int

    def of(self, outcome: Outcome | None) -> int:
        return sum(count for (each, _), count in self.counts.items() if each == outcome)

    @property
    def addresses(self) -> int:
        return sum(self.counts.values())

    def table(self) -> str:
        out = [f"{self.addresses:>9,} addresses", f"{self.of(Outcome.FETCHED):>9,} fetched"]
        for (outcome, reason), count in sorted(self.counts.items(), key=_order):
            if outcome not in (None, Outcome.FETCHED):
                out.append(f"{count:>9,} {outcome}: {reason}")
        if left := self.of(None):
            out.append(f"{left:>9,} left for another run")
        out += [f"{'':>9} {host} {why}" for host, why in sorted(self.left.items())]
        return "\n".join(out)


def fetch(urls: Path, out: Path, manner: Manner) -> Fetched:
    """Fetch what is not settled yet. If it is killed, a second call continues where it stopped."""
    check_apart(out, urls)
    if not urls.exists():
        raise UserError("no such file", where=urls)
    _check_folder(out)
    with one_writer(out, fix="wait for it"):
        with Account(out / ACCOUNT) as account, Warcs(out, agent=manner.agent) as warcs:
            _put_down(urls, account, manner)
            warcs.take_up(account)
            if manner.retry:
                account.ask_again()
            before = account.counts()
            kept = sum(count for (outcome, _), count in before.items() if outcome is not None)
            with bar() as shown:
                total = sum(before.values())
                line = shown.add_task("fetching", total=total, completed=kept, unit="pages")
                fetcher = Fetcher(account, warcs, manner, shown, line)
                asyncio.run(fetcher.run())
            account.flush()
            return Fetched(account.counts(), fetcher.left, fetcher.requests)


def _check_folder(out: Path) -> None:
    """A run that was killed at once leaves no more than its lock."""
    others = {path.name for path in out.iterdir()} - {LOCK} if out.is_dir() else set()
    if others and ACCOUNT not in others:
        raise UserError(
            "holds something else than fetched pages", where=out, fix="choose another folder"
        )


def _put_down(urls: Path, account: Account, manner: Manner) -> None:
    """Every address of the list gets its line in the account, once."""
    here = f"list {sha256(urls)}" if urls.is_file() else ""
    where = [manner.wayback, manner.archive]
    if account.fact("asked") not in (None, where):
        account.ask_elsewhere(manner.host_of)
    account.note("asked", where)
    if account.fact(here) is None:
        listed = track(_addresses(urls), "reading the list", unit="addresses")
        known = iter(_with_hosts(listed, manner))
        while some := list(islice(known, _AT_ONCE)):
            account.add(some)
        account.note(here, str(urls))


def _addresses(urls: Path) -> Iterator[str]:
    """One address per line; blank lines and comments are skipped."""
    for line in lines(urls):
        address = line.decode("utf-8", "replace").strip()
        if address and not address.startswith("#"):
            yield address


def _with_hosts(addresses: Iterable[str], manner: Manner) -> Iterator[tuple[str, str, str | None]]:
    for address in addresses:
        try:
            parsed(address)
            yield address, manner.host_of(address), None
        except NoAddress as problem:
            yield address, "", str(problem)


def _order(counted: tuple[tuple[Outcome | None, str | None], int]) -> tuple[str, int, str]:
    (outcome, reason), count = counted
    return outcome or "", -count, reason or ""

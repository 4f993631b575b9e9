"""Pages read in child processes, each page within a limit of computing time.

A page can keep a parser busy for hours, in code that nothing but the end of its process will stop.
The limit counts the computing, not the waiting, so that a busy machine rejects no more pages than
an idle one; where the system cannot count it, and as a last resort, the clock is watched.
"""

import contextlib
import importlib.util
import json
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from multiprocessing.connection import Connection, wait
from typing import Any

from cloze.builder.pages.fundus import Fundus
from cloze.builder.pages.page import Page, Reading
from cloze.builder.pages.story_on_page import story_on
from cloze.engines.processes import cores
from cloze.errors import UserError
from cloze.extras import missing_package
from cloze.stories import Reason, Reject, Story

_PATIENCE = 10  # times the limit, by the clock
_START = 120.0  # seconds more for the first page: the child has to import its packages
_PAGES = 2000  # after which a child is replaced: parsers do not give all their memory back
_AHEAD = 8  # pages for each child that wait in line


def stories_from(found: Iterable[Story | Reject | Page], how: Reading) -> Iterator[Story | Reject]:
    """The same in the same order, with a story or a reject in place of each page."""
    if how.seconds == 0:
        fundus = Fundus(how.fundus) if how.fundus else None
        for each in found:
            yield story_on(each, how, fundus) if isinstance(each, Page) else each
        return
    line: deque[_Job] = deque()
    children = _Children(how)
    try:
        for each in found:
            line.append(_Job(each))
            children.begin(line)
            while len(line) > _AHEAD * children.most or (line and line[0].done is not None):
                yield children.wait_for(line)
        while line:
            yield children.wait_for(line)
    finally:
        children.end()


class _Job:
    def __init__(self, given: Story | Reject | Page) -> None:
        self.page = given if isinstance(given, Page) else None
        self.done = None if isinstance(given, Page) else given


class _Child:
    """A process that reads one page at a time."""

    def __init__(self, how: Reading) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_read_pages, args=(theirs, how), daemon=True)
        self._process.start()
        theirs.close()
        self._how = how
        self.job: _Job | None = None
        self.pages = 0

    @property
    def connection(self) -> Connection:
        return self._connection

    def begin(self, job: _Job) -> None:
        assert job.page is not None
        extra = 0.0 if self.pages else _START
        self.until = time.monotonic() + _PATIENCE * self._how.seconds + extra
        self.job = job
        self.pages += 1
        content, *about = job.page
        try:
            self._connection.send_bytes(json.dumps(about).encode())
            self._connection.send_bytes(content)
        except OSError:
            pass  # it has died, which `take` will find out

    def take(self) -> bool:
        """Take what it found; False if it is dead or has read enough."""
        assert self.job is not None
        assert self.job.page is not None
        try:
            found = json.loads(self._connection.recv_bytes())
        except (EOFError, OSError):
            self.job.done = Reject(self.job.page.where, Reason.TOO_SLOW)
            return False
        self.job.done = _as_found(found)
        self.job = None
        return self.pages < _PAGES

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()


class _Children:
    def __init__(self, how: Reading) -> None:
        self._how = how
        self.most = how.children or cores()
        self._all: list[_Child] = []

    def begin(self, line: Iterable[_Job]) -> None:
        """Give every idle child a page, if there is one that nobody reads yet."""
        busy = {id(child.job) for child in self._all}
        for job in line:
            if job.done is None and id(job) not in busy:
                child = next((each for each in self._all if each.job is None), None)
                if child is None and len(self._all) == self.most:
                    return
                if child is None:
                    if importlib.util.find_spec("trafilatura") is None:
                        raise missing_package("trafilatura", "nlp")
                    child = _Child(self._how)
                    self._all.append(child)
                child.begin(job)

    def wait_for(self, line: deque[_Job]) -> Story | Reject:
        """The first in line, as soon as it is there."""
        while (done := line[0].done) is None:
            self._wait()
            self.begin(line)
        line.popleft()
        return done

    def _wait(self) -> None:
        busy = [child for child in self._all if child.job is not None]
        left = min(child.until for child in busy) - time.monotonic()
        ready = wait([child.connection for child in busy], timeout=max(left, 0.0))
        for child in busy:
            if child.connection in ready or child.until <= time.monotonic():
                if child.connection not in ready:
                    child.end()  # out of patience: `take` finds it dead
                if not child.take():
                    child.end()
                    self._all.remove(child)

    def end(self) -> None:
        for child in self._all:
            child.end()


def _read_pages(connection: Connection, how: Reading) -> None:
    """What a child does until its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    fundus = Fundus(how.fundus) if how.fundus else None
    with contextlib.suppress(ImportError):  # which the first page is not to pay for
        import trafilatura.metadata  # noqa: F401
    while True:
        try:
            about = json.loads(connection.recv_bytes())
            page = Page(connection.recv_bytes(), *about)
        except EOFError:
            return
        _limit(how.seconds)
        found = _found(page, how, fundus)
        _limit(0)
        connection.send_bytes(json.dumps(found).encode())


def _limit(seconds: int) -> None:
    """End this process after this much computing; 0 lifts the limit."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _found(page: Page, how: Reading, fundus: Fundus | None) -> dict[str, Any]:
    try:
        found = story_on(page, how, fundus)
    except UserError as mistake:  # a package is missing, and the parent is to say so
        return {"mistake": [mistake.what, mistake.where, mistake.fix]}
    if isinstance(found, Reject):
        return {"reject": [found.where, found.reason]}
    return {"story": asdict(found)}


def _as_found(found: dict[str, Any]) -> Story | Reject:
    if "mistake" in found:
        what, where, fix = found["mistake"]
        raise UserError(what, where=where, fix=fix)
    if "reject" in found:
        where, reason = found["reject"]
        return Reject(where, Reason(reason))
    story = found["story"]
    return Story(**story | {"highlights": tuple(story["highlights"])})

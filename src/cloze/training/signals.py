"""A polite end: SIGTERM and SIGINT are kept until the step at hand is done."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """Inside the block, a signal only sets `number`; the run saves and leaves on its own.

    A second Ctrl-C ends at once. The handlers from before come back when the block ends.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._before: dict[int, object] = {}

    @property
    def exit_code(self) -> int:
        """143 after SIGTERM, 130 after SIGINT, as shells have it."""
        return 128 + (self.number or 0)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # elsewhere Python refuses
            for number in (signal.SIGTERM, signal.SIGINT):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.number == signal.SIGINT == number:
            raise KeyboardInterrupt
        self.number = number

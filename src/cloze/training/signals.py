"""A clean end: SIGTERM and SIGINT are held until the current step is done."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """Inside the block, a signal only sets `number`; the run saves and ends by itself.

    A second Ctrl-C ends it at once. The previous handlers are restored when the block ends.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._before: dict[int, object] = {}

    @property
    def exit_code(self) -> int:
        """143 after SIGTERM, 130 after SIGINT, as in shells."""
        return 128 + (self.number or 0)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # in other threads Python refuses
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

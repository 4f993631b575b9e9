"""How much may still be spent: tokens or, where there is a price, money."""

from dataclasses import dataclass

from cloze.language_models.replies import Reply
from cloze.language_models.request import Request


@dataclass(frozen=True)
class Price:
    """Of a million tokens."""

    read: float = 0.0
    written: float = 0.0

    def of(self, read: int, written: int) -> float:
        return (read * self.read + written * self.written) / 1e6


class Budget:
    """Counts what replies took and what requests under way may take at most.

    A request that would go over while others are under way has to wait: they often take less than
    they may. It is over when nothing is under way and the next request does not fit.
    """

    def __init__(self, most: float | None, price: Price | None, spent: tuple[int, int]) -> None:
        self.over = False
        self._most, self._price = most, price
        self._read, self._written = spent  # by earlier runs too
        self._reserved: list[Request] = []

    def reserve(self, request: Request) -> bool:
        """Whether the request may be sent."""
        if self._most is None:
            return True
        waiting = [*self._reserved, request]
        read = self._read + sum(each.tokens_read for each in waiting)
        written = self._written + sum(each.tokens_written for each in waiting)
        cost = read + written if self._price is None else self._price.of(read, written)
        fits = cost <= self._most
        if fits:
            self._reserved.append(request)
        self.over |= not fits and not self._reserved
        return fits

    def release(self, request: Request, reply: Reply | None) -> None:
        """The request is back, with a reply or without."""
        if request in self._reserved:
            self._reserved.remove(request)
        if reply is not None:
            self._read += reply.tokens_read
            self._written += reply.tokens_written

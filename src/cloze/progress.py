"""Progress bars with a rate and the time left; quiet where nobody would see them."""

import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")


def track(
    items: Iterable[T], what: str, *, total: int | None = None, unit: str = ""
) -> Iterator[T]:
    """Yield the items, showing how many are done, how fast, and when it will end.

    >>> list(track([1, 2, 3], "counting"))
    [1, 2, 3]
    """
    if not watched():
        yield from items
        return
    with bar() as shown:
        task = shown.add_task(what, total=total, unit=unit)
        for item in items:
            yield item
            shown.advance(task)


def watched() -> bool:
    """Whether somebody looks on: at a terminal, or in a notebook that can show a bar."""
    kernel = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or (
        type(kernel).__name__ == "ZMQInteractiveShell" and find_spec("ipywidgets") is not None
    )


def bar() -> "Progress":  # rich is imported late: `cloze --help` must be quick
    """A rich progress display on standard error, or in a notebook."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            unit = task.fields.get("unit", "")
            if speed is None:
                return Text("")
            told = f"{speed:,.0f} {unit}/s" if speed >= 1 else f"{60 * speed:,.0f} {unit}/min"
            return Text(told, style="cyan")

    class Note(ProgressColumn):
        """What the caller wants to show beside the bar: `bar.update(task, note="loss 2.31")`."""

        def render(self, task: Task) -> Text:
            return Text(str(task.fields.get("note", "")))

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        Note(),
        console=Console(stderr=True),
        disable=not watched(),
        transient=False,
    )

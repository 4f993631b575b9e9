"""Runs whole command lines as processes, each forked from one that has imported everything.

    python -m tests.torture.server        one JSON request a line on stdin, one answer on stdout

Starting Python and importing PyTorch takes seconds, forking takes milliseconds; what is forked is
a process like any other, with its own memory, exit code and end.
"""

import json
import os
import resource
import selectors
import signal
import sys
import time
from pathlib import Path
from typing import Any

from tests.torture.isolated import limit_memory


def serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    _import_everything()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), file=answers, flush=True)


def run(request: dict[str, Any]) -> dict[str, Any]:
    """{"words": […], "folder": …, "seconds": …, "memory": …} to what became of the process."""
    out, err = os.memfd_create("out"), os.memfd_create("err")
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        _become(request, out, err)
    status, used = _wait(child, request.get("seconds", 60))
    return {
        "status": status,
        "seconds": time.monotonic() - begun,
        "memory": used.ru_maxrss * 1024,
        "out": _text(out),
        "err": _text(err),
    }


def _become(request: dict[str, Any], out: int, err: int) -> None:
    """The child: it never returns."""
    code = 99
    try:
        os.setpgid(0, 0)
        for number, target in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
            os.dup2(number, target)
        os.chdir(request["folder"])
        os.environ |= request.get("environment", {})
        if request.get("memory"):
            limit_memory(request["memory"])
        sys.argv = ["cloze", *request["words"]]
        from cloze.cli.main import main

        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(child: int, seconds: float) -> tuple[int, resource.struct_rusage]:
    handle = os.pidfd_open(child)
    with selectors.DefaultSelector() as ready:
        ready.register(handle, selectors.EVENT_READ)
        if not ready.select(seconds):
            os.kill(child, signal.SIGALRM)  # its own signal: not to be taken for a kill of ours
    os.close(handle)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used


def _text(number: int) -> str:
    size = os.lseek(number, 0, os.SEEK_END)
    content = os.pread(number, min(size, 1 << 20), 0)
    os.close(number)
    return content.decode(errors="replace")


def _import_everything() -> None:
    """What commands import late, and what they compile: once, before the first fork."""
    import matplotlib.figure
    import torch
    import torch._dynamo

    import cloze.cli.main
    import cloze.training.search_report
    from cloze.names.detection import load_pipeline
    from cloze.recurrence import loops
    from tests.torture import kinds  # every module that reads
    from tests.torture.world import RULES

    torch.set_num_threads(1)
    load_pipeline(RULES)
    _draw()
    for name in ("forward", "backward"):
        loops.compiled(name, torch.float32)
    assert all((matplotlib.figure, torch._dynamo, cloze.cli.main, kinds, Path))


def _draw() -> None:
    """Each format once: matplotlib looks for fonts and imports what writes a format late."""
    import io

    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().set_title("$x$")
    for form in ("svg", "png"):
        figure.savefig(io.BytesIO(), format=form)


if __name__ == "__main__":
    serve()

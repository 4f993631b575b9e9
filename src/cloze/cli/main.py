"""The command `cloze`: every verb has a file of its own and is registered here.

A verb's file imports what is heavy (torch, spaCy, pyarrow) inside its function, so that
`cloze --help` answers at once.
"""

import contextlib
import errno
import functools
import importlib
import io
import os
import pkgutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from cloze import cli
from cloze.errors import UserError
from cloze.version import __version__

# Typer carries its own copy of click in newer versions and imports it in older ones.
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]

UNFORESEEN = 70  # the exit code for a mistake of our own, as in sysexits.h

app = typer.Typer(
    name="cloze",
    help="""
Teaching machines to read and comprehend: build cloze corpora from news, answer them
with baselines and neural readers, and look at what was read.

    cloze demo                              the whole paper in miniature
    cloze newsroom corpus/                  a synthetic corpus to play with
    cloze stats corpus/                     its statistics, as in the paper's tables
""",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cloze-reader {__version__}")
        raise typer.Exit


def _import(modules: list[str]) -> None:
    """Modules that register readers, including those in the current folder."""
    for module in modules:
        if "" not in sys.path and os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as problem:
            raise UserError(
                f"cannot import {module} ({problem})",
                fix="name the module as in Python's import: my_package.my_reader",
            ) from None


@app.callback()
def _root(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
    modules: list[str] = typer.Option(
        [], "--import", metavar="MODULE", help="Import this first: a module that adds a reader."
    ),
) -> None:
    _import(modules)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


class _CtrlC(Exception):
    """An interrupt under a name of our own: Typer would exit without a message."""


def _heeding_ctrl_c(verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            return verb(*arguments, **options)
        except KeyboardInterrupt:
            raise _CtrlC from None

    return run


def _register() -> None:
    """Every module beside this one is a verb, holding a function of its own name."""
    for module in sorted(m.name for m in pkgutil.iter_modules(cli.__path__)):
        if module != "main" and not module.startswith("_"):
            verb = module.removesuffix("_")  # import_.py holds the verb `import`
            function = getattr(importlib.import_module(f"cloze.cli.{module}"), module)
            app.command(verb)(_heeding_ctrl_c(function))


_register()


def main() -> None:
    """Run the command; a user's mistake is one line and exit code 2."""
    if os.name == "nt":  # the encoding of a pipe may lack characters that we print
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
    try:
        result = app(standalone_mode=False)
        sys.stdout.flush()  # notice a full disk here, not when Python exits
    except UserError as mistake:
        _say(f"error: {mistake}")
        sys.exit(2)
    except _ClickException as mistake:
        context = getattr(mistake, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context else ""
        _say(f"error: {_message(mistake)}{hint}")
        sys.exit(2)
    except (_CtrlC, KeyboardInterrupt, typer.Abort):
        _say("interrupted; nothing half-written was left")
        sys.exit(130)
    except BrokenPipeError:  # `cloze stats corpus | head`
        sys.stderr.close()
        sys.exit(0)
    except OSError as refused:  # the system says what is wrong, and where
        if _is_of_the_system(refused):
            _say(f"error: {refused.filename}: {refused.strerror}")
        elif refused.errno == errno.ENOSPC:
            _drop_stdout()
            _say("error: the disk is full where the output goes; free some space")
        else:
            _fail_unforeseen()
        sys.exit(2)
    except Exception:
        _fail_unforeseen()
    sys.exit(result if isinstance(result, int) else 0)


# A disk, a permission, a path: what we cannot know before we try.
_OF_THE_SYSTEM = {
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG),
    *(errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EMFILE, errno.ENFILE),
}


def _is_of_the_system(refused: OSError) -> bool:
    """Whether it is about a path and no fault of ours. That something is not there, or already is,
    is the user's affair only if the user has named it."""
    if refused.filename is None:
        return False
    words = [part for word in sys.argv[1:] for part in (word, word.partition("=")[2])]
    named = {os.path.abspath(word) for word in words if word}
    return refused.errno in _OF_THE_SYSTEM or os.path.abspath(refused.filename) in named


def _fail_unforeseen() -> NoReturn:
    """The last line of defence: a fault of ours in one line, with its details in a file."""
    problem = sys.exc_info()[1]
    said = " ".join(f"{type(problem).__name__}: {problem}".split())[:200]
    where = "the log could not be written"
    with contextlib.suppress(OSError):
        with tempfile.NamedTemporaryFile(
            "w", prefix="cloze-", suffix=".log", delete=False, encoding="utf-8", errors="replace"
        ) as log:
            log.write(f"cloze-reader {__version__}: {' '.join(sys.argv)}\n{traceback.format_exc()}")
        where = f"the details are in {log.name}"
    _say(f"error: this is a fault of cloze itself ({said}); {where}")
    sys.exit(UNFORESEEN)


def _drop_stdout() -> None:
    """Do not try again, when Python exits, to print what could not be printed."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(mistake: Exception) -> str:
    return str(getattr(mistake, "format_message", mistake.__str__)())


def _say(line: str) -> None:
    print(line, file=sys.stderr)

"""The command `cloze`: one verb a file, registered here.

A verb's file imports what is heavy (torch, spaCy, pyarrow) inside its function, so that
`cloze --help` answers at once.
"""

import functools
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Callable
from typing import Any

import typer

from cloze import cli
from cloze.errors import UserError
from cloze.version import __version__

# Typer carries its own copy of click in newer versions and imports it in older ones.
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="cloze",
    help="""
Teaching machines to read and comprehend: build cloze corpora from news, answer them
with baselines and neural readers, and look at what was read.

    cloze demo                              the whole paper in miniature
    cloze newsroom corpus/                  a synthetic corpus to play with
    cloze stats corpus/                     its statistics, as in the paper's tables
""",
    no_args_is_help=True,
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
    """Modules that register readers; also those that lie in the folder that we are run from."""
    for module in modules:
        if "" not in sys.path and os.getcwd() not in sys.path:
            sys.path.append(os.getcwd())
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as problem:
            raise UserError(
                f"cannot import {module} ({problem})",
                fix="give a module as Python's import does: my_package.my_reader",
            ) from None


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
    modules: list[str] = typer.Option(
        [], "--import", metavar="MODULE", help="Import this first: a module that adds a reader."
    ),
) -> None:
    _import(modules)


class _CtrlC(Exception):
    """An interrupt under a name of our own: Typer would end without a word."""


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
    if os.name == "nt":  # a pipe there may not hold every character that we print
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
    try:
        result = app(standalone_mode=False)
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
    sys.exit(result if isinstance(result, int) else 0)


def _message(mistake: Exception) -> str:
    return str(getattr(mistake, "format_message", mistake.__str__)())


def _say(line: str) -> None:
    print(line, file=sys.stderr)

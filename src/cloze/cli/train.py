"""cloze train: run a config to a model directory."""

import os
from pathlib import Path
from typing import Annotated

import typer


def _keys(wanted: bool) -> None:
    if wanted:
        from cloze.training.settings import keys_page

        typer.echo(keys_page(), nl=False)
        raise typer.Exit


def _list(wanted: bool) -> None:
    if wanted:
        from cloze.shipped_configs import listed

        found = listed()
        width = max((len(name) for name, _ in found), default=0)
        for name, summary in found:
            typer.echo(f"{name:{width}}  {summary}")
        raise typer.Exit


def train(
    config: Annotated[
        Path, typer.Argument(help="A YAML config: a file, or one of those that --list shows.")
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="key=value, which overrides the config.", metavar="KEY=VALUE"),
    ] = None,
    keys: Annotated[
        bool,
        typer.Option(
            "--keys", callback=_keys, is_eager=True, help="Print every key of a config, and stop."
        ),
    ] = False,
    shipped: Annotated[
        bool,
        typer.Option(
            "--list", callback=_list, is_eager=True, help="Print the configs that ship, and stop."
        ),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the run's last checkpoint, if any.")
    ] = False,
) -> None:
    """Train a reader; Ctrl-C saves, and --resume continues exactly where it stopped.

    \b
    cloze train configs/newsroom/attentive.yaml corpus=corpus out=runs/attentive
    cloze train configs/newsroom/attentive.yaml corpus=corpus out=runs/attentive --resume
    cloze train configs/cnn/attentive.yaml encoded=cnn-encoded out=runs/cnn run.minutes=30
    cloze train configs/cnn/attentive.yaml corpus=cnn out=runs/async run.workers=8
    torchrun --nproc-per-node 4 -m cloze train configs/cnn/attentive.yaml encoded=cnn out=runs/4
    cloze train --list                   the configs that come with the package
    cloze train --keys                   every key of a config, its type, default and meaning

    An unknown key is an error, which suggests the nearest known one.
    """
    from cloze.config import load
    from cloze.shipped_configs import find_config
    from cloze.training.distributed import LOST, RankLost, leave
    from cloze.training.finish import evaluate_command
    from cloze.training.settings import TrainSettings
    from cloze.training.trainer import Interrupted
    from cloze.training.trainer import train as run

    settings = load(TrainSettings, find_config(config), overrides or [])
    try:
        result = run(settings, resume=resume)
    except Interrupted as interrupted:
        typer.echo(f"interrupted; {interrupted.what}; continue with --resume", err=True)
        leave(interrupted.code)
        raise
    except RankLost as lost:
        typer.echo(f"error: {lost}", err=True)
        leave(LOST)
        raise
    if os.environ.get("RANK", "0") == "0":  # under torchrun the first rank speaks for all
        typer.echo(
            f"{result.reason} in {result.minutes:.1f} minutes; best valid accuracy "
            f"{result.best_accuracy:.2%} at step {result.best_step:,}\n"
            f"model: {result.model}\nnext:  {evaluate_command(settings)}"
        )
    leave(0)

from typing import Annotated

import typer


def doctor(
    hidden: Annotated[
        int, typer.Option(min=1, help="The hidden size that you would train with.")
    ] = 256,
) -> None:
    """What this installation would use: device, recurrence, extras; and why not a faster one.

    \b
    cloze doctor
    cloze doctor --hidden 512
    """
    from cloze.doctor import findings

    for what, found in findings(hidden):
        typer.echo(f"{what:22} {found}")

"""`cloze fetch`: web pages from a list of addresses, politely, into WARC files."""

from pathlib import Path

import typer


def fetch(
    urls: Path = typer.Argument(
        ..., help="A file with one address per line (.gz, .zst, .xz if compressed)."
    ),
    out: Path = typer.Argument(..., help="The folder for the pages and their account."),
    contact: str = typer.Option(
        ...,
        metavar="ADDRESS",
        help="An e-mail or web address at which the people who run a server can reach you.",
    ),
    wayback: bool = typer.Option(
        False, "--wayback", help="Take the pages from the Wayback Machine instead of live sites."
    ),
    around: str | None = typer.Option(
        None,
        metavar="DATE",
        help="With --wayback: the capture closest to 2015-04-30 (default: to the date in the "
        "address, or else the first).",
    ),
    archive: str = typer.Option(
        "https://web.archive.org", help="The Wayback Machine, or another archive like it."
    ),
    every: float = typer.Option(
        2.0, min=0, metavar="SECONDS", help="Between two requests to a live host."
    ),
    archive_every: float = typer.Option(
        6.0, min=0, metavar="SECONDS", help="Between two requests to the archive."
    ),
    at_once: int = typer.Option(1, min=1, max=64, help="Requests to one host at once."),
    hosts: int = typer.Option(32, min=1, max=1000, help="Hosts that are asked at once."),
    pause: float = typer.Option(
        300.0,
        min=0,
        metavar="SECONDS",
        help="For a host that says 429 without saying for how long; a sixtieth after an error.",
    ),
    tries: int = typer.Option(3, min=1, help="How often an address is asked for if it fails."),
    seconds: float = typer.Option(60.0, min=0.1, help="For one reply."),
    robots: bool = typer.Option(True, help="Heed the robots.txt of live sites."),
    allow_local: bool = typer.Option(
        False, "--allow-local", help="Also ask this machine and addresses that are not public."
    ),
    retry: bool = typer.Option(
        False, "--retry", help="Also ask for what failed or was refused in an earlier run."
    ),
) -> None:
    """Fetch the pages of a list of addresses into WARC files, for cloze build.

    Addresses of the form http://web.archive.org/web/20150401000000id_/http://… are fetched from the
    archive as they are, so the published lists of CNN and Daily Mail articles work. Every address
    ends up as fetched, missing, refused or failed, with the reason, in OUT/account.sqlite. If it is
    killed, run it again: nothing that had arrived is asked for again.

    \b
        cloze fetch cnn_urls.txt cnn/ --contact you@example.org
        cloze fetch urls.txt pages/ --contact you@example.org --wayback --around 2015-04-30
        cloze fetch cnn_urls.txt cnn/ --contact you@example.org --retry
        cloze build cnn/*.warc.gz corpus/
        sqlite3 cnn/account.sqlite "select address, reason from addresses where outcome = 'failed'"
    """
    from cloze.extras import needs

    with needs("fetch"):
        from cloze.fetching.fetch import fetch as run
        from cloze.fetching.manner import Manner

    manner = Manner(
        contact=contact,
        wayback=wayback,
        around=around,
        archive=archive.rstrip("/"),
        every=every,
        archive_every=archive_every,
        at_once=at_once,
        hosts=hosts,
        pause=pause,
        tries=tries,
        seconds=seconds,
        robots=robots,
        allow_local=allow_local,
        retry=retry,
    )
    fetched = run(urls, out, manner)
    typer.echo(fetched.table())
    if fetched.of(None):
        typer.echo("run the same command again for the addresses that are left")
        raise typer.Exit(1)

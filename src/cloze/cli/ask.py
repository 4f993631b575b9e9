from pathlib import Path
from typing import Annotated

import typer

from cloze.names.language import NEWEST_RULES, known_languages


def ask(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A model's folder or name on the Hugging Face Hub, a baseline, or module:Class.",
            show_default="ours",
        ),
    ] = None,
    article: Annotated[
        Path | None, typer.Option(help="The article, a text file; - reads standard input.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(help="A sentence with X, @placeholder or ___ for the missing name; or who …?"),
    ] = None,
    highlights: Annotated[
        Path | None, typer.Option(help="Sentences to make questions from, one per line.")
    ] = None,
    interactive: Annotated[bool, typer.Option(help="Keep asking about the article.")] = False,
    batch: Annotated[
        Path | None,
        typer.Option(help="Many questions about many articles: a file of JSON lines."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where the answers to --batch go.")] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace an existing --out.")] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Always multiply in 32 bits: slower.")
    ] = False,
    pipeline: Annotated[
        str | None,
        typer.Option(
            help="What finds the names: encoder (the default in English), or a spaCy pipeline."
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help=f"The code of the language: {', '.join(known_languages())}.")
    ] = "en",
    rules: Annotated[
        int,
        typer.Option(min=1, max=NEWEST_RULES, help="The set of rules for names."),
    ] = NEWEST_RULES,
) -> None:
    """Ask a reader about your own article.

    Without a question it makes some from the highlights or from the article's first sentences, and
    answers them. Without a model it asks the small Encoder Reader that comes with the package.

    \b
    cloze ask --article news.txt
    cloze ask --article news.txt --question "Producer X will not press charges"
    cloze ask --article news.txt --question "Who will not press charges?"
    cloze ask models/impatient --article news.txt --highlights summary.txt --interactive
    cloze ask --batch questions.jsonl --out answers.jsonl

    A line of --batch is {"article": "…", "questions": ["X met Lund", …]}, with "path" instead of
    "article" for a text file, and perhaps an "id" and "highlights". Each line becomes one line of
    answers, or says why it was rejected. A run that was interrupted continues when it is repeated.
    """
    from cloze.errors import UserError

    if batch is not None:
        if article is not None or question is not None or highlights is not None or interactive:
            raise UserError("--batch holds the articles and the questions", fix="give it alone")
        if out is None:
            raise UserError("there is no place for the answers", fix="give one: --out FILE")
        _ask_in_bulk(model, batch, out, exact, pipeline, language, rules, overwrite)
        return
    if out is not None:
        raise UserError("--out is for the answers to --batch", fix="give both, or neither")
    if article is None:
        raise UserError("there is no article", fix="give one: --article FILE")
    if interactive and "-" in (str(article), str(highlights)):
        raise UserError(
            "the text and the questions cannot both come from standard input",
            fix="put the text into a file",
        )
    text = _text(article)
    lines = [] if highlights is None else _text(highlights).splitlines()

    from cloze.ask.article import check_article
    from cloze.ask.gap import find_gap
    from cloze.names.language import load_language

    check_article(text, language)  # before the models are loaded, which takes a while
    if question is not None:
        find_gap(question, load_language(language))

    from rich.console import Console

    from cloze.ask.tagging import tagger
    from cloze.ask.terminal import Conversation
    from cloze.finding import find
    from cloze.readers.shipped_models import shipped_models

    with Console(stderr=True).status("loading the reader and the pipeline"):
        answerer = find(model or shipped_models()[0], device="cpu", exact=exact)
        tag = tagger(pipeline, language)
    conversation = Conversation(answerer, tag, text, lines, language=language, rules=rules)
    if question is not None:
        conversation.ask(question)
    if interactive:
        conversation.converse()
    elif question is None:
        conversation.propose()


def _ask_in_bulk(
    model: str | None,
    batch: Path,
    out: Path,
    exact: bool,
    pipeline: str | None,
    language: str,
    rules: int,
    overwrite: bool,
) -> None:
    from rich.console import Console

    from cloze.ask.bulk import Bulk
    from cloze.ask.tagging import tagger
    from cloze.finding import find
    from cloze.readers.shipped_models import shipped_models

    with Console(stderr=True).status("loading the reader and the pipeline"):
        answerer = find(model or shipped_models()[0], exact=exact)
        tag = tagger(pipeline, language)
    bulk = Bulk(answerer, tag, pipeline=pipeline, language=language, rules=rules)
    counts = bulk.run(batch, out, overwrite=overwrite)
    typer.echo(
        f"{out}: {counts.lines:,} lines, {counts.answered:,} questions answered, "
        f"{counts.refused:,} rejected; {counts.rejected:,} lines rejected"
    )
    for reason, times in counts.reasons.most_common(10):
        typer.echo(f"  {times:,} × {reason}")


def _text(path: Path) -> str:
    import sys

    from cloze.errors import UserError

    try:
        raw = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UserError(
            f"is not UTF-8 text (byte {problem.start})", where=path, fix="save it as UTF-8"
        ) from None
    except OSError as problem:
        raise UserError(problem.strerror or "cannot be read", where=path) from None

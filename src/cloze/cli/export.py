from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cloze.corpus.store import Corpus

QUESTIONS = ("questions", "danqi", "parquet")
FORMATS = (*QUESTIONS, "lm-eval", "inspect")


def export(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    out: Annotated[Path, typer.Argument(help="A folder, or a name ending in .tar.")],
    split: Annotated[
        list[str] | None,
        typer.Option(help="Which split; may be repeated. Default: all; of a test, the last."),
    ] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace an existing folder.")] = False,
    format: Annotated[
        str,
        typer.Option(
            help="questions, danqi or parquet; or a test for language models: lm-eval or inspect."
        ),
    ] = "questions",
    name: Annotated[str | None, typer.Option(help="What the test is called.")] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(help="Forms of the questions, as in cloze evaluate. Default: markers."),
    ] = None,
    after: Annotated[
        str | None, typer.Option(metavar="DATE", help="Only articles of a later date.")
    ] = None,
    without_answers: Annotated[
        bool, typer.Option("--without-answers", help="Put the answers into a file beside it.")
    ] = False,
    prompt: Annotated[
        Path | None, typer.Option(help="A prompt template of your own, for both interfaces.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws markers and the order.")] = 0,
) -> None:
    """Write a corpus as published .question files, or in another form that others read.

    \b
    cloze export corpus/ cnn/                           cnn/questions/training, validation, test
    cloze export corpus/ valid.tar --split valid
    cloze export corpus/ chen/ --format danqi           train.txt, dev.txt, test.txt
    cloze export corpus/ table/ --format parquet        one table: load_dataset("table")

    Or as a test for language models:

    \b
    cloze export corpus/ test/ --format lm-eval --after 2026-11-01
    lm_eval --include_path test --tasks NAME_markers --model hf --model_args pretrained=MODEL
    cloze export corpus/ test/ --format inspect --form all --without-answers
    """
    from cloze.corpus.store import Corpus
    from cloze.errors import UserError

    if format not in FORMATS:
        raise UserError(f"there is no format '{format}'", fix=f"choose from {', '.join(FORMATS)}")
    opened = Corpus.open(corpus)
    if format in QUESTIONS:
        if form or after or without_answers or name or prompt:
            raise UserError(
                "--form, --after, --without-answers, --name and --prompt are for tests",
                fix="add --format lm-eval or --format inspect",
            )
        _export_questions(opened, out, split or opened.splits, overwrite, format)
        return

    from cloze.language_models.forms import parse_forms
    from cloze.language_models.prompts import Prompt
    from cloze.language_models.request import Interface
    from cloze.publishing.export import SHORT, Test, export_test, task_name
    from cloze.publishing.questions import Selection, check_after

    check_after(after)
    if split and len(split) > 1:
        raise UserError("a test has one split", fix="give --split once")
    if not opened.splits:
        raise UserError("the corpus is empty", where=corpus)
    chosen = split[0] if split else opened.splits[-1]
    prompts = {
        each: Prompt.built_in(each) if prompt is None else Prompt.from_file(prompt)
        for each in Interface
    }
    test = Test(
        task_name(name or opened.name),
        format,
        parse_forms(form or []),
        prompts,
        without_answers,
        seed,
    )
    counts = export_test(Selection(opened, chosen, after), test, out, overwrite=overwrite)
    typer.echo(
        f"{counts['questions']:,} questions about {counts['documents']:,} articles in {out}; "
        "README.md there says how to run them"
    )
    if counts["longest"] > SHORT and format == "lm-eval":
        typer.echo(
            f"the longest text has about {counts['longest']:,} tokens: give lm_eval a max_length "
            f"beyond the {SHORT:,} after which it cuts"
        )


def _export_questions(
    corpus: "Corpus", out: Path, splits: list[str], overwrite: bool, format: str
) -> None:
    from cloze.corpus.danqi import export_danqi
    from cloze.corpus.exchange import export_questions
    from cloze.corpus.joined import export_joined
    from cloze.errors import UserError

    if out.suffix == ".tar" and format != "questions":
        raise UserError(f"the format {format} is written to a folder", where=out)
    write = {"questions": export_questions, "danqi": export_danqi, "parquet": export_joined}[format]
    counts = write(corpus, out, splits, overwrite=overwrite)
    left_out = [f"{count:,} left out: {why}" for why, count in counts.items() if why != "questions"]
    typer.echo("; ".join([f"{counts['questions']:,} questions in {out}", *left_out]))

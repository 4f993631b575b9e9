"""`cloze audit`: check the clusters of a corpus."""

from pathlib import Path

import typer

from cloze.names.language import NEWEST_RULES, RULES, known_languages


def audit(
    corpus: Path | None = typer.Argument(
        None, help="The corpus folder; not needed to score the builder on texts with marked names."
    ),
    out: Path | None = typer.Option(None, help="The page to write (default: CORPUS-audit.html)."),
    split: str | None = typer.Option(None, help="Which split (default: valid, or the last)."),
    sample: int = typer.Option(50, min=1, help="How many documents to draw."),
    seed: int = typer.Option(0, min=0, help="Another seed, other documents."),
    gold: Path | None = typer.Option(
        None,
        help="Gold mentions and clusters to score by: a file as cloze newsroom --raw writes it, or "
        "a folder of texts with marked names.",
    ),
    half: str | None = typer.Option(
        None, help="Of the texts with marked names, those to look at (look) or the others (final)."
    ),
    pipeline: str | None = typer.Option(
        None, help="What finds the names of marked texts: a spaCy pipeline, or encoder."
    ),
    language: str = typer.Option(
        "en", help=f"The language of marked texts: {', '.join(known_languages())}."
    ),
    rules: int = typer.Option(
        RULES, min=1, max=NEWEST_RULES, help="The set of rules for the names of marked texts."
    ),
    endpoint: str | None = typer.Option(
        None, metavar="URL", help="A server whose language model is asked to name the markers."
    ),
    model: str | None = typer.Option(None, help="The name of its language model."),
    interface: str | None = typer.Option(None, help="chat (default) or completions."),
    replies: Path = typer.Option(
        Path("predictions/replies.sqlite"), help="Where its replies are kept."
    ),
    retry: bool = typer.Option(False, "--retry", help="Also ask again what failed earlier."),
    at_once: int = typer.Option(32, min=1, help="The most requests at once."),
    seconds: float = typer.Option(120.0, min=0.1, help="The longest wait for a reply."),
    key_from: str = typer.Option(
        "CLOZE_API_KEY", help="The environment variable that holds the key."
    ),
    send_key_unencrypted: bool = typer.Option(
        False, "--send-key-unencrypted", help="Even over plain http to elsewhere."
    ),
) -> None:
    """Write a page with the clusters and doubtful merges of a sample, for a person to look at.

    With gold, the mentions and clusters of the whole corpus are scored: precision, recall and F1 of
    mentions, B³ and MUC. Texts with marked names need no corpus: the builder's names for them are
    scored by kind of text, and its errors are counted by kind.

    \b
        cloze audit corpus/
        cloze audit corpus/ --split train --sample 200 --out audit.html
        cloze newsroom news.jsonl --raw --stories 500
        cloze build news.jsonl corpus/
        cloze audit corpus/ --gold news.gold.jsonl
        cloze audit --gold tests/fresh/texts --half look

    With --endpoint and --model, a language model is asked to name the markers of the sample:
    whoever it can name, it may remember.

    \b
        cloze audit corpus/ --endpoint http://localhost:8000/v1 --model smollm2
    """
    from cloze.errors import UserError

    if gold is not None and gold.is_dir():
        from cloze.builder.marked_scores import score_texts, table
        from cloze.builder.marked_texts import read_texts
        from cloze.finding import pipeline_called
        from cloze.tables import as_text

        texts = read_texts(gold, half)
        typer.echo(
            as_text(
                table(
                    texts, score_texts(texts, pipeline_called(pipeline, language), language, rules)
                )
            )
        )
        return
    if corpus is None:
        raise UserError("there is no corpus", fix="give its folder: cloze audit CORPUS")

    from cloze.builder import audit as auditing
    from cloze.builder.audit_page import page
    from cloze.builder.gold_scores import score
    from cloze.corpus.store import Corpus
    from cloze.files import check_apart, write_text

    opened = Corpus.open(corpus)
    if not opened.splits:
        raise UserError("the corpus is empty", where=corpus)
    chosen = split or ("valid" if "valid" in opened.splits else opened.splits[-1])
    if endpoint is not None or model is not None:
        from cloze.cli import _endpoint
        from cloze.language_models.asking import Manner

        if endpoint is None or model is None:
            raise UserError("a language model needs --endpoint and --model", fix="give both")
        check_apart(replies, corpus)
        _endpoint.audit_endpoint(
            _endpoint.Endpoint(
                endpoint,
                model,
                interface=interface,
                replies=replies,
                key_from=key_from,
                unencrypted=send_key_unencrypted,
                manner=Manner(at_once, seconds, retry=retry),
            ),
            opened,
            chosen,
            sample,
            seed,
        )
        return
    looked = list(auditing.sample(opened, chosen, sample, seed))
    if out is None:
        out = corpus.resolve().with_name(f"{corpus.resolve().name}-audit.html")
    check_apart(out, corpus)
    write_text(out, page(opened.name, chosen, looked))
    doubts = sum(len(each.doubts) for each in looked)
    typer.echo(f"{len(looked)} documents of {chosen}, {doubts} things to look at: {out}")
    if gold is not None:
        scores = score(opened, gold)
        typer.echo(f"{scores.documents:,} documents scored against {gold.name}")
        typer.echo(f"{'':9}{'precision':>10}{'recall':>8}{'F1':>8}")
        named = {"mentions": scores.mentions, "B³": scores.b_cubed, "MUC": scores.muc}
        for name, found in named.items():
            numbers = (100 * found.precision, 100 * found.recall, 100 * found.f1)
            typer.echo(f"{name:9}{numbers[0]:10.1f}{numbers[1]:8.1f}{numbers[2]:8.1f}")

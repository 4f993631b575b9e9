from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloze.cli._sharing import On, Shard, Workers

if TYPE_CHECKING:
    from cloze.answering import Answerer
    from cloze.corpus.store import Corpus
    from cloze.evaluation.run import Options
    from cloze.evaluation.shared import Asked


def evaluate(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL]... CORPUS",
            help="Models' folders, baselines or module:Class; then a corpus.",
        ),
    ],
    baseline: Annotated[
        list[str] | None, typer.Option(help="A baseline's name, or all; may be given again.")
    ] = None,
    split: Annotated[str, typer.Option(help="Which split to answer.")] = "valid",
    out: Annotated[Path, typer.Option(help="Folder for the predictions.")] = Path("predictions"),
    batch_size: Annotated[int, typer.Option(min=1, help="Questions per batch, for readers.")] = 32,
    device: Annotated[str, typer.Option(help="cpu, cuda, or auto.")] = "auto",
    exact: Annotated[
        bool, typer.Option("--exact", help="Always multiply in 32 bits: slower.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Answer only the first N questions.")
    ] = None,
    attention: Annotated[
        bool, typer.Option("--attention", help="Keep the attention, for heat maps.")
    ] = False,
    permutations: Annotated[
        int, typer.Option(min=1, help="Answer under this many namings of the entities.")
    ] = 1,
    question_only: Annotated[
        bool, typer.Option("--question-only", help="Hide the article: a control.")
    ] = False,
    wrong_article: Annotated[
        bool,
        typer.Option(
            "--wrong-article", help="Put each question to another article; print how sure it is."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Which naming of the entities comes first.")] = 0,
    encoded: Annotated[
        Path | None,
        typer.Option(help="A folder of cloze encode: readers take the split from its arrays."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Draw whole documents that hold about this many questions."),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An OpenAI-compatible server: http://localhost:8000/v1."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The name of its language model.")] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            help="markers (default), names, swapped, markers-alone, names-alone, or all; may be "
            "given again."
        ),
    ] = None,
    interface: Annotated[
        str | None, typer.Option(help="chat, or completions for a base model. Default: chat.")
    ] = None,
    prompt: Annotated[Path | None, typer.Option(help="A prompt template of your own.")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest reply.")] = 32,
    parameters: Annotated[
        str, typer.Option(metavar="JSON", help="More for every request; null leaves one out.")
    ] = "{}",
    replies: Annotated[
        Path | None, typer.Option(help="Where replies are kept. Default: OUT/replies.sqlite.")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Also ask again what failed in earlier runs.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="Stop after this many tokens or, with --price, this much money."),
    ] = None,
    price: Annotated[
        str | None, typer.Option(help="Of a million tokens read and written: 0.15,0.60.")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, help="The most requests at once.")] = 32,
    seconds: Annotated[float, typer.Option(min=0.1, help="The longest wait for a reply.")] = 120.0,
    key_from: Annotated[
        str, typer.Option(help="The environment variable that holds the key.")
    ] = "CLOZE_API_KEY",
    send_key_unencrypted: Annotated[
        bool, typer.Option("--send-key-unencrypted", help="Even over plain http to elsewhere.")
    ] = False,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Print questions, tokens and price; ask nothing.")
    ] = False,
    workers: Workers = 0,
    on: On = None,
    shard: Shard = None,
    store: Annotated[
        str | None,
        typer.Option(help="Where the machines meet: a folder or s3://... (default: in OUT)."),
    ] = None,
    finish: Annotated[
        bool, typer.Option("--finish", help="Make the predictions after every --shard.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Let models and baselines answer a split; print the accuracy table of the paper.

    \b
    cloze evaluate --baseline all corpus/                 every baseline on the validation split
    cloze evaluate runs/attentive corpus/ --split test    a trained reader
    cloze evaluate runs/attentive runs/impatient corpus/ --attention
    cloze evaluate runs/attentive corpus/ --permutations 5
    cloze evaluate runs/attentive corpus/ --encoded encoded/
    cloze evaluate runs/attentive corpus/ --wrong-article --limit 1000
    cloze evaluate word-distance my.module:MyAnswerer corpus/ --limit 500 --json

    A language model, whose replies are kept, so that no question is paid for twice:

    \b
    cloze evaluate corpus/ --endpoint http://localhost:8000/v1 --model smollm2 --form all
    cloze evaluate corpus/ --endpoint https://api.example.org/v1 --model large --sample 500 \\
        --price 0.15,0.60 --dry-run
    cloze evaluate corpus/ --endpoint https://api.example.org/v1 --model large --sample 500 \\
        --price 0.15,0.60 --budget 2.50 --key-from EXAMPLE_API_KEY

    On many machines, or on the cores of one; each worker computes in one thread:

    \b
    cloze evaluate runs/attentive corpus/ --on dask://10.0.0.1:8786
    cloze evaluate runs/attentive corpus/ --shard 3/64     or by hand: 1/64 to 64/64,
    cloze evaluate runs/attentive corpus/ --finish         and the predictions at the end

    Each model leaves a Parquet file of predictions in --out, from which cloze report and
    cloze heatmap work. A second run replaces the model's earlier file for that corpus and split;
    an interrupted run continues where it stopped.
    """
    import json

    from cloze.builder.sharded.tasks import check_ways
    from cloze.cli import _endpoint
    from cloze.corpus.store import MANIFEST, Corpus
    from cloze.engines.address import engine_at
    from cloze.errors import UserError
    from cloze.evaluation.answer_parts import Who
    from cloze.evaluation.metrics import compare
    from cloze.evaluation.run import Options, run_all
    from cloze.evaluation.sampling import sample as draw
    from cloze.evaluation.shared import Asked
    from cloze.evaluation.shared import finish as finish_shared
    from cloze.files import check_apart
    from cloze.finding import baselines_called, find_all, model_in
    from cloze.language_models.asking import Manner
    from cloze.reporting import accuracy
    from cloze.tables import as_text

    # The corpus is recognised by its manifest, so it may come anywhere among the models.
    folder = next((place for place in places if Path(place, MANIFEST).is_file()), places[-1])
    corpus = Corpus.open(folder)
    words = baselines_called(baseline or []) + [place for place in places if place != folder]
    if encoded is not None and (question_only or wrong_article):
        control = "--question-only hides" if question_only else "--wrong-article exchanges"
        raise UserError(f"--encoded holds the articles that {control}", fix="drop one")
    arrays = None if encoded is None else encoded.absolute() / split
    shared = bool(shard or finish or on or store)
    check_ways(shard, finish, on)
    if shared and (wrong_article or endpoint or model):
        raise UserError(
            "--wrong-article and language models run on one machine",
            fix="leave out --shard, --finish, --on and --store",
        )
    read = [model_in(Path(word)) for word in words if Path(word).is_dir()]
    check_apart(out / "a.parquet", *read, encoded)
    documents = None if sample is None else draw(corpus, split, sample, seed)
    options = Options(limit, attention, permutations, question_only, seed, documents=documents)
    if wrong_article:
        answerers = find_all(words, batch_size=batch_size, device=device, exact=exact)
        _put_wrongly(answerers, corpus, split, options, as_json)
        return
    paths = []
    if endpoint is not None or model is not None:
        if endpoint is None or model is None:
            raise UserError("a language model needs --endpoint and --model", fix="give both")
        if question_only:
            raise UserError(
                "--question-only is for readers", fix="give --form markers-alone instead"
            )
        cost = _endpoint.parse_price(price)
        manner = Manner(at_once, seconds, retry=retry, budget=budget, price=cost)
        given = _endpoint.Endpoint(
            endpoint,
            model,
            form or [],
            interface,
            prompt,
            max_tokens,
            parameters,
            replies or out / "replies.sqlite",
            key_from,
            send_key_unencrypted,
            manner,
        )
        if dry:
            _endpoint.dry_run(given, corpus, split, options)
            return
        paths += _endpoint.evaluate_endpoint(given, corpus, split, out, options)
    if shared:
        once = dict.fromkeys(words)
        who = [Who(_everywhere(word), device, batch_size, arrays, exact) for word in once]
        asked = Asked(who, corpus, split, out, options, store)
        if shard:
            _answer_share(asked, shard, workers)
            return
        engine = None if finish else engine_at(on or "processes", workers)
        paths += finish_shared(asked, engine=engine)
    elif words or not paths:
        answerers = find_all(
            words, batch_size=batch_size, device=device, encoded=arrays, exact=exact
        )
        paths += run_all(answerers, corpus, split, out, options)
    comparisons = compare(paths)
    if as_json:
        typer.echo(json.dumps(accuracy.as_dicts(comparisons), indent=2))
        return
    typer.echo(as_text(accuracy.as_table(accuracy.accuracy_table(comparisons))))
    for comparison in comparisons:
        for pair in accuracy.neighbours(comparison):
            typer.echo(accuracy.pair_text(pair))
        for each in comparison.models if permutations > 1 else []:
            typer.echo(accuracy.permutations_text(each))
        _endpoint.show(comparison, corpus)
    typer.echo(f"predictions in {out}; look at them with: cloze report {out} --out report")


def _everywhere(word: str) -> str:
    """A word that finds the same model in another folder."""
    return str(Path(word).absolute()) if Path(word).is_dir() else word


def _answer_share(asked: "Asked", shard: str, workers: int) -> None:
    from cloze.builder.sharded.tasks import parse_share
    from cloze.engines.processes import on_processes
    from cloze.evaluation.shared import answer_share

    number, of = parse_share(shard)
    parts = answer_share(asked, number=number, of=of, engine=on_processes(workers))
    typer.echo(f"shard {number} of {of}: {parts:,} parts; after all of them: --finish")


def _put_wrongly(
    answerers: "dict[str, Answerer]",
    corpus: "Corpus",
    split: str,
    options: "Options",
    as_json: bool,
) -> None:
    """The control prints its shares and writes nothing."""
    import json

    from cloze.evaluation.run import chosen
    from cloze.evaluation.wrong_article import how_sure
    from cloze.progress import track

    rows = []
    for name, answerer in answerers.items():
        points = chosen(corpus.read(split), options)
        found = how_sure(answerer, track(points, name, unit="documents"), seed=options.seed)
        half, most = found.above[0.5], found.above[0.9]
        row = {"model": answerer.name, "questions": found.questions}
        rows.append(row | {"above_50": half.share, "above_90": most.share})
        if not as_json:
            typer.echo(
                f"{answerer.name}: {found.questions:,} questions put to the wrong article; "
                f"{100 * half.share:.1f} % [{100 * half.low:.1f}, {100 * half.high:.1f}] were "
                f"answered with more than 50 % confidence, {100 * most.share:.1f} % with over 90 %"
            )
    if as_json:
        typer.echo(json.dumps(rows, indent=2))

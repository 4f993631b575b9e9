"""What `cloze evaluate --endpoint` does: ask a language model, then evaluate what it said."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer

from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.identification import WARN_ABOVE, audit_requests, identification
from cloze.evaluation.metrics import Comparison
from cloze.evaluation.run import Options, chosen, run
from cloze.evaluation.sampling import sample_documents
from cloze.files import check_apart
from cloze.language_models.address import Address, Key, check_key, parse_address
from cloze.language_models.asking import Asked, Manner, ask
from cloze.language_models.budget import Price
from cloze.language_models.estimate import estimate
from cloze.language_models.forms import Form, parse_forms
from cloze.language_models.model import LanguageModel
from cloze.language_models.prompts import Prompt
from cloze.language_models.replies import Replies
from cloze.language_models.request import Interface, Settings
from cloze.reporting.forms import (
    accuracy_by_form,
    blind_chance,
    differences,
    forms_of,
    leak_text,
)
from cloze.reporting.outcomes import language_models as language_models_of
from cloze.reporting.outcomes import outcome_table
from cloze.tables import as_text


@dataclass(frozen=True)
class Endpoint:
    """The options of a language model, as they were given."""

    url: str
    model: str
    forms: Sequence[str] = ()
    interface: str | None = None
    prompt: Path | None = None
    max_tokens: int = 32
    parameters: str = "{}"
    replies: Path = Path("replies.sqlite")
    key_from: str = "CLOZE_API_KEY"
    unencrypted: bool = False
    manner: Manner = field(default_factory=Manner)


def parse_price(given: str | None) -> Price | None:
    """Of a million tokens read and of a million written: 0.15,0.60."""
    if given is None:
        return None
    try:
        read, written = (float(part) for part in given.split(","))
        if not (0 <= read < float("inf") and 0 <= written < float("inf")):
            raise ValueError
    except ValueError:
        raise UserError(
            f"--price {given} is not two prices",
            fix="give those of a million tokens read and written: --price 0.15,0.60",
        ) from None
    return Price(read, written)


@dataclass(frozen=True)
class Connection:
    """The options, checked: where to ask, with what, and where replies are kept."""

    settings: Settings
    address: Address
    key: Key
    replies: Replies


@contextmanager
def connected(given: Endpoint, template: str = "") -> Iterator[Connection]:
    """template: a built-in prompt other than that of the interface."""
    interface = None if given.interface is None else _interface(given.interface)
    address = parse_address(given.url, interface)
    key = Key.from_environment(given.key_from)
    check_key(key, address, unencrypted=given.unencrypted)
    built_in = Prompt.built_in(template or address.interface)
    settings = Settings(
        address.url,
        given.model,
        address.interface,
        built_in if given.prompt is None else Prompt.from_file(given.prompt),
        given.max_tokens,
        _parameters(given.parameters),
    )
    replies = Replies(given.replies)
    try:
        yield Connection(settings, address, key, replies)
    finally:
        replies.close()


@contextmanager
def language_models(given: Endpoint) -> Iterator[list[LanguageModel]]:
    """The model in each of the wanted forms."""
    wanted = parse_forms(given.forms)
    with connected(given) as to:
        yield [
            LanguageModel(to.settings, form, to.replies, to.address, to.key, given.manner)
            for form in wanted
        ]


def audit_endpoint(given: Endpoint, corpus: Corpus, split: str, documents: int, seed: int) -> None:
    """Ask a model to name the markers of a sample, and print how many it can name."""
    points = sample_documents(corpus, split, documents, seed)
    with connected(given, "audit") as to:
        asked = audit_requests(points, to.settings, seed)
        manner, total = given.manner, len(points)
        ask(asked, to.replies, to.address, to.key, manner, what="asking", total=total)
        found = identification(points, to.settings, to.replies, seed)
    share = found.share
    typer.echo(
        f"{given.model} names {100 * share.share:.1f} % [{100 * share.low:.1f}, "
        f"{100 * share.high:.1f}] of {found.markers:,} markers in {found.documents:,} documents of "
        f"{corpus.name} {split}; no line to read in {found.unanswered:,} replies"
    )
    for name, said in found.named:
        typer.echo(f"  {name}: {said}")
    if found.too_many:
        typer.echo(
            f"warning: over {100 * WARN_ABOVE:.0f} % of the markers can be named; what the model "
            "knows about them may answer questions for it",
            err=True,
        )


def evaluate_endpoint(
    given: Endpoint, corpus: Corpus, split: str, out: Path, options: Options
) -> list[Path]:
    """Ask in every form, then write a file of predictions for each."""
    check_apart(given.replies, corpus.path)
    seeds = range(options.seed, options.seed + options.permutations)
    paths = []
    with language_models(given) as models:
        for model in models:
            done = [_collect(model, corpus, split, options, seed) for seed in seeds]
            answered = options
            if any(asked.left for asked in done):
                answered = _only_replied(model, corpus, split, options, seeds)
            model.replied(chosen(corpus.read(split), answered), seed=options.seed)
            paths.append(run(model, corpus, split, out, answered))
    return paths


def dry_run(given: Endpoint, corpus: Corpus, split: str, options: Options) -> None:
    """Print what a run would ask and cost, and the first prompt; nothing is sent."""
    first = ""
    with language_models(given) as models:
        for model in models:
            found = estimate(model, chosen(corpus.read(split), options), seed=options.seed)
            first = first or found.first
            typer.echo(f"{model.name}: {found.text(given.manner.price)}")
    if first:
        typer.echo(f"\nThe first prompt:\n\n{first}")


def _collect(
    model: LanguageModel, corpus: Corpus, split: str, options: Options, seed: int
) -> Asked:
    points = chosen(corpus.read(split), options)
    total = sum(len(questions) for _, questions in chosen(corpus.read(split), options))
    asked = model.collect(points, seed=seed, total=total)
    failed = "".join(f"; {count:,} failed: {why}" for why, count in asked.failures.items())
    typer.echo(
        f"{model.name}: {asked.replies:,} replies, {asked.kept:,} kept from before{failed}",
        err=True,
    )
    return asked


def _only_replied(
    model: LanguageModel, corpus: Corpus, split: str, options: Options, seeds: range
) -> Options:
    """If the budget ended early, the documents whose questions all have a reply."""

    def points() -> Iterator[Point]:
        return chosen(corpus.read(split), options)

    every = [set(model.replied(points(), seed=seed)) for seed in seeds]
    left = set.intersection(*every)
    if not left:
        raise UserError(
            "the budget is spent, and no document has all its replies",
            fix="give a larger --budget; all replies are kept",
        )
    total = sum(1 for _ in points())
    typer.echo(
        f"{model.name}: the budget is spent; scored on {len(left):,} of {total:,} documents. "
        "Run again with a larger --budget to continue.",
        err=True,
    )
    return replace(options, documents=tuple(sorted(left)))


def _interface(word: str) -> Interface:
    try:
        return Interface(word)
    except ValueError:
        raise UserError(f"there is no interface '{word}'", fix="chat or completions") from None


def _parameters(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UserError(f"--parameters is not valid JSON ({problem})") from None
    if not isinstance(found, dict):
        raise UserError("--parameters is not a JSON object", fix="""as in '{"top_p": 0.9}'""")
    return found


def show(comparison: Comparison, corpus: Corpus) -> None:
    """What came of the replies, and the forms side by side."""
    asked = language_models_of(comparison.models)
    if not asked:
        return
    typer.echo(f"\n{as_text(outcome_table(asked))}\n")
    found = forms_of(comparison, blind_chance(comparison, corpus))
    if found:
        typer.echo(f"{as_text(accuracy_by_form(found))}\n\n{as_text(differences(found))}\n")
        for each in found:
            if Form.MARKERS_ALONE in each.accuracy:
                typer.echo(leak_text(each))

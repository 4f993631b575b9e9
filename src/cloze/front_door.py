"""What `import cloze` gives: the verbs of the command as functions.

They take what the commands take and return objects instead of printing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cloze.answering import Answerer
from cloze.ask.asking import Model
from cloze.corpus.store import Corpus
from cloze.names.language import NEWEST_RULES, RULES
from cloze.readers.shipped_models import DEFAULT

if TYPE_CHECKING:
    from cloze.evaluation.metrics import Comparison
    from cloze.training.trainer import Result

Place = str | Path


def load(
    name: Place = DEFAULT,
    *,
    device: str = "auto",
    exact: bool = False,
    pipeline: str | None = None,
    language: str = "en",
    rules: int = NEWEST_RULES,
) -> Model:
    """A reader, baseline or other answerer, found by one word.

    "small"                    the Encoder Reader that comes with the package
    "attentive", "impatient"   the paper's readers, which come with it too
    "runs/attentive"           a folder: a model's, or a run's
    "somebody/reader"          one on the Hugging Face Hub, fetched once; "...@v2" for a revision
    "word-distance"            a baseline
    "my_module:MyAnswerer"     a class that implements `cloze.answering.Answerer`

    On a CPU an Encoder Reader multiplies in 8 bits, where that is faster; one that is `exact` does
    not. `pipeline` is what finds the names in an article, a spaCy pipeline or "encoder", and
    `rules` the set of rules for them (docs/names.md).
    """
    from cloze.finding import find

    found = find(name, device=device, exact=exact)
    return Model(found, pipeline=pipeline, language=language, rules=rules)


def build(
    sources: Place | Sequence[Place] | Mapping[str, Place],
    out: Place,
    *,
    name: str | None = None,
    spans: Sequence[Place] = (),
    split: str = "hash:valid=5,test=5",
    columns: str = "",
    titles: bool = False,
    fundus: str | None = None,
    pipeline: str | None = None,
    language: str = "en",
    rules: int = RULES,
    workers: int = 0,
    overwrite: bool = False,
) -> Corpus:
    """A corpus of cloze questions from stories, as `cloze build` makes it.

    `sources` is a file or folder of stories, several, or one for each split. Of web pages without
    bullets, `titles` takes the title and the standfirst; `fundus` is a Python that has Fundus.
    """
    from cloze.builder.build import build as run
    from cloze.builder.build_input import parse_sources
    from cloze.builder.sources import Columns, Reading
    from cloze.finding import pipeline_called

    if isinstance(sources, Mapping):
        sources = [f"{part}={place}" for part, place in sources.items()]
    elif isinstance(sources, str | Path):
        sources = [sources]
    run(
        parse_sources([str(source) for source in sources], [Path(place) for place in spans]),
        Path(out),
        name=name,
        split_rule=split,
        columns=Columns.parse(columns),
        pages=Reading(titles=titles, fundus=fundus),
        pipeline=pipeline_called(pipeline, language),
        language=language,
        rules=rules,
        workers=workers,
        overwrite=overwrite,
    )
    return Corpus.open(out)


def train(config: Place, *overrides: str, resume: bool = False) -> "Result":
    """Train a reader: `train("newsroom/attentive", "corpus=corpus", "out=runs/attentive")`.

    `config` is a YAML file, or the name of one that comes with the package; an override is written
    as for `cloze train`, which lists every key with --keys.
    """
    from cloze.config import load as read
    from cloze.shipped_configs import find_config
    from cloze.training.settings import TrainSettings
    from cloze.training.trainer import train as run

    path = find_config(config)
    return run(read(TrainSettings, path, overrides), resume=resume)


def evaluate(
    models: Place | Answerer | Sequence[Place | Answerer],
    corpus: Place | Corpus,
    *,
    split: str = "valid",
    out: Place = "predictions",
    limit: int | None = None,
    attention: bool = False,
    permutations: int = 1,
    question_only: bool = False,
    seed: int = 0,
    device: str = "auto",
    batch_size: int = 32,
    exact: bool = False,
) -> "Comparison":
    """Let one or several answer the questions of a split; the predictions go to `out`.

    A model is what `load` returns, a word that it understands, or anything that implements
    `Answerer`.
    """
    from cloze.evaluation.metrics import compare
    from cloze.evaluation.run import Options, run_all
    from cloze.finding import find_all

    if isinstance(models, str | Path) or not isinstance(models, Sequence):
        models = [models]
    words = [model for model in models if isinstance(model, str | Path)]
    answerers = find_all(words, device=device, batch_size=batch_size, exact=exact)
    for number, model in enumerate(models, 1):
        if not isinstance(model, str | Path):
            answerers[str(number)] = model
    opened = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    options = Options(limit, attention, permutations, question_only, seed)
    (comparison,) = compare(run_all(answerers, opened, split, Path(out), options))
    return comparison


def report(
    predictions: Place | Sequence[Place],
    out: Place = "report",
    *,
    corpus: Place | Corpus | None = None,
    title: str | None = None,
) -> Path:
    """Write a page with the tables, curves and heat maps of some predictions; returns its path."""
    from cloze.reporting.report import write_report

    given = [predictions] if isinstance(predictions, str | Path) else predictions
    where = corpus if corpus is None or isinstance(corpus, Corpus) else Path(corpus)
    return write_report([Path(place) for place in given], where, Path(out), title=title)

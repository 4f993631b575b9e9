"""Let an answerer answer a split, and write down its answers.

    run(find("word-distance"), Corpus.open("cnn"), "valid", Path("predictions"))

The split is answered in parts of a number of documents each. A finished part is kept in a folder
beside the predictions file, so that a run that is killed, or whose answerer fails, resumes there
when it is started again. Each part is answered by itself, so the rows are the same whether or not
a run was interrupted.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from cloze.answering import Answerer, QuestionAlone, Ranking, answers
from cloze.builder.work_folder import FINISHED, work_folder
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.metrics import slug
from cloze.evaluation.predictions import About, Writer, join
from cloze.files import check_apart
from cloze.progress import bar
from cloze.version import commit


@dataclass(frozen=True)
class Options:
    limit: int | None = None  # questions
    attention: bool = False
    permutations: int = 1
    question_only: bool = False
    seed: int = 0
    part: int = 128  # documents: the most that a killed run has to redo
    documents: tuple[str, ...] | None = None  # only these; see `cloze.evaluation.sampling`


def run(
    answerer: Answerer,
    corpus: Corpus,
    split: str,
    folder: Path,
    options: Options = Options(),
    *,
    label: str = "",
) -> Path:
    """Answer the split and write the predictions; returns their file.

    `label` tells answerers of the same name apart.
    """
    total = corpus.count(split)
    if not total:
        raise UserError(f"the split '{split}' has no questions", where=corpus.path)
    if options.documents is not None:
        total = sum(len(questions) for _, questions in chosen(corpus.read(split), options))
    total = min(total, options.limit or total)
    model = answerer.name + (f" ({label})" if label else "")
    if options.question_only:
        answerer, model = QuestionAlone(answerer), f"{model}, question only"
    about = About(
        model,
        corpus.name,
        corpus.fingerprint,
        split,
        {
            **answerer.settings,
            "limit": options.limit,
            "permutation": options.seed,
            **({} if options.documents is None else {"documents": len(options.documents)}),
        },
        answerer.kind,
        str(corpus.path.resolve()),
        commit(),
        datetime.now().astimezone().isoformat(timespec="seconds"),
    )
    path = folder / f"{slug(f'{model} {corpus.name} {split}')}.parquet"
    check_apart(path, corpus.path)
    identity = asdict(about) | asdict(options) | {"made": None, "corpus_path": None}
    with work_folder(path, identity) as work, bar() as shown:
        line = shown.add_task(model, total=total, unit="questions")
        parts = []
        for number, points in enumerate(_parts(chosen(corpus.read(split), options), options)):
            parts.append(work / FINISHED / f"{number:05d}.parquet")
            if not parts[-1].is_file():
                _answer_part(answerer, points, parts[-1], about, options)
            shown.advance(line, sum(len(questions) for _, questions in points))
        join(parts, path, about)
    return path


def run_all(
    answerers: Mapping[str, Answerer], corpus: Corpus, split: str, folder: Path, options: Options
) -> list[Path]:
    """Let each answer the split; answerers with the same name get their labels, so that none
    overwrites another's file."""
    if not answerers:
        raise UserError("nothing to evaluate", fix="give a model's folder or --baseline all")
    names = [answerer.name for answerer in answerers.values()]
    return [
        run(a, corpus, split, folder, options, label=label if names.count(a.name) > 1 else "")
        for label, a in answerers.items()
    ]


def _answer_part(
    answerer: Answerer, points: list[Point], path: Path, about: About, options: Options
) -> None:
    """The answers under the first naming, and the best marker under each additional one."""
    with Writer(path, about) as writer:
        seeds = range(options.seed + 1, options.seed + options.permutations)
        further = [
            [_best(r) for _, _, rankings in answers(answerer, points, seed=seed) for r in rankings]
            for seed in seeds
        ]
        other = zip(*further, strict=True) if further else itertools.repeat(None)
        said = answers(answerer, points, seed=options.seed, attention=options.attention)
        for document, questions, rankings in said:
            for question, ranking in zip(questions, rankings, strict=True):
                writer.add(document, question, ranking, next(other))


def _best(ranking: Ranking) -> int:
    return -1 if ranking.outside else ranking.answer


def chosen(points: Iterable[Point], options: Options) -> Iterator[Point]:
    """The documents that the options ask for, up to the limit of questions."""
    wanted = None if options.documents is None else frozenset(options.documents)
    some = (point for point in points if wanted is None or point[0].id in wanted)
    return _first(some, options.limit)


def _parts(points: Iterable[Point], options: Options) -> Iterator[list[Point]]:
    part: list[Point] = []
    for point in points:
        part.append(point)
        if len(part) == options.part:
            yield part
            part = []
    if part:
        yield part


def _first(points: Iterable[Point], limit: int | None) -> Iterator[Point]:
    left = limit
    for document, questions in points:
        if left is not None and left <= 0:
            return
        asked = questions if left is None else questions[:left]
        left = None if left is None else left - len(asked)
        yield document, asked

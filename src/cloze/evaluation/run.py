"""Let an answerer answer a split, and write down its answers.

    run(find("word-distance"), Corpus.open("cnn"), "valid", Path("predictions"))

The split is answered in parts of a number of documents each. A finished part is kept in a folder
beside the predictions file, so that a run that is killed, or whose answerer fails, resumes there
when it is started again. Each part is answered by itself, so the rows are the same whether or not
a run was interrupted.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from cloze.answering import Answerer, QuestionAlone, Ranking, answers
from cloze.builder.work_folder import FINISHED, take_away, work_folder
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.metrics import slug
from cloze.evaluation.predictions import About, Writer, join
from cloze.files import check_apart, described, read_json, verify, write_json
from cloze.progress import bar
from cloze.shape import FileShape
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
    made = prepared(answerer, corpus, split, folder, options, label=label)
    with work_folder(made.path, made.identity(options)) as work, bar() as shown:
        line = shown.add_task(made.about.model, total=made.total, unit="questions")
        paths = []
        for number, points in parts(chosen(corpus.read(split), options), options):
            paths.append(work / FINISHED / f"{number:05d}.parquet")
            if not _is_done(paths[-1], work):
                answer_part(made.answerer, points, paths[-1], made.about, options)
                write_json(_record(paths[-1]), described(paths[-1]))
            shown.advance(line, sum(len(questions) for _, questions in points))
        join(paths, made.path, made.about)
    return made.path


def _is_done(part: Path, work: Path) -> bool:
    """Whether an earlier run answered this part; what it left must be what it wrote."""
    if not _record(part).is_file():
        return False
    expected = FileShape.check(read_json(_record(part)), where=_record(part), fix=take_away(work))
    verify(part, expected, fix=take_away(work))
    return True


def _record(part: Path) -> Path:
    """Written after the part itself."""
    return part.with_suffix(".json")


class Prepared(NamedTuple):
    """A run that is about to begin."""

    answerer: Answerer
    about: About
    path: Path  # of the predictions
    total: int  # questions

    def identity(self, options: Options) -> dict[str, Any]:
        """What its answers follow from; when and where it runs does not matter."""
        return asdict(self.about) | asdict(options) | {"made": None, "corpus_path": None}


def prepared(
    answerer: Answerer, corpus: Corpus, split: str, folder: Path, options: Options, *, label: str
) -> Prepared:
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
    made = Prepared(answerer, about, path, total)
    told = json.dumps(made.identity(options), sort_keys=True)
    identity = hashlib.sha256(told.encode()).hexdigest()
    return made._replace(about=replace(about, identity=identity))


def run_all(
    answerers: Mapping[str, Answerer], corpus: Corpus, split: str, folder: Path, options: Options
) -> list[Path]:
    """Let each answer the split; answerers with the same name get their labels, so that none
    overwrites another's file."""
    return [
        run(answerer, corpus, split, folder, options, label=label)
        for label, answerer in labelled(answerers)
    ]


def labelled(answerers: Mapping[str, Answerer]) -> list[tuple[str, Answerer]]:
    """Answerers with the labels that they need: those with the same name."""
    if not answerers:
        raise UserError("nothing to evaluate", fix="give a model's folder or --baseline all")
    names = [answerer.name for answerer in answerers.values()]
    return [(own if names.count(a.name) > 1 else "", a) for own, a in answerers.items()]


def answer_part(
    answerer: Answerer,
    points: list[Point],
    path: Path,
    about: About,
    options: Options,
    *,
    timed: bool = True,
) -> float:
    """The answers under the first naming, and the best marker under each additional one; returns
    how many seconds they took."""
    with Writer(path, about, timed=timed) as writer:
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
    return writer.seconds


def _best(ranking: Ranking) -> int:
    return -1 if ranking.outside else ranking.answer


def chosen(points: Iterable[Point], options: Options) -> Iterator[Point]:
    """The documents that the options ask for, up to the limit of questions."""
    wanted = None if options.documents is None else frozenset(options.documents)
    some = (point for point in points if wanted is None or point[0].id in wanted)
    return _first(some, options.limit)


def parts(
    points: Iterable[Point], options: Options, before: int = 0
) -> Iterator[tuple[int, list[Point]]]:
    """The documents in numbered parts; `before` is how many stand before the first of them."""
    numbered = enumerate(points, before)
    for number, own in itertools.groupby(numbered, lambda each: each[0] // options.part):
        yield number, [point for _, point in own]


def _first(points: Iterable[Point], limit: int | None) -> Iterator[Point]:
    left = limit
    for document, questions in points:
        if left is not None and left <= 0:
            return
        asked = questions if left is None else questions[:left]
        left = None if left is None else left - len(asked)
        yield document, asked

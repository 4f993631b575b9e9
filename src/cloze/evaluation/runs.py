"""Letting models answer a split, and writing down what they said.

    run(tasks_of_baselines(["word-distance"])[0], Corpus.open("cnn"), "valid", Path("predictions"))

A task is a model ready to answer; baselines and readers become the same thing here.
"""

import itertools
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from cloze.answering import Baseline, Ranking
from cloze.corpus.store import Corpus
from cloze.document import Document, Entity, Point, Question
from cloze.errors import UserError
from cloze.evaluation.metrics import slug
from cloze.evaluation.predictions import About, Writer
from cloze.progress import bar
from cloze.randomness import generator, key_of
from cloze.text import MARKER, Text
from cloze.version import __version__

Answered = Iterator[tuple[Document, Question, Ranking]]


@dataclass(frozen=True)
class Task:
    """A model that can answer; `answer(points, permutation, attention)` may be called again."""

    model: str
    kind: str
    settings: dict[str, Any]
    answer: Callable[[Iterable[Point], int, bool], Answered]


@dataclass(frozen=True)
class Options:
    limit: int | None = None  # questions
    attention: bool = False
    permutations: int = 1
    question_only: bool = False
    seed: int = 0


def tasks_of_baselines(wanted: Sequence[str]) -> list[Task]:
    """Baselines by name, spelt with hyphens or underscores; "all" is every one."""
    if not wanted:
        return []
    from cloze.baselines import BASELINES

    known = {slug(name): name for name in BASELINES}
    if "all" in wanted:
        wanted = list(known)
    for name in wanted:
        if slug(name) not in known:
            raise UserError(
                f"there is no baseline '{name}'", fix=f"choose from {', '.join(known)} or all"
            )
    names = [known[slug(name)] for name in wanted]
    return [baseline_task(name, BASELINES[name]()) for name in names]


def baseline_task(name: str, baseline: Baseline) -> Task:
    def answer(points: Iterable[Point], permutation: int, attention: bool) -> Answered:
        for document, questions in points:
            shown, asked, names = permuted(document, questions, permutation)
            rankings = baseline.answer(shown, asked)
            for question, ranking in zip(questions, rankings, strict=True):
                own = names[ranking.candidates] if len(ranking.candidates) else ranking.candidates
                yield document, question, replace(ranking, candidates=own)

    return Task(baseline.name, "baseline", {"baseline": name}, answer)


def reader_task(directory: Path, *, batch_size: int = 32, device: str = "auto") -> Task:
    import torch

    from cloze.readers.reader import Reader

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    reader = Reader.from_pretrained(directory, device)

    def answer(points: Iterable[Point], permutation: int, attention: bool) -> Answered:
        return reader.answer_all(
            points, batch_size=batch_size, attention=attention, seed=permutation
        )

    settings = {"directory": Path(directory).name, "device": device, "batch_size": batch_size}
    settings |= {"config": reader.config.model_dump(mode="json"), "training": reader.about}
    return Task(reader.config.name, "reader", settings, answer)


def reader_tasks(
    directories: Sequence[Path], *, batch_size: int = 32, device: str = "auto"
) -> list[Task]:
    """Two readers of a kind bear their folders' names too, or one would overwrite the other."""
    directories = list(dict.fromkeys(directories))
    tasks = [reader_task(place, batch_size=batch_size, device=device) for place in directories]
    names = [task.model for task in tasks]
    return [
        replace(task, model=f"{task.model} ({label})") if names.count(task.model) > 1 else task
        for task, label in zip(tasks, labels(directories), strict=True)
    ]


def labels(directories: Sequence[Path]) -> list[str]:
    """The shortest endings of the paths that tell them apart, `model` at the end left out.

    >>> labels([Path("runs/small/model"), Path("runs/large/model")])
    ['small', 'large']
    >>> labels([Path("monday/attentive"), Path("sunday/attentive")])
    ['monday/attentive', 'sunday/attentive']
    """
    parts = [place.parts[:-1] if place.name == "model" else place.parts for place in directories]
    longest = max(map(len, parts), default=0)
    endings = (["/".join(own[-length:]) for own in parts] for length in range(1, longest + 1))
    whole = [str(place) for place in directories]
    return next((found for found in endings if len(set(found)) == len(found)), whole)


def run(task: Task, corpus: Corpus, split: str, folder: Path, options: Options = Options()) -> Path:
    """Answer the split and write the predictions; returns their file."""
    total = corpus.count(split)
    if not total:
        raise UserError(f"the split '{split}' has no questions", where=corpus.path)
    total = min(total, options.limit or total)
    model = task.model + (", question only" if options.question_only else "")
    about = About(
        model,
        corpus.name,
        corpus.fingerprint,
        split,
        task.settings | {"limit": options.limit, "permutation": options.seed},
        task.kind,
        str(corpus.path.resolve()),
        commit(),
        datetime.now().astimezone().isoformat(timespec="seconds"),
    )
    path = folder / f"{slug(f'{model} {corpus.name} {split}')}.parquet"
    with bar() as shown:
        bars = shown.add_task(model, total=total * options.permutations, unit="questions")

        def answers(permutation: int, attention: bool) -> Answered:
            points = _first(corpus.read(split), options.limit)
            if options.question_only:
                answered = _blind(task, points, permutation)
            else:
                answered = task.answer(points, permutation, attention)
            for one in answered:
                yield one
                shown.advance(bars)

        seeds = range(options.seed + 1, options.seed + options.permutations)
        further = [[_answer(ranking) for _, _, ranking in answers(seed, False)] for seed in seeds]
        with Writer(path, about) as writer:
            for row, one in enumerate(answers(options.seed, options.attention)):
                writer.add(*one, [said[row] for said in further] or None)
    return path


def _answer(ranking: Ranking) -> int:
    return -1 if ranking.outside else ranking.answer


def _first(points: Iterable[Point], limit: int | None) -> Iterator[Point]:
    left = limit
    for document, questions in points:
        if left is not None and left <= 0:
            return
        asked = questions if left is None else questions[:left]
        left = None if left is None else left - len(asked)
        yield document, asked


def _blind(task: Task, points: Iterable[Point], seed: int) -> Answered:
    """The question-only control: the model sees the question and the candidates, but no text."""
    seen, hidden = itertools.tee(points)
    answered = task.answer(((without_text(d, seed), q) for d, q in hidden), seed, False)
    for document, questions in seen:
        for _, question, ranking in itertools.islice(answered, len(questions)):
            yield document, question, ranking


def without_text(document: Document, seed: int) -> Document:
    """Only the markers are left of the document, each once, in random order."""
    markers = generator(seed, key_of(document.id)).permutation(document.candidates()).tolist()
    tokens = [f"{MARKER}{marker}" for marker in markers]
    text = Text(tokens, [document.name_of(marker) for marker in markers], [1] * len(markers))
    return replace(document, context=text)


def permuted(
    document: Document, questions: Sequence[Question], seed: int
) -> tuple[Document, list[Question], np.ndarray]:
    """Other markers for the same entities, as whenever the paper loads a data point.

    The stored markers follow the order of mention, which a model could make use of. Returns the
    document, its questions, and an array that turns a new marker into the old one.
    """
    old = sorted({e.marker for e in document.entities} | set(document.candidates()))
    old = sorted({*old, *(q.answer for q in questions if q.answer >= 0)})
    new = generator(seed, key_of(document.id)).permutation(old).tolist()
    renamed = dict(zip(old, new, strict=True))
    back = np.full(max(old, default=-1) + 1, -1, np.int32)
    back[new] = old

    def rename(text: Text) -> Text:
        marks = zip(text.tokens, text.markers.tolist(), strict=True)
        tokens = [f"{MARKER}{renamed[m]}" if m in renamed else token for token, m in marks]
        return replace(text, tokens=tokens)

    entities = tuple(
        Entity(renamed[e.marker], e.name, e.type, e.surfaces) for e in document.entities
    )
    shown = replace(document, context=rename(document.context), entities=entities)
    asked = [
        replace(q, query=rename(q.query), answer=renamed.get(q.answer, q.answer)) for q in questions
    ]
    return shown, asked, back


def commit() -> str:
    """The commit of the code that runs, where it runs from a checkout; else the version."""
    here = Path(__file__)

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=here.parent, capture_output=True, text=True, timeout=10, check=True
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)  # not just installed inside some other work
        return git("describe", "--always", "--dirty", "--abbrev=12")
    except (OSError, subprocess.SubprocessError):
        return f"version {__version__}"

"""A split answered on many machines (`cloze.builder.sharded` says how such work is shared).

The parts are those of a run on one machine (`cloze.evaluation.run`), each of which is answered by
itself anyway. They are kept in a store, and joined in their order at the end.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cloze.builder.sharded.records import all_kept, bring_all, check_all_kept
from cloze.builder.sharded.stores import Store, store_for
from cloze.builder.sharded.taking_back import taken_back
from cloze.builder.sharded.tasks import do, share_of, slices
from cloze.builder.sharded.versions import begin, store_of
from cloze.builder.work_folder import work_folder
from cloze.corpus.store import Corpus
from cloze.engines.engine import Engine
from cloze.errors import UserError
from cloze.evaluation.answer_parts import (
    SECONDS,
    Who,
    Work,
    answer_parts,
    computing,
    found,
    name_of,
)
from cloze.evaluation.predictions import Predictions, join
from cloze.evaluation.run import Options, Prepared, chosen, labelled, prepared
from cloze.finding import labels


@dataclass(frozen=True)
class Asked:
    """What is to be answered, by whom, and where the predictions go."""

    who: Sequence[Who]
    corpus: Corpus
    split: str
    folder: Path
    options: Options
    store: str | None = None


def answer_share(asked: Asked, *, number: int, of: int, engine: Engine) -> int:
    """Share `number` of `of` (from 1) of each answerer's parts; returns how many they are."""
    count = _count(asked)
    for made, who in _all(asked):
        work = _work(asked, made, who)
        with taken_back(store_for(made.path, asked.store), work.store):
            begin(work.store, computing(made.answerer))
            with work.store.claim(f"shard {number} of {of}"):
                _run(work, engine, share_of(range(count), number, of))
    return len(share_of(range(count), number, of))


def finish(asked: Asked, *, engine: Engine | None) -> list[Path]:
    """Join the parts, which are all there or are answered now by an engine; returns the files."""
    count = _count(asked)
    paths = []
    for made, who in _all(asked):
        stores = store_for(made.path, asked.store)
        with work_folder(made.path, made.identity(asked.options)) as folder:
            work = _work(asked, made, who)
            if engine is not None or not _was_finished(made):
                with taken_back(stores, work.store):
                    _finish_one(work, made, folder / "parts", count, engine)
            work.store.remove()
        stores.tidy()
        paths.append(made.path)
    return paths


def _was_finished(made: Prepared) -> bool:
    """Whether a run that was then killed joined just these parts, which may be gone by now."""
    with suppress(UserError):  # there is no such file, or it is spoilt
        return Predictions(made.path).about.identity == made.about.identity
    return False


def _finish_one(
    work: Work, made: Prepared, folder: Path, count: int, engine: Engine | None
) -> None:
    if engine is not None:
        begin(work.store, computing(made.answerer))
    with work.store.claim_all():
        if engine is not None:
            _run(work, engine, range(count))
        names = [name_of(part) for part in range(count)]
        check_all_kept(work.store, names)
        parts = _brought(work.store, names, folder)
        join(parts, made.path, made.about, _seconds(work.store))


def _all(asked: Asked) -> Iterator[tuple[Prepared, Who]]:
    words = labels([who.word for who in asked.who])
    answerers = {word: found(who) for word, who in zip(words, asked.who, strict=True)}
    for (label, answerer), who in zip(labelled(answerers), asked.who, strict=True):
        about = (asked.corpus, asked.split, asked.folder, asked.options)
        yield prepared(answerer, *about, label=label), who


def _work(asked: Asked, made: Prepared, who: Who) -> Work:
    store = store_of(store_for(made.path, asked.store), made.identity(asked.options))
    about = replace(made.about, made="", corpus_path="")
    return Work(who, asked.corpus.path.absolute(), asked.split, asked.options, about, store)


def _count(asked: Asked) -> int:
    """How many parts there are."""
    documents = asked.corpus.count(asked.split, "documents")
    if asked.options.limit is not None or asked.options.documents is not None:
        documents = sum(1 for _ in chosen(asked.corpus.read(asked.split), asked.options))
    return -(-documents // asked.options.part)


def _run(work: Work, engine: Engine, numbers: Sequence[int]) -> None:
    done = all_kept(work.store)
    left = [number for number in numbers if name_of(number) not in done]
    tasks = list(slices(left))
    do(engine, partial(answer_parts, work), tasks, work.about.model, len(left), "parts")


def _brought(store: Store, names: Sequence[str], folder: Path) -> Iterator[Path]:
    """The parts one after the other: each is removed again when the next one is wanted."""
    for name, _ in zip(names, bring_all(store, names, folder), strict=True):
        path = folder / f"{name}.parquet"
        yield path
        path.unlink()


def _seconds(store: Store) -> float:
    """What the parts took together; of one that was done twice, only one time counts."""
    by_part = dict(name.split(".") for name in sorted(store.names(SECONDS)))
    return sum(map(int, by_part.values())) / 1000

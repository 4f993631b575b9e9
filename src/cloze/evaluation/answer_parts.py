"""What a worker does to answer a split: find the answerer, read some parts, answer each of them."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from cloze.answering import Answerer, QuestionAlone
from cloze.builder.sharded.records import is_kept, keep
from cloze.builder.sharded.stores import Store
from cloze.builder.sharded.versions import check_begun
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.evaluation.predictions import About
from cloze.evaluation.run import Options, answer_part, chosen, parts
from cloze.finding import find

SECONDS = "seconds"  # in the store: what each part took, as a name, since times differ


@dataclass(frozen=True, slots=True)
class Who:
    """The word that an answerer is found by: it may be too large to be sent to a worker."""

    word: str
    device: str = "auto"
    batch_size: int = 32
    encoded: Path | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """All that a worker has to be given."""

    who: Who
    corpus: Path
    split: str
    options: Options
    about: About  # without what differs between machines
    store: Store


@lru_cache(maxsize=4)
def found(who: Who) -> Answerer:
    return find(
        who.word,
        device=who.device,
        batch_size=who.batch_size,
        encoded=who.encoded,
        exact=who.exact,
    )


def answer_parts(work: Work, numbers: Sequence[int]) -> int:
    """Answer the parts with these numbers, as far as they are not there; returns how many."""
    left = [number for number in numbers if not is_kept(work.store, name_of(number))]
    if left:
        answerer = found(work.who)
        check_begun(work.store, computing(answerer))
        if work.options.question_only:
            answerer = QuestionAlone(answerer)
        with one_thread(answerer):
            for number, points in _read(work, left):
                _answer(work, answerer, number, points)
    return len(numbers)


def _answer(work: Work, answerer: Answerer, number: int, points: list[Point]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name_of(number)}.parquet"
        seconds = answer_part(answerer, points, path, work.about, work.options, timed=False)
        work.store.write(f"{SECONDS}/{name_of(number)}.{round(1000 * seconds)}", b"")
        keep(work.store, name_of(number), Path(folder), {"documents": len(points)})


def _read(work: Work, numbers: Sequence[int]) -> Iterator[tuple[int, list[Point]]]:
    """The parts with these numbers, from the shard in which the first of them begins."""
    corpus = Corpus.open(work.corpus, check_files=False)
    if corpus.fingerprint != work.about.corpus_fingerprint:
        fix = "run the same command again"
        raise UserError("was changed while it was being read", where=work.corpus, fix=fix)
    shard, documents, questions = _begin(corpus, work, numbers[0])
    limit = work.options.limit
    options = replace(work.options, limit=None if limit is None else limit - questions)
    wanted, last = set(numbers), numbers[-1]
    for number, points in parts(
        chosen(corpus.read(work.split, shard), options), options, documents
    ):
        if number in wanted:
            wanted.remove(number)
            yield number, points
        if number >= last:
            break
    if wanted:
        raise UserError("has fewer documents than its manifest says", where=work.corpus)


def _begin(corpus: Corpus, work: Work, part: int) -> tuple[int, int, int]:
    """The shard in which a part begins, and how many documents and questions are before it. Of a
    sample it is not known which documents are where."""
    shard = documents = questions = 0
    if work.options.documents is None:
        for own_documents, own_questions in corpus.sizes(work.split):
            if documents + own_documents > part * work.options.part:
                break
            shard += 1
            documents += own_documents
            questions += own_questions
    return shard, documents, questions


def name_of(part: int) -> str:
    return f"{part:05d}"


def computing(answerer: Answerer) -> dict[str, str]:
    """What the last digits of a neural reader's scores depend on besides its input."""
    if not _computes(answerer):
        return {}
    import torch

    return {
        "torch": torch.__version__,
        "processor": torch.backends.cpu.get_cpu_capability(),
        "products": _products(answerer),
    }


@contextlib.contextmanager
def one_thread(answerer: Answerer) -> Iterator[None]:
    """As on every worker: sums in several threads have other last digits."""
    if not _computes(answerer):
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _products(answerer: Answerer) -> str:
    """What it multiplies in. A reader is not asked for its settings, which hash its weights."""
    if hasattr(answerer, "products"):
        return str(answerer.products)
    return str(answerer.settings.get("products"))


def _computes(answerer: Answerer) -> bool:
    return answerer.kind == "reader" and find_spec("torch") is not None

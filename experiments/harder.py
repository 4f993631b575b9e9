"""A training corpus of all questions of one corpus and the harder ones of another.

    python experiments/harder.py corpora/cnn corpora/dailymail corpora/harder
    python experiments/harder.py corpora/cnn corpora/dailymail corpora/harder --also practice 4

A question is hard if no sentence that names its answer has more than that share of its words
(`shared_words.py`). Articles of more tokens than that are left out, so that a GPU reads more
questions in the same time. What is validated on is the first corpus's. `--also` adds all training
questions of a further corpus as often as it says, each time under other ids, so that their markers
are drawn anew.
"""

import argparse
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from multiprocessing import Pool
from pathlib import Path

from shared_words import shared

from cloze.corpus.store import Corpus, shard_paths, write_manifest, write_shard
from cloze.document import Point
from cloze.files import whole_directory
from cloze.progress import track

TRAIN, VALID = "train", "valid"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs=3, type=Path, help="all of this, some of that, the result")
    parser.add_argument("--most", type=float, default=0.34, help="words that may be shared")
    parser.add_argument("--tokens", type=int, default=800, help="the most in an article")
    parser.add_argument(
        "--also",
        nargs=2,
        action="append",
        default=[],
        metavar=("CORPUS", "TIMES"),
        help="all of this too, so often",
    )
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    whole, other, out = options.paths
    first, second = Corpus.open(whole), Corpus.open(other)
    with whole_directory(out) as folder:
        for split in (TRAIN, VALID):
            copy_split(first, split, folder)
        begin = len(first.shards(TRAIN))
        shards = range(len(second.shards(TRAIN)))
        jobs = [(other, shard, folder, begin + shard, options) for shard in shards]
        with Pool(options.processes) as pool:
            done = pool.imap_unordered(harder_of, jobs)
            kept = sum(track(done, "choosing", total=len(jobs), unit="files"))
        number = begin + len(shards)
        added: dict[str, int] = {}
        for path, times in options.also:
            further = Corpus.open(path)
            added[further.name] = int(times)
            for time in range(int(times)):
                write_shard(folder, TRAIN, number, renamed(further.read(TRAIN), time))
                number += 1
        told = {"whole": first.name, "harder": second.name, "most": options.most, "also": added}
        name = " and ".join([first.name, second.name, *added])
        corpus = write_manifest(folder, name=name, options=told | {"tokens": options.tokens})
    print(f"{out}: {corpus.count(TRAIN):,} questions, of which {kept:,} from {second.name}")


def copy_split(corpus: Corpus, split: str, folder: Path) -> None:
    for number, pair in enumerate(corpus.shards(split)):
        for old, new in zip(pair, shard_paths(folder, split, number), strict=True):
            new.parent.mkdir(exist_ok=True)
            shutil.copyfile(old, new)


def renamed(points: Iterable[Point], time: int) -> Iterator[Point]:
    """Questions under ids that no other time has."""
    for document, questions in points:
        id = f"{document.id}-{time}"
        yield (
            replace(document, id=id),
            [replace(one, id=f"{one.id}-{time}", document_id=id) for one in questions],
        )


def harder_of(job: tuple[Path, int, Path, int, argparse.Namespace]) -> int:
    """Choose from one shard; how many questions were kept."""
    path, shard, folder, number, options = job
    corpus = Corpus.open(path, check_files=False)
    points = islice(corpus.read(TRAIN, shard), corpus.sizes(TRAIN)[shard][0])
    kept = 0

    def chosen() -> Iterator[Point]:
        nonlocal kept
        for document, questions in points:
            if len(document.context.tokens) > options.tokens:
                continue
            hard = [one for one in questions if shared(document, one) <= options.most]
            kept += len(hard)
            if hard:
                yield document, hard

    write_shard(folder, TRAIN, number, chosen())
    return kept


if __name__ == "__main__":
    main()

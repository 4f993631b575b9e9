"""A training corpus mixed of parts of others.

    python experiments/mixed.py corpora/mixed --part corpora/wide 1 0.7 --part corpora/some 0.2 1

Each corpus is followed by two numbers: the share of its training questions to draw (2: each of
them twice, under two ids, so that its markers are drawn anew), and the largest part of a question's
words that one sentence with the answer may have (`shared_words.py`); 0.7 leaves out questions that
say nearly what the article says. Articles of more than `--tokens` are left out. Validation uses the
last corpus, or that of `--valid`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from harder import TRAIN, VALID, copy_split, renamed
from shared_words import shared

from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Point
from cloze.errors import UserError
from cloze.files import whole_directory
from cloze.progress import track
from cloze.randomness import generator


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--part",
        nargs=3,
        action="append",
        required=True,
        metavar=("CORPUS", "SHARE", "MOST"),
        help="draw SHARE of those questions of which one sentence with the answer has at most "
        "MOST of the words",
    )
    parser.add_argument("--valid", type=Path, help="validate on this corpus's valid split")
    parser.add_argument("--tokens", type=int, default=900, help="the most in an article")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        mixed = mix(options)
    except (UserError, ValueError) as problem:
        parser.error(str(problem))
    print(f"{options.out}: {mixed.count(TRAIN):,} questions")


def mix(options: argparse.Namespace) -> Corpus:
    parts = [(Corpus.open(Path(path)), float(share), float(most))
             for path, share, most in options.part]  # fmt: skip
    for _, share, most in parts:
        if not ((0 < share <= 1 or share.is_integer()) and share > 0 and most >= 0):
            fix = "give more than 0, up to 1, or a whole number"
            raise UserError(f"{share} and {most} are no shares", fix=fix)
    tested = Corpus.open(options.valid) if options.valid else parts[-1][0]
    languages = {corpus.language for corpus in (*(corpus for corpus, _, _ in parts), tested)}
    if len(languages) > 1:
        raise UserError(f"the corpora are in several languages: {', '.join(sorted(languages))}")
    asked = {one.id for _, questions in tested.read(VALID) for one in questions}
    seen = set(asked)
    with whole_directory(options.out) as folder:
        shard = 0
        for number, (corpus, share, most) in enumerate(track(parts, "choosing", unit="corpora")):
            times = max(1, int(share))
            for time in range(times):
                points = drawn(corpus, min(share, 1), most, options.tokens, (options.seed, number))
                if times > 1:
                    points = renamed(unseen(points, set(asked)), time)
                write_shard(folder, TRAIN, shard, unseen(points, seen))
                shard += 1
        copy_split(tested, VALID, folder)
        told = {"parts": options.part, "tokens": options.tokens}
        if languages != {"en"}:
            told["language"] = languages.pop()
        name = " and ".join(corpus.name for corpus, _, _ in parts)
        return write_manifest(folder, name=name, options=told, seed=options.seed)


def drawn(
    corpus: Corpus, share: float, most: float, tokens: int, seed: tuple[int, int]
) -> Iterator[Point]:
    random = generator(*seed)
    for document, questions in corpus.read(TRAIN):
        if len(document.context.tokens) > tokens:
            continue
        kept = [one for one in questions if most >= 1 or shared(document, one) <= most]
        kept = [one for one in kept if share >= 1 or random.random() < share]
        if kept:
            yield document, kept


def unseen(points: Iterator[Point], seen: set[str]) -> Iterator[Point]:
    """Without the questions that another part has given, or that are validated on."""
    for document, questions in points:
        kept = [one for one in questions if one.id not in seen]
        seen.update(one.id for one in kept)
        if kept:
            yield document, kept


if __name__ == "__main__":
    main()

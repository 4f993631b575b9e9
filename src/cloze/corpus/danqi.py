"""Questions in the four-line form of Chen, Bolton and Manning (2016), one file for each split.

    @placeholder will not press charges                 the question
    @entity3                                            the answer
    the @entity0 producer allegedly struck by ...       the article
                                                        (a blank line)

The files are called train.txt, dev.txt and test.txt. Programs that read them stop at an answer that
is not in its article, so such questions are left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from cloze.corpus.splits import renamed
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.files import check_apart, whole_directory
from cloze.progress import track
from cloze.text import MARKER

FILES = {"valid": "dev"}


def export_danqi(
    corpus: Corpus, out: Path, splits: Iterable[str], *, overwrite: bool = False
) -> Counter[str]:
    check_apart(out, corpus.path)
    counts: Counter[str] = Counter()
    with whole_directory(out, overwrite=overwrite) as directory:
        for split, name in renamed(splits, FILES).items():
            total = corpus.count(split, "documents")
            points = track(corpus.read(split), f"writing {split}", total=total, unit="documents")
            with (directory / f"{name}.txt").open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(_four_lines(points, counts))
    return counts


def _four_lines(points: Iterable[Point], counts: Counter[str]) -> Iterator[str]:
    for document, questions in points:
        candidates = set(document.candidates())
        for question in questions:
            if question.answer not in candidates:
                counts["answer not in the article"] += 1
                continue
            counts["questions"] += 1
            yield f"{question.query.anonymised}\n{MARKER}{question.answer}\n"
            yield f"{document.context.anonymised}\n\n"

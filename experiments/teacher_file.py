"""What cloze evaluate left of a large reader, as the answers that a smaller one is taught with.

    cloze evaluate runs/encoder/model corpora/cnn --split train --out teacher
    python experiments/teacher_file.py corpora/both teacher/*.parquet --out teacher.npz

Or from answers that were kept already, with the corpus that they fit:

    python experiments/teacher_file.py corpora/some --out some.npz \\
        --kept experiments/distillation/cnn-train.npz corpora/cnn1

Where `harder.py --also` took a corpus several times, say how often:

    python experiments/teacher_file.py corpora/large practice.parquet --times 2 --out large.npz

The questions are found by their ids. Those of the training split that the large reader was not
asked get a row of zeros: they are learnt from their answers alone.
"""

import argparse
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEPT = 4  # candidates of each question
Said = tuple[int, list[int], list[float]]  # the right marker, and those said, with probabilities
Asked = tuple[str, int, dict[int, int]]  # id, answer, and the entity that each marker stands for


def said_in(path: Path) -> dict[str, Said]:
    """By question."""
    table = pq.read_table(path, columns=["question_id", "answer", "candidates", "scores"])
    best = [pc.list_slice(table[name], 0, KEPT).to_pylist() for name in ("candidates", "scores")]
    if any(not 0 <= score <= 1.001 for scores in best[1] for score in scores):
        raise SystemExit(f"{path}: its scores are not probabilities")
    rows = zip(table["answer"].to_pylist(), *best, strict=True)
    return dict(zip(table["question_id"].to_pylist(), rows, strict=True))


def repeated(said: dict[str, Said], times: int) -> dict[str, Said]:
    """By the ids that the questions have as often as `harder.py` took them; 0: by their own."""
    if not times:
        return said
    return {f"{id}-{time}": own for id, own in said.items() for time in range(times)}


def kept_in(answers: Path, corpus: Path) -> dict[str, Said]:
    """By question: the answers in a file as this script leaves it, which fit this corpus."""
    with np.load(answers, allow_pickle=False) as file:
        candidates, chances = file["candidates"], file["probabilities"] / 255
        fits = str(file["questions"]) if "questions" in file else None  # older files have none
    asked = list(questions(corpus))
    if len(asked) != len(candidates):
        raise SystemExit(
            f"{answers}: has {len(candidates):,} questions, {corpus} has {len(asked):,}"
        )
    if fits not in (None, digest(asked)):
        raise SystemExit(f"{answers}: its questions are not those of {corpus}")
    said = {}
    for (question, answer, local), own, sure in zip(asked, candidates, chances, strict=True):
        markers = {entity: marker for marker, entity in local.items()}
        there = sure > 0
        if any(k not in markers for k in own[there].tolist()):
            raise SystemExit(f"{answers}: its answers are not those of {corpus}")
        if there.any():
            said[question] = (answer, [markers[k] for k in own[there]], sure[there].tolist())
    return said


def questions(corpus: Path, split: str = "train") -> Iterator[Asked]:
    for path in sorted((corpus / "questions").glob(f"{split}-*.parquet")):
        documents = pq.read_table(corpus / "documents" / path.name, columns=["id", "entities"])
        entities = {
            row["id"]: {entity["marker"]: k for k, entity in enumerate(row["entities"])}
            for row in documents.to_pylist()
        }
        for row in pq.read_table(path, columns=["id", "document_id", "answer"]).to_pylist():
            yield row["id"], row["answer"], entities[row["document_id"]]


def digest(asked: Iterable[Asked]) -> str:
    """By which a file of answers knows the questions that it fits."""
    return hashlib.sha256("\n".join(id for id, _, _ in asked).encode()).hexdigest()


def rows_of(asked: Iterable[Asked], said: dict[str, Said]) -> tuple[np.ndarray, np.ndarray]:
    """Candidates and probabilities of every training question, as cloze.training.teacher has it."""
    candidates, probabilities = [], []
    for question, answer, local in asked:
        right, markers, chances = said.get(question, (answer, [], []))
        if right != answer:
            raise SystemExit(f"{question}: the answers are those of another corpus")
        spare = KEPT - len(markers)
        candidates.append([*(local[marker] for marker in markers), *[-1] * spare])
        probabilities.append([*chances, *[0.0] * spare])
    in_255ths = np.floor(255 * np.minimum(1, np.asarray(probabilities).reshape(-1, KEPT)))
    return np.asarray(candidates, np.int16).reshape(-1, KEPT), in_255ths.astype(np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="that the small reader is trained on")
    parser.add_argument("predictions", type=Path, nargs="*")
    parser.add_argument(
        "--kept",
        type=Path,
        nargs=2,
        metavar=("ANSWERS", "CORPUS"),
        help="answers that this script kept, and the corpus that they fit",
    )
    parser.add_argument("--times", type=int, default=0, help="how often those questions are there")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_intermixed_args()
    if not options.predictions and not options.kept:
        parser.error("give what cloze evaluate left, or --kept ANSWERS CORPUS")
    said: dict[str, Said] = kept_in(*options.kept) if options.kept else {}
    for path in options.predictions:
        said |= repeated(said_in(path), options.times)
    asked = list(questions(options.corpus))
    candidates, probabilities = rows_of(asked, said)
    np.savez_compressed(
        options.out, candidates=candidates, probabilities=probabilities, questions=digest(asked)
    )
    known = int((probabilities > 0).any(1).sum())
    print(
        f"{options.out}: {len(candidates):,} questions, {known:,} of them answered by the teacher"
    )


if __name__ == "__main__":
    main()

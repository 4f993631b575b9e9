"""Import and export of `.question` files, from and to a folder or a tar."""

import io
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from cloze.corpus.card import write_card
from cloze.corpus.question_files import (
    QuestionFile,
    document_key,
    from_point,
    parse,
    to_document,
    to_question,
)
from cloze.corpus.splits import renamed
from cloze.corpus.statistics import SplitStatistics, Statistics, counted
from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Point
from cloze.errors import UserError
from cloze.files import Unreadable, check_apart, content_of, whole_directory, whole_file
from cloze.progress import track
from cloze.tars import files_in

SPLITS = {"training": "train", "validation": "valid"}  # the published folders' names
FOLDERS = {split: folder for folder, split in SPLITS.items()}
QUESTIONS = "questions"  # the folder that holds the splits' folders
DOCUMENTS_A_SHARD = 5_000


def import_questions(
    source: Path, out: Path, *, name: str, strict: bool = False, overwrite: bool = False
) -> tuple[Counter[str], list[str]]:
    """Make a corpus from published files. Returns counts and a line for each file with a problem.

    The split is the name of a file's folder (training and validation become train and valid).
    With `strict` the first problem ends the import; otherwise a bad file is rejected and counted,
    and one whose name is not its SHA-1 is reported but kept.
    """
    check_apart(out, source)
    counts: Counter[str] = Counter()
    problems: list[str] = []
    rejects: dict[str, Counter[str]] = {}
    # Parsed files are kept as a few strings each; token lists are made when writing.
    splits: dict[str, dict[str, list[QuestionFile]]] = {}
    for path, content in _files(source):
        folder = Path(path).parent.name
        split = SPLITS.get(folder, folder or "all")
        try:
            if isinstance(content, Unreadable):
                raise UserError(content, where=path)
            file = parse(content, path)
        except UserError as problem:
            if strict:
                raise
            problems.append(str(problem))
            rejects.setdefault(split, Counter())["bad file"] += 1
            continue
        if Path(path).stem != file.sha1:
            wrong = UserError(f"its name is not the SHA-1 of its content ({file.sha1})", where=path)
            if strict:
                raise wrong
            problems.append(str(wrong))
            counts["wrong name"] += 1
        splits.setdefault(split, {}).setdefault(document_key(file), []).append(file)
        counts["questions"] += 1
    if not counts["questions"]:
        raise UserError("no readable .question file here", where=source)
    with whole_directory(out, overwrite=overwrite) as directory:
        statistics = {split: SplitStatistics() for split in splits}
        for split, points in splits.items():
            ordered = list(points.values())
            counts["documents"] += len(ordered)
            for number, start in enumerate(range(0, len(ordered), DOCUMENTS_A_SHARD)):
                files = ordered[start : start + DOCUMENTS_A_SHARD]
                counting = counted(map(_point, files), statistics[split])
                write_shard(directory, split, number, counting)
        corpus = write_manifest(
            directory,
            name=name,
            options={"source": "published .question files"},
            rejects={split: dict(reasons) for split, reasons in rejects.items()},
        )
        write_card(corpus, Statistics.of(corpus, statistics))
    return counts, problems


def export_questions(
    corpus: Corpus, out: Path, splits: Iterable[str], *, overwrite: bool = False
) -> Counter[str]:
    """Write every data point as a `.question` file, into a folder, or a tar if `out` ends so.

    As published, the files are in questions/training, questions/validation and questions/test; a
    folder that is itself called questions gets no second one. Data points with the same text make
    the same file: they are counted as `duplicates`.
    """
    check_apart(out, corpus.path)
    inside = "" if out.name == QUESTIONS else f"{QUESTIONS}/"
    counts: Counter[str] = Counter()

    def write_all(put: Callable[[str, bytes], None]) -> None:
        for split, folder in renamed(splits, FOLDERS).items():
            seen: set[str] = set()
            for file in _published(_tracked(corpus, split)):
                if file.sha1 in seen:
                    counts["duplicates"] += 1
                    continue
                seen.add(file.sha1)
                put(f"{inside}{folder}/{file.sha1}.question", file.content)
                counts["questions"] += 1

    if out.suffix == ".tar":
        with whole_file(out) as temporary, tarfile.open(temporary, "w") as archive:
            write_all(lambda name, content: _add(archive, name, content))
    else:
        with whole_directory(out, overwrite=overwrite) as directory:

            def put(name: str, content: bytes) -> None:
                (directory / name).parent.mkdir(parents=True, exist_ok=True)
                (directory / name).write_bytes(content)

            write_all(put)
    return counts


def _tracked(corpus: Corpus, split: str) -> Iterator[Point]:
    total = corpus.count(split, "documents")
    return track(corpus.read(split), f"writing {split}", total=total, unit="documents")


def _point(files: list[QuestionFile]) -> Point:
    document = to_document(files[0])
    return document, [to_question(file, document) for file in files]


def _published(points: Iterable[Point]) -> Iterator[QuestionFile]:
    for document, questions in points:
        for question in questions:
            yield from_point(document, question)


def _files(source: Path) -> Iterator[tuple[str, bytes | Unreadable]]:
    if source.is_dir():
        paths = []
        for path in sorted(source.rglob("*")):
            if path.is_symlink() and path.is_dir():
                fix = "import the folder itself, or put a copy in its place"
                raise UserError("is a link to a folder, not followed", where=path, fix=fix)
            if path.name.endswith(".question"):
                paths.append(path)
        if not paths:
            raise UserError("there is no .question file in this folder", where=source)
        for path in paths:
            yield _printable(str(path)), content_of(path)
    elif source.is_file():
        for name, content in files_in(source, ".question"):
            yield _printable(name), content
    else:
        raise UserError("no such folder or tar", where=source)


def _printable(name: str) -> str:
    """Bytes of a file's name that are not UTF-8 become question marks."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)  # with time 0, so that the same corpus gives the same bytes
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))

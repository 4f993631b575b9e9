"""An encoded split that travels: a few files of a size asked for, each compressed with zstd.

    train/parts.json      what the split is, and the size and sha256 of each part
          part-00000.zst  blocks of documents and questions (`blocks`), one after the other
          part-00001.zst
          unpacked/       the arrays, made from the parts when they are first read

`open_split` opens either form. The arrays are then mapped as always, so that a corpus may be larger
than memory; neither packing nor unpacking holds more than a block and the texts' ids.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from filelock import FileLock
from pydantic import Field, NonNegativeInt

from cloze.compressed import opened
from cloze.errors import UserError
from cloze.files import described, explain, read_json, sha256, verify, whole_directory, write_json
from cloze.progress import bar
from cloze.randomness import key_of
from cloze.readers.blocks import Arrays, Ids, block_of, owners_of, read_block
from cloze.readers.encoded import DTYPES, IDS, META, STARTS, EncodedSplit
from cloze.readers.encoded import FORMAT as ARRAYS_FORMAT
from cloze.readers.encoder import Encoder
from cloze.readers.growing import GrowingArray, growing
from cloze.shape import FileShape, Shape

FORMAT = "cloze parts, format 1"
PARTS, UNPACKED = "parts.json", "unpacked"
_BLOCK = 2 << 20  # tokens of documents in a block
_LEVEL = 9  # of zstd: 19 is 7 % smaller and 50 times slower
_AGAIN = "copy this file again, or encode the split again"


def open_split(directory: Path, encoder: Encoder | None = None) -> EncodedSplit:
    """Open a split in either form; parts are unpacked beside themselves the first time."""
    if (directory / PARTS).is_file():
        directory = unpack_split(directory)
    return EncodedSplit.open(directory, encoder)


def is_split(directory: Path) -> bool:
    """Whether a folder holds a whole split; hidden ones were left by runs that were killed."""
    if directory.name.startswith("."):
        return False
    return (directory / META).is_file() or (directory / PARTS).is_file()


def parts_of(directory: Path) -> list[int]:
    """The sizes of a split's parts; empty where it is stored as arrays."""
    found = read_json(directory / PARTS)["parts"] if (directory / PARTS).is_file() else {}
    return [part["bytes"] for part in found.values()]


def pack_split(split: EncodedSplit, directory: Path, part_size: int) -> None:
    """Write a split that is on disk as parts of at most `part_size` bytes."""
    about = {key: value for key, value in (split.meta or {}).items() if key != "files"}
    with whole_directory(directory, overwrite=True) as temporary, bar() as shown:
        task = shown.add_task(f"packing {directory.name}", total=split.documents, unit="documents")
        frames = _frames(split, part_size)
        number, size = -1, part_size
        for frame, documents in frames:
            if size + len(frame) > part_size:
                number, size = number + 1, 0
            with open(temporary / f"part-{number:05d}.zst", "ab") as file:
                file.write(frame)
            size += len(frame)
            shown.advance(task, documents)
        parts = {file.name: described(file) for file in sorted(temporary.iterdir())}
        write_json(temporary / PARTS, {**about, "format": FORMAT, "parts": parts})


def _frames(split: EncodedSplit, limit: int) -> Iterator[tuple[bytes, int]]:
    """Compressed blocks, each smaller than the limit, with the number of their documents."""
    ids = Ids(split.document_ids, split.question_ids)
    # Where a block of documents ends, so do its questions, in whatever order they are.
    owners = np.maximum.accumulate(split.question_document)
    size = min(_BLOCK, max(1, limit // 8))
    starts = np.searchsorted(split.document_offsets, range(0, len(split.document_tokens), size))
    bounds = [0, *sorted({*starts.tolist(), split.documents} - {0})]
    for first, last in pairwise(bounds):
        yield from _within(split, ids, owners, range(first, last), limit)


def _within(
    split: EncodedSplit, ids: Ids, owners: np.ndarray, documents: range, limit: int
) -> Iterator[tuple[bytes, int]]:
    import pyarrow as pa

    a, b = np.searchsorted(owners, (documents.start, documents.stop)).tolist()
    block = block_of(split, ids, documents, range(a, b))
    frame = bytes(pa.Codec("zstd", compression_level=_LEVEL).compress(block))
    if len(frame) <= limit:
        yield frame, len(documents)
    elif len(documents) == 1:
        what = f"one document alone takes {len(frame):,} bytes, more than a part may have"
        raise UserError(what, where=ids.documents[documents.start], fix="give a larger --part-size")
    else:
        half = len(documents) // 2
        for some in (documents[:half], documents[half:]):
            yield from _within(split, ids, owners, some, limit)


def unpack_split(directory: Path) -> Path:
    """The folder with the arrays of a split in parts; it is made if it is not there yet."""
    manifest = read_json(directory / PARTS)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise UserError(f"is not '{FORMAT}'", where=directory / PARTS, fix=_AGAIN)
    _Manifest.check(manifest, where=directory / PARTS, fix=_AGAIN)
    target, made_from = directory / UNPACKED, sha256(directory / PARTS)
    if _made_from(target) == made_from:
        return target
    try:
        with FileLock(directory / ".unpacking.lock"):  # two runs may begin at once
            if _made_from(target) != made_from:
                _unpack(directory, target, manifest, made_from)
    except OSError as problem:
        raise explain(problem, directory) from problem
    return target


def _made_from(target: Path) -> str | None:
    meta = read_json(target / META) if (target / META).is_file() else {}
    return meta.get("parts_sha256") if isinstance(meta, dict) else None


def _unpack(directory: Path, target: Path, manifest: dict[str, Any], made_from: str) -> None:
    parts = {directory / name: expected for name, expected in sorted(manifest["parts"].items())}
    for path, expected in parts.items():  # all of them before the work begins
        verify(path, expected, fix=_AGAIN)
    dtypes = DTYPES | (STARTS if manifest.get("pieces") else {})
    with whole_directory(target, overwrite=True) as temporary, ExitStack() as stack:
        write = {n: stack.enter_context(growing(temporary, n, d)) for n, d in dtypes.items()}
        shown = stack.enter_context(bar())
        task = shown.add_task(f"unpacking {directory.name}", total=len(parts), unit="parts")
        for kind in ("document", "question"):
            write[f"{kind}_offsets"].append(np.zeros(1, np.int64))
        ids, last = Ids(), 0
        for path in parts:
            last = _add_part(path, write, ids, last)
            shown.advance(task)
        found, said = (len(ids.documents), len(ids.questions)), _counts(manifest)
        if found != said:
            what = "the parts hold {:,} documents and {:,} questions, not {:,} and {:,}".format(
                *found, *said
            )
            raise UserError(what, where=directory / PARTS, fix=_AGAIN)
        both = {"documents": ids.documents, "questions": ids.questions}
        (temporary / IDS).write_text(json.dumps(both), encoding="utf-8")
        stack.close()  # the arrays are whole from here on
        files = {file.name: described(file) for file in sorted(temporary.iterdir())}
        about = {key: value for key, value in manifest.items() if key != "parts"}
        about |= {"format": ARRAYS_FORMAT, "parts_sha256": made_from, "files": files}
        write_json(temporary / META, about)


def _add_part(path: Path, write: dict[str, GrowingArray], ids: Ids, last: int) -> int:
    """Append a part's blocks to the arrays; returns the document of its last question."""
    with opened(path) as stream:
        try:
            while found := read_block(stream):
                last = _add_block(*found, write, ids, last)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as problem:
            raise UserError(f"is not a part ({problem})", where=path, fix=_AGAIN) from None
    return last


def _add_block(
    arrays: Arrays,
    documents: list[str],
    questions: list[str],
    write: dict[str, GrowingArray],
    ids: Ids,
    last: int,
) -> int:
    owners = owners_of(arrays.pop("question_document"), last)
    before = len(ids.questions)
    ids.add(documents, questions, owners)
    keys = map(key_of, ids.questions[before:])
    write["question_keys"].append(np.fromiter(keys, np.uint64, len(questions)))
    write["question_document"].append(owners)
    write["question_answer"].append(arrays.pop("question_answer").astype(np.int64) - 1)
    for kind in ("document", "question"):
        write[f"{kind}_offsets"].append_lengths(arrays.pop(f"{kind}_lengths").astype(np.int64))
    for name, values in arrays.items():
        write[name].append(values)
    return int(owners[-1]) if len(owners) else last


def _counts(manifest: dict[str, Any]) -> tuple[int, int]:
    return manifest["documents"], manifest["questions"]


class _Manifest(Shape):
    documents: NonNegativeInt
    questions: NonNegativeInt
    parts: dict[Annotated[str, Field(pattern=r"^part-\d{5}\.zst$")], FileShape]
    vocabulary_sha256: str
    pieces: bool = False

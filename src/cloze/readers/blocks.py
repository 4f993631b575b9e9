"""A block: some documents and questions of an encoded split as bytes, and back.

    8 bytes     the length of the header
    header      JSON: the name, length and bits of each array, and the ids of the texts
    arrays      one after the other, as `bits` packs them

What can be computed is not stored: offsets follow from lengths, a question's key from its id. The
id of a question usually begins with that of its document, and then only its end is stored.
"""

import json
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from cloze.readers import bits
from cloze.readers.encoded import EncodedSplit

_MOST = 1 << 31  # bytes of a header or an array; a block is a thousandth of this
_STEP = 1 << 20
_WHOLE, _END = "+", "="  # before an id that is stored whole, and before the end of one

Arrays = dict[str, np.ndarray]


class Ids:
    """The ids of all texts so far; those of questions are stored by those of documents."""

    def __init__(self, documents: Sequence[str] = (), questions: Sequence[str] = ()) -> None:
        self.documents, self.questions = list(documents), list(questions)

    def short(self, question: int, document: int) -> str:
        whole, start = self.questions[question], self.documents[document]
        return _END + whole[len(start) :] if whole.startswith(start) else _WHOLE + whole

    def add(self, documents: list[str], questions: list[str], owners: np.ndarray) -> None:
        self.documents += documents
        for short, owner in zip(questions, owners.tolist(), strict=True):
            start = self.documents[owner] if short[:1] == _END else ""
            self.questions.append(start + short[1:])


def block_of(split: EncodedSplit, ids: Ids, documents: range, questions: range) -> bytes:
    owners = split.question_document
    arrays = _arrays(split, documents, questions)
    widths = {name: bits.width(values) for name, values in arrays.items()}
    head = {
        "arrays": [[name, len(values), widths[name]] for name, values in arrays.items()],
        "documents": ids.documents[documents.start : documents.stop],
        "questions": [ids.short(q, int(owners[q])) for q in questions],
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    values = (bits.packed(values, widths[name]) for name, values in arrays.items())
    return len(text).to_bytes(8, "little") + text + b"".join(values)


def _arrays(split: EncodedSplit, documents: range, questions: range) -> Arrays:
    found: Arrays = {}
    for kind, some in (("document", documents), ("question", questions)):
        offsets = getattr(split, f"{kind}_offsets")[some.start : some.stop + 1]
        for name in (f"{kind}_tokens", f"{kind}_starts"):
            if getattr(split, name) is not None:
                found[name] = getattr(split, name)[offsets[0] : offsets[-1]]
        found[f"{kind}_lengths"] = np.diff(offsets)
    found["document_entities"] = split.document_entities[documents.start : documents.stop]
    own = slice(questions.start, questions.stop)
    found["question_answer"] = split.question_answer[own] + 1  # -1: unknown
    before = split.question_document[questions.start - 1] if questions.start else 0
    steps = np.diff(split.question_document[own].astype(np.int64), prepend=int(before))
    # 0 or 1, unless the questions are not in the order of the documents.
    found["question_document"] = np.remainder(steps, 1 << 32)
    return found


def read_block(stream: IO[bytes]) -> tuple[Arrays, list[str], list[str]] | None:
    """The next block's arrays and ids, None at the end. A ValueError: this is no block."""
    start = stream.read(8)
    if not start:
        return None
    head = json.loads(_exactly(stream, int.from_bytes(start, "little")))
    arrays = {}
    for name, count, width in head["arrays"]:
        if not (0 <= count < _MOST and 0 < width <= 32):
            raise ValueError(f"{count} numbers of {width} bits")
        data = _exactly(stream, bits.size(count, width))
        arrays[name] = bits.unpacked(data, count, width)
    return arrays, _texts(head["documents"]), _texts(head["questions"])


def owners_of(steps: np.ndarray, last: int) -> np.ndarray:
    """The documents of a block's questions, after a question about the document `last`."""
    return np.asarray((last + np.cumsum(steps, dtype=np.int64)) % (1 << 32))


def _exactly(stream: IO[bytes], count: int) -> bytes:
    """Without room for more than is there: what a head says may be wrong."""
    whole = bytearray()
    while len(whole) < count <= _MOST and (block := stream.read(min(count - len(whole), _STEP))):
        whole += block
    if len(whole) != count:
        raise ValueError("ends too early")
    return bytes(whole)


def _texts(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise ValueError("ids that are no texts")
    return values

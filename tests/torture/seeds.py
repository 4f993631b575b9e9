"""Files that once broke something, each with what is to be said about it.

The first column is the kind of file (`kinds.py`), the second the file of its scene, the third what
is put there. A text is what the refusal must hold; None: the file is read, its bad records left out.
"""

import gzip
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cloze.readers.vocabulary import FIRST_MARKER
from tests.torture.kept_work import PART
from tests.torture.kind import Kind, world_of

Made = bytes | Callable[[Path], bytes]  # of the world, where it depends on a good file


@dataclass(frozen=True)
class Seed:
    kind: str
    file: str
    content: Made
    said: str | None

    def bytes(self, scene: Path) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content(world_of(scene))

    def fits(self, kind: Kind) -> bool:
        return kind.name == self.kind and self.file in kind.files


def _record(**odd: object) -> bytes:
    record = {"id": "a", "article": "Mara Venn left.", "highlights": ["Mara Venn goes"], **odd}
    return json.dumps(record).encode() + b"\n"


def _lines() -> Iterator[Seed]:
    """Records that once ended a build: each is rejected, and the build goes on."""
    for odd in ({"highlights": 5}, {"url": "\ud800"}, {"date": "\udfff"}, {"article": [[]]}):
        yield Seed("JSON lines", "", _record(**odd), None)
    for line in (b"[" * 100_000, b"9" * 5000, b'{"article": "\xff", "highlights": [""]}', b"\0"):
        yield Seed("JSON lines", "", line, None)
    yield Seed("CSV", "", b"id,article,highlights,date\n1,a,b,\xff\n", None)
    yield Seed("CSV", "", b'id,"art\nicle"\n1,2\n', "has no column 'article'")


def _parquet() -> Iterator[Seed]:
    broken = pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())
    whole = io.BytesIO()
    pq.write_table(pa.table({"article": broken, "highlights": ["b"]}), whole)
    yield Seed("Parquet of stories", "", whole.getvalue(), None)
    yield Seed("Parquet of stories", "", b"PAR1" * 3, "is not a whole Parquet file")


def _with(table: str, column: str, values: Callable[[pa.Array], object]) -> Callable[[Path], bytes]:
    """A shard of the world's corpus with one column made anew."""

    def make(world: Path) -> bytes:
        found = pq.read_table(world / "corpus" / table)
        place = found.column_names.index(column)
        made = values(found.column(place).combine_chunks())
        whole = io.BytesIO()
        pq.write_table(found.set_column(place, column, made), whole)
        return whole.getvalue()

    return make


def _without_first(column: pa.Array) -> pa.Array:
    return pa.array([None, *column.to_pylist()[1:]], column.type)


def _shards() -> Iterator[Seed]:
    documents, questions = "documents/train-00000.parquet", "questions/train-00000.parquet"
    for column in ("id", "tokens", "surfaces", "spacing", "entities"):
        seed = _with(documents, column, _without_first)
        yield Seed("shard of documents", documents, seed, f"the column '{column}' has gaps")
    wide = _with(documents, "spacing", lambda c: pa.array([[9] * len(v) for v in c], c.type))
    yield Seed("shard of documents", documents, wide, "numbers that mean no spacing")
    short = _with(documents, "surfaces", lambda c: pa.array([v.as_py()[1:] for v in c], c.type))
    yield Seed("shard of documents", documents, short, "not one value for each token")
    other = _with(questions, "answer", lambda c: c.cast(pa.float64()))
    yield Seed("shard of questions", questions, other, "the column 'answer' is not one of int32")
    below = _with(questions, "answer", lambda c: pa.array([-5] * len(c), c.type))
    yield Seed("shard of questions", questions, below, "has numbers below 0")
    odd = _with(
        questions, "id", lambda c: pa.array([b"\xff"] * len(c), pa.binary()).view(pa.string())
    )
    yield Seed("shard of questions", questions, odd, "is not a whole Parquet file")


def _json() -> Iterator[Seed]:
    for kind, file in (
        ("manifest of a corpus", "corpus.json"),
        ("config of a model", "config.json"),
        ("made_from.json", "made_from.json"),
        ("meta.json", "train/meta.json"),
        ("word pieces", "pieces.json"),
        ("tokenizer", ""),
        ("config of an encoder", "config.json"),
        ("manifest of a checkpoint", "checkpoints/step-00000002/manifest.json"),
        ("record of a chunk", ".out.building/chunks/a.json"),
        ("identity of work", ".out.building/identity.json"),
    ):
        for content in (b"[" * 100_000, b"9" * 5000, b"{", b"\xff\xfe\0"):
            yield Seed(kind, file, content, "is not ")
    yield Seed("record of a chunk", ".out.building/chunks/a.json", b"{}", "has no 'input'")
    pieces = b'{"format": "cloze word pieces, format 1", "markers": 2}'
    yield Seed("word pieces", "pieces.json", pieces, "has no 'tokenizer'")
    yield Seed(
        "config of an encoder",
        "config.json",
        b'{"model_type": {}}',
        "is not the config of an encoder",
    )


def _configs() -> Iterator[Seed]:
    for text in (b"[" * 100_000, b"{a: " * 50_000, b"a: " + b"9" * 5000):
        yield Seed("training config", "", text, "is not valid YAML")
        yield Seed("search config", "search.yaml", text, "is not valid YAML")
        yield Seed("marked text", "text.yaml", text, "text with marked names")
    half = partial(_replaced, file="study/train.yaml", old=b"attentive", new=b'"\\uD800"')
    yield Seed("search config", "train.yaml", half, "holds text that is not UTF-8")
    yield Seed("training config", "", b"&a [*a]", "a config is a mapping")
    yield Seed("training config", "", b"run: {steps: 2020-99-99}", "run.steps")


def _arrays() -> Iterator[Seed]:
    head = b"{'descr': '<i4', 'fortran_order': False, 'shape': (1073741824,)}"
    npy = b"\x93NUMPY\x01\x00"
    for text in (head, b"(" * 3000, b""):
        content = npy + len(text).to_bytes(2, "little") + text
        yield Seed("array", "train/document_entities.npy", content, "truncated or not a .npy file")
    large = _npy(np.full(6, 2**30, np.int32))
    yield Seed("array", "train/document_entities.npy", large, "numbers that no text has")
    for kind, place in (("document", "encoded"), ("question", "encoded"), ("document", "pieces")):
        made = partial(_with_another_name, kind=kind, encoded=place)
        which = "array" if place == "encoded" else "array of pieces"
        yield Seed(which, f"train/{kind}_tokens.npy", made, "an entity that is not in the document")
    for first in (0, 2):
        made = partial(_with_first, name="document_starts", number=first)
        said = "does not say where tokens begin"
        yield Seed("array of pieces", "train/document_starts.npy", made, said)


def _with_another_name(world: Path, kind: str, encoded: str) -> bytes:
    """The first token of a text names an entity that only other documents have."""
    folder = world / encoded / "train"
    entities = np.load(folder / "document_entities.npy")
    if kind == "question":
        entities = entities[np.load(folder / "question_document.npy")]
    text = int(entities.argmin())
    tokens = np.load(folder / f"{kind}_tokens.npy")
    tokens[np.load(folder / f"{kind}_offsets.npy")[text]] = FIRST_MARKER + entities[text]
    return _npy(tokens)


def _with_first(world: Path, name: str, number: int) -> bytes:
    array = np.load(world / "pieces" / "train" / f"{name}.npy")
    array[0] = number
    return _npy(array)


def _zip(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with ZipFile(whole, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return whole.getvalue()


def _npy(array: np.ndarray) -> bytes:
    whole = io.BytesIO()
    np.save(whole, array)
    return whole.getvalue()


def _tensors() -> Iterator[Seed]:
    """Weights in a type that the file can name and NumPy cannot; scales that no weights fit."""
    odd = partial(_other_head, old=b'"I8"', new=b'"F8_E4M3"')
    yield Seed("tagger", "tagger.safetensors", odd, "is stored as torch.float8_e4m3fn")
    old, new = b'"I8","shape":[0,24]', b'"F16","shape":[24,0]'
    odd = partial(_other_head, old=old, new=new)
    yield Seed("tagger", "tagger.safetensors", odd, "'layers.0.qkv.b'")


def _other_head(world: Path, old: bytes, new: bytes) -> bytes:
    content = (world / "tagger" / "tagger.safetensors").read_bytes()
    size = int.from_bytes(content[:8], "little")
    head = content[8 : 8 + size].replace(old, new).rstrip()
    return len(head).to_bytes(8, "little") + head + content[8 + size :]


def _kept() -> Iterator[Seed]:
    """Work that is kept for a later run, and has changed meanwhile."""
    for kind, file in (
        ("plan of a sharded build", "plan.json"),
        ("layout of the shards", "layout.json"),
        ("run of hashes", "hashes/00000.run"),
        ("ids seen before", "duplicates.npy"),
        ("record of a shard", "records/train-00000.json"),
        ("answers to a chunk", PART),
    ):
        yield Seed(kind, file, b"{}", "is truncated or was altered")
    other = partial(_replaced, file="work/.out.building/chunks/a.json", old=b"train", new=b"valid")
    yield Seed("record of a chunk", ".out.building/chunks/a.json", other, "was altered")
    yield Seed("hosts of a corpus", "hosts.json", b'{"a.org": 3}', "should be a valid dictionary")


def _replaced(world: Path, file: str, old: bytes, new: bytes) -> bytes:
    return (world / file).read_bytes().replace(old, new)


def _sqlite() -> Iterator[Seed]:
    """Values that SQLite takes and that no program wrote."""
    for odd in (
        "update robots set body = 4000000000",
        "update addresses set outcome = 'odd'",
        "update addresses set address = x'ff' where number = 3",
        "update facts set value = '{'",
    ):
        made = partial(_executed, file="fetched/account.sqlite", statement=odd)
        yield Seed(
            "account of pages", "account.sqlite", made, "holds values that the account cannot have"
        )
    for odd in ("update replies set text = x'33'", "update replies set tries = -1"):
        made = partial(_executed, file="replies/replies.sqlite", statement=odd)
        yield Seed("replies", "replies.sqlite", made, "holds values that replies cannot have")


def _executed(world: Path, file: str, statement: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize((world / file).read_bytes().replace(_WAL, _PLAIN, 1))
        base.execute(statement)
        base.commit()
        return base.serialize()


# In the head of a file: whether changes are appended to a log, which memory cannot have.
_WAL, _PLAIN = b"SQLite format 3\0\x10\0\2\2", b"SQLite format 3\0\x10\0\1\1"


def _others() -> Iterator[Seed]:
    for content in (b"odd", b"PK\5\6" + bytes(18), _zip({"candidates.npy": b"odd"})):
        yield Seed("answers of a teacher", "", content, "holds no answers of a teacher")
    card = b"---\nodd: " + b"[" * 3000 + b"\n---\n# Reader\n"
    yield Seed("card of a model", "README.md", card, "is not YAML")
    large = b"\xff\xff\xff\x7f" + bytes(4) + b"{"
    part = bytes(pa.Codec("zstd").compress(large))
    yield Seed("part of a split", "train/part-00000.zst", part, "is not a part (ends too early)")
    digits = b"{{ " + b"9" * 5000 + b" }}"
    yield Seed("prompt template", "", digits, "the prompt template is not valid")
    strange = gzip.compress(b"no record")
    pages = "pages-00000.warc.gz"
    yield Seed(
        "WARC that grows", pages, lambda w: (w / "fetched" / pages).read_bytes() + strange, None
    )
    yield Seed("gold", "news.gold.jsonl", b"{}\n", "has no 'id'")
    yield Seed("gold", "news.gold.jsonl", b'{"id": "s1", "article": []}\n', "fewer lines")
    yield Seed("gold", "news.gold.jsonl", b'{"id": "s1", "article": [[0, 1]]}\n', "article.0")
    journal = "search/journal.log"
    yield Seed("journal of a search", journal, b"odd\n", "is not valid JSON")
    yield Seed("journal of a search", journal, b'{"odd": 1}\n', "is not the journal of a search")
    two = partial(_replaced, file=f"study/{journal}", old=b'"values":[', new=b'"values":[2e21,')
    yield Seed("journal of a search", journal, two, "values")
    head = "# cloze vocabulary, format 1\n# " + "9" * 5000 + " markers, 1 words with their counts\n"
    yield Seed("vocabulary", "vocabulary.txt", f"{head}a\t1\n".encode(), "how many markers")
    big = "@entity4294967296"
    question = f"u\n\n{big} ran .\n\n@placeholder ran\n\n{big}\n\n{big}:Mara"
    yield Seed("question file", "train/one.question", question.encode(), None)
    yield Seed("spans", "", b'{"id": "s1", "article": [[0, 1e0, "ORG"]]}', "the spans of a story")


SEEDS: tuple[Seed, ...] = (
    *(
        *_lines(),
        *_parquet(),
        *_shards(),
        *_json(),
        *_configs(),
        *_arrays(),
        *_tensors(),
        *_kept(),
        *_sqlite(),
        *_others(),
    ),
)

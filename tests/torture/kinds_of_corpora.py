"""What `cloze stats`, `encode`, `export`, `import`, `evaluate` and `report` read of corpora."""

import json
from pathlib import Path

import pyarrow.parquet as pq

from cloze.answering import answers
from cloze.baselines import BASELINES
from cloze.builder.build_report import Report
from cloze.corpus.exchange import _files, _published, import_questions
from cloze.corpus.question_files import parse
from cloze.corpus.shards import UNREADABLE
from cloze.corpus.statistics import measure
from cloze.corpus.statistics_table import tables
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.evaluation.causes import Article, Reading
from cloze.files import described
from cloze.finding import find
from cloze.names.language import load_language
from cloze.readers.columns import token_columns
from cloze.readers.encode_corpus import encode_corpus
from cloze.tables import as_text
from tests.torture.clean import removed
from tests.torture.kind import Kind
from tests.torture.mutated_archives import members_changed, tar_changed
from tests.torture.mutated_json import json_changed
from tests.torture.mutated_tables import table_changed
from tests.torture.mutations import any_of, bytes_changed, text_changed

SHARDS = ("documents/train-00000.parquet", "questions/train-00000.parquet")


def _sign(folder: Path, name: str) -> None:
    """The manifest agrees with the shard: whoever wrote it wrote both."""
    path = folder / "corpus.json"
    manifest = json.loads(path.read_text())
    kind = name.partition("/")[0]
    file = manifest["files"][name]
    file |= described(folder / name)
    try:
        rows = pq.read_metadata(folder / name).num_rows
    except UNREADABLE:
        rows = file["rows"]
    manifest["splits"]["train"][kind] = file["rows"] = rows
    path.write_text(json.dumps(manifest))


def _stats(folder: Path) -> None:
    for table in tables(measure(Corpus.open(folder))):
        as_text(table)


def _told(folder: Path) -> None:
    """What a build tells about a corpus that a killed one had finished."""
    Report.of(Corpus.open(folder)).table()


def _read(folder: Path) -> None:
    """Column by column, as `cloze encode` reads, and row by row, as most commands do."""
    corpus = Corpus.open(folder)
    try:
        for path in corpus.shards("train")[0]:
            for _ in token_columns(path):
                pass
    except UserError as problem:
        assert str(problem)
    for _ in corpus.read("train"):
        pass


def _use(folder: Path) -> None:
    """What the commands do with a corpus; one that is refused does not spare it the next."""
    for step in (_stats, _encode, _answer, _export):
        try:
            step(folder)
        except UserError as problem:
            told = str(problem)
            assert "\n" not in told, told


def _encode(folder: Path) -> None:
    with removed(folder.with_name("made")) as out:
        encode_corpus(folder, out)


def _answer(folder: Path) -> None:
    language = load_language("en")
    for baseline in sorted(BASELINES.keys() - {"frame-semantic"}):  # which parses every sentence
        points = Corpus.open(folder).read("train")
        for document, questions, rankings in answers(find(baseline), points):
            article = Article(document, language)
            for question, ranking in zip(questions, rankings, strict=True):
                if len(ranking.candidates):
                    Reading(article, question).cause(ranking.answer)


def _export(folder: Path) -> None:
    for file in _published(Corpus.open(folder).read("train")):
        assert file.content


def _parse(source: Path) -> None:
    for name, content in _files(source):
        try:
            if isinstance(content, bytes):
                parse(content, name)
        except UserError as problem:
            assert str(problem)


def _import(source: Path) -> None:
    with removed(source.with_name("made")) as out:
        import_questions(source, out, name="made")


_JSON = any_of(json_changed, json_changed, bytes_changed)
KINDS: tuple[Kind, ...] = (
    Kind("manifest of a corpus", "corpus", ("corpus.json",), json_changed, _stats, _told),
    Kind("hosts of a corpus", "paged", ("hosts.json",), _JSON, _told),
    *(
        Kind(
            name,
            "corpus",
            (file,),
            any_of(table_changed, table_changed, bytes_changed),
            _read,
            _use,
            _sign,
        )
        for name, file in zip(("shard of documents", "shard of questions"), SHARDS, strict=True)
    ),
    Kind("question file", "one-question", ("train/one.question",), text_changed, _parse, _import),
    Kind(
        "tar of questions",
        "few-questions.tar",
        ("",),
        any_of(tar_changed, members_changed, bytes_changed),
        _parse,
        _import,
    ),
)

"""What others read of our exports, with parsers written from the descriptions of the formats."""

import hashlib
import tarfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
import yaml

from cloze.corpus.danqi import export_danqi
from cloze.corpus.exchange import export_questions, import_questions
from cloze.corpus.joined import export_joined
from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.errors import UserError
from tests.conftest import document_of, question_of

Facts = set[tuple[str, str, str]]  # context, question, answer
SPLITS = {"train": "training", "valid": "validation", "test": "test"}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Three splits, with odd characters in words and names."""
    path = tmp_path / "corpus"
    for number, split in enumerate(SPLITS):
        points = []
        for k in range(3 + number):
            text = (
                f"in {split} {k} @entity4 met @entity2 : \u2028 near @entity11 \u00a0 it : rained"
            )
            document = document_of(text, f"{split}{k}")
            asked = [
                question_of("@placeholder met @entity2", 4, document, 0),
                question_of("@entity4 met : @placeholder", 2, document, 1),
            ]
            points.append((document, asked))
        write_shard(path, split, 0, points)
    return write_manifest(path, name="odd: names", options={})


def facts(corpus: Corpus, split: str) -> Facts:
    return {
        (document.context.anonymised, question.query.anonymised, f"@entity{question.answer}")
        for document, questions in corpus.read(split)
        for question in questions
    }


def lines_of(path: Path) -> list[str]:
    """Lines end with a line feed, as readline has it."""
    with path.open(encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def test_the_published_folders_hold_a_file_for_each_question(
    corpus: Corpus, tmp_path: Path
) -> None:
    """URL, blank, context, blank, question, blank, answer, blank, then marker:name lines."""
    export_questions(corpus, tmp_path / "cnn", corpus.splits)
    folder = tmp_path / "cnn" / "questions"
    assert sorted(f.name for f in folder.iterdir()) == sorted(SPLITS.values())
    for split, published in SPLITS.items():
        found = set()
        for path in (folder / published).glob("*.question"):
            lines = lines_of(path)
            assert [lines[k] for k in (1, 3, 5, 7)] == [""] * 4
            markers = [line.split(":")[0] for line in lines[8:]]
            assert set(markers) == {t for t in lines[2].split(" ") if t.startswith("@entity")}
            assert lines[6] in markers
            assert path.stem == hashlib.sha1(path.read_bytes()).hexdigest()
            found.add((lines[2], lines[4], lines[6]))
        assert found == facts(corpus, split)


def test_a_folder_called_questions_is_the_published_one(corpus: Corpus, tmp_path: Path) -> None:
    export_questions(corpus, tmp_path / "questions", ["valid"])
    assert [f.name for f in (tmp_path / "questions").iterdir()] == ["validation"]


def test_a_tar_has_the_published_folders(corpus: Corpus, tmp_path: Path) -> None:
    export_questions(corpus, tmp_path / "cnn.tar", corpus.splits)
    with tarfile.open(tmp_path / "cnn.tar") as tar:
        folders = {Path(name).parent.as_posix() for name in tar.getnames()}
    assert folders == {f"questions/{name}" for name in SPLITS.values()}


def test_the_folders_of_earlier_versions_are_imported(corpus: Corpus, tmp_path: Path) -> None:
    export_questions(corpus, tmp_path / "questions", corpus.splits)
    for split, published in SPLITS.items():
        (tmp_path / "questions" / published).rename(tmp_path / "questions" / split)
    import_questions(tmp_path / "questions", tmp_path / "back", name="back", strict=True)
    back = Corpus.open(tmp_path / "back")
    assert back.splits == list(SPLITS)
    assert all(facts(back, split) == facts(corpus, split) for split in SPLITS)


def test_the_four_line_form(corpus: Corpus, tmp_path: Path) -> None:
    """Question, answer, article, a blank line; and again, to the end of the file."""
    export_danqi(corpus, tmp_path / "chen", corpus.splits)
    for split, name in {"train": "train", "valid": "dev", "test": "test"}.items():
        lines = lines_of(tmp_path / "chen" / f"{name}.txt")
        assert len(lines) % 4 == 0
        assert set(lines[3::4]) == {""}
        questions, answers, articles = lines[0::4], lines[1::4], lines[2::4]
        for answer, article in zip(answers, articles, strict=True):
            assert answer in article.split(" ")
        assert set(zip(articles, questions, answers, strict=True)) == facts(corpus, split)


def test_the_four_line_form_leaves_out_what_its_readers_refuse(tmp_path: Path) -> None:
    document = document_of("@entity1 was there", "d")
    absent = question_of("@placeholder was not", 7, document, 0)
    asked = [absent, question_of("@placeholder was", 1, document, 1)]
    write_shard(tmp_path / "in", "test", 0, [(document, asked)])
    corpus = write_manifest(tmp_path / "in", name="in", options={})
    counts = export_danqi(corpus, tmp_path / "out", ["test"])
    assert counts == {"questions": 1, "answer not in the article": 1}
    written = (tmp_path / "out" / "test.txt").read_text(encoding="utf-8")
    assert written == "@placeholder was\n@entity1\n@entity1 was there\n\n"


def test_one_table_with_everything(corpus: Corpus, tmp_path: Path) -> None:
    counts = export_joined(corpus, tmp_path / "table", corpus.splits)
    assert counts["questions"] == sum(corpus.count(split) for split in SPLITS)
    head = yaml.safe_load((tmp_path / "table" / "README.md").read_text("utf-8").split("---\n")[1])
    (config,) = head["configs"]  # with one, nobody has to name it
    files = {entry["split"]: entry["path"] for entry in config["data_files"]}
    assert list(files) == ["train", "validation", "test"]
    for split, path in zip(SPLITS, files.values(), strict=True):
        asked = f"SELECT * FROM '{tmp_path / 'table' / path}'"
        table = duckdb.sql(asked).to_arrow_table().to_pylist()
        assert {(r["context"], r["question"], r["answer"]) for r in table} == facts(corpus, split)
        for row in table:
            assert row["candidates"] == ["@entity4", "@entity2", "@entity11"]
            assert len(row["names"]) == 3
            assert row["answer"] in row["candidates"]


def test_the_card_of_the_table_holds_a_query_that_runs(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_joined(corpus, tmp_path / "table", corpus.splits)
    card = (tmp_path / "table" / "README.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path / "table")
    rows = duckdb.sql(card.split("```sql\n")[1].split("```")[0]).fetchall()
    assert len(rows) == 24
    assert set(rows) == {("@placeholder met @entity2", "@entity4", 3)} | {
        ("@entity4 met : @placeholder", "@entity2", 3)
    }


@pytest.mark.parametrize("export", [export_questions, export_danqi, export_joined])
def test_splits_that_would_share_a_name_are_refused(
    export: Callable[..., object], tmp_path: Path
) -> None:
    other = {export_questions: "validation", export_danqi: "dev", export_joined: "validation"}
    for split in ("valid", other[export]):
        document = document_of("@entity1 left", split)
        points = [(document, [question_of("@placeholder left", 1, document, 0)])]
        write_shard(tmp_path / "in", split, 0, points)
    corpus = write_manifest(tmp_path / "in", name="in", options={})
    with pytest.raises(UserError, match="would both be called"):
        export(corpus, tmp_path / "out", corpus.splits)
    assert not (tmp_path / "out").exists()
    export(corpus, tmp_path / "out", ["valid"])

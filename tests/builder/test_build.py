"""Whole builds: counts that add up, bytes that do not depend on workers, bad input."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cloze.builder.build import REJECTS, build
from cloze.builder.build_input import Source, parse_sources
from cloze.builder.build_report import Report
from cloze.cli.main import app
from cloze.corpus.statistics import measure
from cloze.corpus.statistics_table import tables
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.tables import as_markdown
from tests.builder.newsroom_source import all_bytes, write_source


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    stories, spans = write_source(tmp_path_factory.mktemp("news"), 60)
    return Source(stories, None, spans)


def run(source: Source, out: Path, **options: object) -> Report:
    return build([source], out, name="news", stories_a_shard=8, **options)  # type: ignore[arg-type]


def test_a_corpus_comes_out(source: Source, tmp_path: Path) -> None:
    report = run(source, tmp_path / "c", workers=1)
    assert report.stories == 60
    assert report.documents.total() == 60
    corpus = Corpus.open(tmp_path / "c")
    assert set(corpus.splits) == {"train", "valid", "test"}
    assert sum(corpus.count(split) for split in corpus.splits) == report.questions.total()
    assert report.questions.total() > 200
    for split in corpus.splits:
        for document, questions in corpus.read(split):
            assert questions
            assert all(f"@entity{q.answer}" in document.context.tokens for q in questions)
            assert all(q.query.tokens.count("@placeholder") == 1 for q in questions)
    card = (tmp_path / "c" / "README.md").read_text()
    measured = measure(corpus)  # the card was added up by the workers
    for table in tables(measured):
        assert as_markdown(table) in card
    again = Report.of(corpus)
    assert (again.stories, again.documents, again.questions, again.left_out()) == (
        report.stories,
        report.documents,
        report.questions,
        report.left_out(),
    )
    assert not list(tmp_path.glob(".*"))  # no work left behind


def test_bytes_do_not_depend_on_the_number_of_workers(source: Source, tmp_path: Path) -> None:
    run(source, tmp_path / "a" / "c", workers=1)
    run(source, tmp_path / "b" / "c", workers=3)
    assert all_bytes(tmp_path / "a" / "c") == all_bytes(tmp_path / "b" / "c")


def test_an_existing_corpus_is_not_overwritten_unasked(source: Source, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "precious").write_text("x")
    with pytest.raises(UserError, match="already exists"):
        run(source, tmp_path / "c", workers=1)
    assert (tmp_path / "c" / "precious").read_text() == "x"
    assert not list(tmp_path.glob(".*"))
    run(source, tmp_path / "c", workers=1, overwrite=True)
    assert not (tmp_path / "c" / "precious").exists()
    Corpus.open(tmp_path / "c")


def bad_stories(folder: Path) -> Source:
    good = {"article": "So Ann Tillow left Zembla.", "highlights": ["Ann Tillow leaves"]}
    records = [
        good | {"id": "good"},
        good | {"id": "good"},
        good | {"id": "no highlights", "highlights": []},
        good | {"id": "empty", "article": "  "},
        good | {"id": "long", "article": "word " * 200_000},
        good | {"id": "nothing", "highlights": ["It rains"]},
    ]
    lines = [json.dumps(record).encode() for record in records]
    (folder / "bad.jsonl").write_bytes(b"\n".join([*lines, b'{"id": "\xff"}', b"{"]))
    spans = [
        {"id": r["id"], "article": [], "highlights": [[]] * len(r["highlights"])} for r in records
    ]
    for record in spans[:2]:
        record |= {"article": [[3, 13, "PERSON"]], "highlights": [[[0, 10, "PERSON"]]]}
    (folder / "spans.jsonl").write_text("\n".join(json.dumps(record) for record in spans))
    return Source(folder / "bad.jsonl", "train", folder / "spans.jsonl")


def test_every_story_is_a_document_or_a_reject_with_a_reason(tmp_path: Path) -> None:
    report = run(bad_stories(tmp_path), tmp_path / "c", workers=1)
    assert report.stories == 8
    assert report.documents == {"train": 1}
    assert report.rejects == {
        "train": {
            "id seen before": 1,
            "no highlights": 1,
            "empty article": 1,
            "over 2,000 tokens": 1,
            "no answerable question": 1,
            "invalid UTF-8": 1,
            "invalid JSON": 1,
        }
    }
    lines = (tmp_path / "c" / REJECTS).read_text().splitlines()
    told = {json.loads(line)["where"]: json.loads(line)["reason"] for line in lines}
    assert told["long"] == "over 2,000 tokens"
    assert told["bad.jsonl, line 7"] == "invalid UTF-8"
    assert len(lines) == 7
    assert Corpus.open(tmp_path / "c").manifest["rejects"]["train"]["invalid JSON"] == 1
    assert "1 stories rejected: id seen before (train)" in report.table()
    assert Report.of(Corpus.open(tmp_path / "c")).table() == report.table()  # as after a kill


def test_a_date_is_needed_to_split_by_month(tmp_path: Path) -> None:
    source = bad_stories(tmp_path)
    undated = Source(source.stories, None, source.spans)
    with pytest.raises(UserError, match="6 no date to split by, 1 invalid UTF-8, 1 invalid JSON"):
        run(undated, tmp_path / "c", workers=1, split_rule="months:valid=2015-03")


def test_when_nothing_comes_out_nothing_is_written(tmp_path: Path) -> None:
    stories = write_lines(tmp_path / "s.jsonl", {"text": "x", "points": ["y"]})
    with pytest.raises(UserError, match=r"of 1 stories none .* \(1 no article\); say what the col"):
        run(Source(stories, "train", write_lines(tmp_path / "x.jsonl")), tmp_path / "c", workers=1)
    empty = write_lines(tmp_path / "e.jsonl")
    with pytest.raises(UserError, match="there are none"):
        run(Source(empty, "train", write_lines(tmp_path / "x.jsonl")), tmp_path / "c", workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.jsonl", "s.jsonl", "x.jsonl"]


def write_lines(path: Path, *records: object) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


def test_spans_that_do_not_fit(tmp_path: Path) -> None:
    story = {"id": "a", "article": "Ann left.", "highlights": ["Ann leaves"]}
    stories = write_lines(tmp_path / "s.jsonl", story)

    def complaint(*spans: object) -> str:
        path = write_lines(tmp_path / "x.jsonl", *spans)
        with pytest.raises(UserError) as caught:
            run(Source(stories, "train", path), tmp_path / "c", workers=1)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["s.jsonl", "x.jsonl"]
        return str(caught.value)

    assert "holds the spans of story b instead of story a" in complaint(
        {"id": "b", "article": [], "highlights": [[]]}
    )
    assert "do not fit its text" in complaint(
        {"id": "a", "article": [[0, 99, "ORG"]], "highlights": [[]]}
    )
    assert "do not fit its text" in complaint({"id": "a", "article": [], "highlights": []})
    assert "line 1 does not hold the spans" in complaint({"id": "a"})
    assert "ends before story a" in complaint()


def test_sources_as_they_are_written_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "spans").mkdir()
    (tmp_path / "a=b.jsonl").write_text("")
    plain, named = parse_sources(
        [str(tmp_path / "a=b.jsonl"), "valid=news/v.jsonl.zst"], [tmp_path / "spans"]
    )
    assert plain == Source(tmp_path / "a=b.jsonl", None, tmp_path / "spans" / "a=b.jsonl")
    assert named == Source(Path("news/v.jsonl.zst"), "valid", tmp_path / "spans" / "v.jsonl.zst")
    with pytest.raises(UserError, match="2 sources but 1 files of spans"):
        parse_sources(["a", "b"], [Path("x")])
    with pytest.raises(UserError, match="not a name for a split"):
        parse_sources(["Va lid=a"], [])


def test_the_command(source: Source, tmp_path: Path) -> None:
    out = tmp_path / "c"
    arguments = ["build", f"test={source.stories}", str(out), "--spans", str(source.spans)]
    result = CliRunner().invoke(app, [*arguments, "--workers", "1"], catch_exceptions=False)
    assert "60 stories in" in result.output
    assert "60 documents out in test" in result.output
    assert Corpus.open(out).count("test", "documents") == 60

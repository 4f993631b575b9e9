import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from cloze.corpus.card import write_card
from cloze.corpus.statistics import measure
from cloze.corpus.store import Corpus, write_manifest, write_shard
from cloze.document import Document, Entity, Point, Question
from cloze.errors import UserError
from cloze.text import Text

Make = Callable[..., Path]


def test_what_was_written_is_read(make_corpus: Make) -> None:
    corpus = Corpus.open(make_corpus(documents=3))
    assert corpus.splits == ["train", "valid"]
    assert corpus.count("valid") == 6
    assert corpus.count("valid", "documents") == 3
    points = list(corpus.read("valid"))
    assert [document.id for document, _ in points] == ["valid0", "valid1", "valid2"]
    document, questions = points[1]
    assert document.context.anonymised == "the @entity0 train of @entity1 number 1 met @entity2 ."
    assert document.context.original.startswith("the Mara Venn train of Ostrava Rail")
    assert document.name_of(2) == "Tobias Lund"
    assert [q.answer for q in questions] == [0, 2]
    assert questions[1].query.original == "Mara Venn met Tobias Lund"


def test_the_same_points_give_the_same_bytes(make_corpus: Make, tmp_path: Path) -> None:
    corpus = Corpus.open(make_corpus(documents=4))
    write_shard(tmp_path / "again", "valid", 0, corpus.read("valid"))
    for kind in ("documents", "questions"):
        again = (tmp_path / "again" / kind / "valid-00000.parquet").read_bytes()
        assert again == (corpus.path / kind / "valid-00000.parquet").read_bytes()


def test_a_document_without_questions_is_kept(make_corpus: Make, tmp_path: Path) -> None:
    points = [(document, []) for document, _ in Corpus.open(make_corpus()).read("train")]
    write_shard(tmp_path / "bare", "train", 0, points)
    write_manifest(tmp_path / "bare", name="bare", options={})
    assert [(d.id, q) for d, q in Corpus.open(tmp_path / "bare").read("train")] == [
        ("train0", []),
        ("train1", []),
        ("train2", []),
    ]


def test_duckdb_reads_it_without_us(make_corpus: Make) -> None:
    path = make_corpus(documents=3)
    corpus = Corpus.open(path)
    write_card(corpus, measure(corpus))
    card = (path / "README.md").read_text()
    query = card.split("```sql\n")[1].split("```")[0].replace("FROM '", f"FROM '{path}/")
    rows = duckdb.sql(query.replace("JOIN '", f"JOIN '{path}/")).fetchall()
    assert len(rows) == 6
    assert ("@entity0 met @placeholder", "@entity2") in {row[:2] for row in rows}


def test_the_card_names_every_split_for_dataset_loaders(make_corpus: Make) -> None:
    import yaml

    path = make_corpus()
    corpus = Corpus.open(path)
    write_card(corpus, measure(corpus))
    head = yaml.safe_load((path / "README.md").read_text().split("---\n")[1])
    for config in head["configs"]:
        for entry in config["data_files"]:
            assert list(path.glob(entry["path"])), entry


def test_a_hostile_name_breaks_neither_head_nor_text_of_the_card(make_corpus: Make) -> None:
    import yaml

    hostile = 'evil: "x"\n---\n# Another card <script>'
    path = make_corpus()
    write_manifest(path, name=hostile, options={}, rejects={"valid": {"no | gap\n": 3}})
    corpus = Corpus.open(path)
    write_card(corpus, measure(corpus))
    _, head, text = (path / "README.md").read_text().split("---\n", 2)
    assert yaml.safe_load(head)["pretty_name"] == hostile
    assert '\n# evil: "x" --- # Another card \\<script>\n' in text
    assert "\n| valid | no \\| gap | 3 |\n" in text


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda file: file.unlink(), "missing"),
        (lambda file: file.write_bytes(file.read_bytes()[:-20]), "truncated"),
        (lambda file: _flip(file), "altered"),
        (lambda file: file.write_bytes(file.read_bytes() + b"x"), "altered"),
    ],
)
def test_a_harmed_shard_is_named(
    make_corpus: Make, harm: Callable[[Path], None], message: str
) -> None:
    path = make_corpus()
    harm(path / "questions" / "valid-00000.parquet")
    with pytest.raises(UserError, match=rf"questions/valid-00000\.parquet.*{message}"):
        Corpus.open(path)


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))


def test_wrong_folders(tmp_path: Path, make_corpus: Make) -> None:
    with pytest.raises(UserError, match="no such corpus folder"):
        Corpus.open(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="is empty"):
        Corpus.open(tmp_path / "empty")
    path = make_corpus()
    (path / "corpus.json").write_text('{"format": 99}')
    with pytest.raises(UserError, match="format 99"):
        Corpus.open(path)
    (path / "corpus.json").write_text("{")
    with pytest.raises(UserError, match="not valid JSON"):
        Corpus.open(path)


def test_an_unknown_split_names_the_known_ones(make_corpus: Make) -> None:
    with pytest.raises(UserError, match="no split 'test'; it has train, valid"):
        list(Corpus.open(make_corpus()).read("test"))


def test_reading_a_large_corpus_stays_small(tmp_path: Path) -> None:
    """4,000 documents of 800 tokens: as Python objects over 1 GB, streamed under 300 MB."""

    def points() -> Iterator[Point]:
        for k in range(4000):
            words = [f"w{k}x{i}" for i in range(800)]
            query = Text(words[:15], words[:15], [1] * 15)
            asked = [Question(f"{k}-{i}", str(k), query, 0) for i in range(4)]
            context = Text(words, words, [1] * 800)
            yield Document(str(k), context, (Entity(0, "Mara", "", ("Mara",)),)), asked

    write_shard(tmp_path, "train", 0, points())
    write_manifest(tmp_path, name="large", options={})
    script = f"""
import re
from cloze.corpus.store import Corpus
assert sum(len(q) for _, q in Corpus.open({str(tmp_path)!r}).read("train")) == 16000
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""
    peak = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert peak.returncode == 0, peak.stderr
    assert int(peak.stdout) < 300

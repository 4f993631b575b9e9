"""A share that is refused before anything is done leaves nothing beside the output."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cloze.builder.build_input import Source
from cloze.builder.recipe import Recipe
from cloze.builder.sharded.annotate import Annotation, annotate_share
from cloze.builder.sharded.annotate import finish as finish_spans
from cloze.builder.sharded.bucket_store import BucketStore
from cloze.builder.sharded.build import build_share, finish
from cloze.builder.sharded.folder_store import FolderStore
from cloze.builder.sharded.stores import Store
from cloze.builder.sharded.taking_back import taken_back
from cloze.builder.sources import Columns, Reading
from cloze.corpus.store import Corpus
from cloze.engines.processes import on_processes
from cloze.errors import UserError
from cloze.evaluation import shared
from cloze.evaluation.answer_parts import Who
from cloze.evaluation.run import Options
from cloze.names.language import RULES
from cloze.newsroom.corpus import write_newsroom
from cloze.readers.encode_corpus import Encoding, encode_corpus
from cloze.readers.encode_shards import encode_on, encode_share
from tests.builder.newsroom_source import write_source

HERE = on_processes(1)
PIPELINE = "rules:en"


def recipe(*sources: Source, split: str = "train", pipeline: str | None = None) -> Recipe:
    return Recipe(sources, "news", split, Columns(), pipeline, "en", RULES)


def annotation(source: Path) -> Annotation:
    return Annotation(source, PIPELINE, "en", Columns(), Reading(), "")


def nobody(work: Callable[..., Any], tasks: Sequence[Any]) -> Iterator[Any]:
    """An engine without workers."""
    raise UserError("no worker is left")


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """What is read lies elsewhere than what is made."""
    folder = tmp_path / "in"
    write_source(folder, 4)
    (folder / "cut.tar").write_bytes(b"no archive" * 100)
    (folder / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00 cut off")
    (tmp_path / "made").mkdir()
    return folder


def refuses(made: Path, does: Callable[[], object], saying: str | None = None) -> None:
    before = sorted(made.rglob("*"))
    with pytest.raises(UserError, match=saying):
        does()
    assert sorted(made.rglob("*")) == before


@pytest.mark.parametrize("second", ["nowhere.jsonl", "cut.tar"])
def test_a_source_after_a_good_one(tmp_path: Path, given: Path, second: str) -> None:
    made = recipe(Source(given / "news.jsonl"), Source(given / second), pipeline=PIPELINE)
    out = tmp_path / "made" / "corpus"
    refuses(out.parent, lambda: build_share(made, out, number=1, of=2, engine=HERE))
    refuses(out.parent, lambda: finish(made, out, overwrite=False, engine=HERE))


def test_a_list_of_a_split_that_is_not_there(tmp_path: Path, given: Path) -> None:
    source = Source(given / "news.jsonl", None, given / "spans.jsonl")
    made = recipe(source, split=f"ids:valid={given}/nowhere.txt")
    out = tmp_path / "made" / "corpus"
    refuses(out.parent, lambda: build_share(made, out, number=1, of=2, engine=HERE))


def test_a_pipeline_that_is_not_there(tmp_path: Path, given: Path) -> None:
    made = recipe(Source(given / "news.jsonl"), pipeline="nowhere")
    out = tmp_path / "made" / "corpus"
    refuses(out.parent, lambda: build_share(made, out, number=1, of=2, engine=HERE), "nowhere")


@pytest.mark.parametrize("name", ["cut.tar", "cut.jsonl.gz"])
def test_a_source_that_no_worker_can_read(tmp_path: Path, given: Path, name: str) -> None:
    out = tmp_path / "made" / "corpus"
    made = recipe(Source(given / name), pipeline=PIPELINE)
    refuses(out.parent, lambda: build_share(made, out, number=1, of=2, engine=HERE))
    refuses(out.parent, lambda: finish(made, out, overwrite=False, engine=HERE))
    spans, work = tmp_path / "made" / "spans.jsonl", annotation(given / name)
    refuses(out.parent, lambda: annotate_share(work, spans, number=1, of=2, engine=HERE))


def test_an_output_that_is_there(tmp_path: Path, given: Path) -> None:
    made = recipe(Source(given / "news.jsonl", None, given / "spans.jsonl"))
    out, spans = tmp_path / "made" / "corpus", tmp_path / "made" / "spans.jsonl"
    for place in (out / "mine", spans):
        place.parent.mkdir(exist_ok=True)
        place.write_text("mine")
    refuses(out.parent, lambda: finish(made, out, overwrite=False, engine=HERE), "already exists")
    work = annotation(given / "news.jsonl")
    refuses(
        out.parent,
        lambda: finish_spans(work, spans, overwrite=False, engine=HERE),
        "already exists",
    )


def test_an_engine_without_workers(tmp_path: Path, given: Path) -> None:
    write_newsroom(given / "corpus", count=2, held_out=1, seed=3)
    corpus, out = Corpus.open(given / "corpus"), tmp_path / "made" / "out"
    made = recipe(Source(given / "news.jsonl", None, given / "spans.jsonl"))
    encoding = Encoding(corpus)
    asked = shared.Asked([Who("maximum-frequency")], corpus, "valid", out.parent, Options())
    share = {"number": 1, "of": 2, "engine": nobody}
    ways: Sequence[Callable[[], object]] = [
        lambda: build_share(made, out, **share),
        lambda: finish(made, out, overwrite=False, engine=nobody),
        lambda: encode_share(encoding, out, None, **share),
        lambda: encode_on(encoding, out, None, engine=nobody),
        lambda: shared.answer_share(asked, **share),
        lambda: shared.finish(asked, engine=nobody),
    ]
    for way in ways:
        refuses(out.parent, way, "no worker is left")


def test_an_engine_without_workers_for_a_split_that_is_added(tmp_path: Path, given: Path) -> None:
    write_newsroom(given / "corpus", count=2, held_out=1, seed=3)
    out = tmp_path / "made" / "out"
    encode_corpus(given / "corpus", out, splits=["train"])
    encoding = Encoding(Corpus.open(given / "corpus"))
    refuses(out.parent, lambda: encode_on(encoding, out, ["valid"], engine=nobody), "no worker")


@pytest.fixture(params=["a folder", "a bucket"])
def stores(tmp_path: Path, request: pytest.FixtureRequest) -> Store:
    if request.param == "a folder":
        return FolderStore(tmp_path / "stores")
    pytest.importorskip("fsspec")
    return BucketStore(f"memory://{tmp_path}/stores")


def begun(store: Store) -> None:
    store.make()
    store.write("plan.json", b"{}")


def fail(stores: Store, store: Store) -> None:
    with pytest.raises(UserError, match="refused"), taken_back(stores, store):
        begun(store)
        with store.claim("shard 1 of 2"):
            raise UserError("refused")


def test_what_is_begun_in_vain_is_gone(stores: Store) -> None:
    fail(stores, stores.within("own"))
    assert stores.names("") == set()


def test_what_others_began_or_are_at_work_on_stays(stores: Store) -> None:
    others, own = stores.within("others"), stores.within("own")
    begun(others)
    fail(stores, others)
    assert others.has("plan.json")
    with contextlib.ExitStack() as other_machine:
        with pytest.raises(UserError, match="refused"), taken_back(stores, own):
            begun(own)
            other_machine.enter_context(own.claim("shard 2 of 2"))
            raise UserError("refused")
        assert own.has("plan.json")


def test_what_is_done_stays(stores: Store) -> None:
    store = stores.within("own")
    with pytest.raises(UserError, match="refused"), taken_back(stores, store):
        begun(store)
        store.write("survey/00000.parquet", b"done")
        raise UserError("refused")
    assert store.has("survey/00000.parquet")
    fail(stores, stores.within("another"))
    assert stores.names("") == {"own"}

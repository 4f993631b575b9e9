"""What sharded builds, `cloze ask --batch`, `fetch` and `evaluate --endpoint` keep and read again."""

import shutil
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

from protego import Protego

from cloze.ask.bulk import _digest
from cloze.ask.bulk_line import AskedLine, read_line
from cloze.builder.sharded.build import _gather
from cloze.builder.sharded.duplicates import find_duplicates
from cloze.builder.sharded.hashed_sources import HashedSources
from cloze.builder.sharded.layout import count_records, make_layout, read_layout, refused
from cloze.builder.sharded.pages import all_hosts
from cloze.builder.sharded.plan import span_ranges
from cloze.builder.sharded.records import all_kept, bring
from cloze.builder.sharded.shards import build_shards
from cloze.builder.sharded.stores import FolderStore
from cloze.builder.sharded.versions import check_begun
from cloze.builder.sources.fingerprint import Fingerprint
from cloze.builder.work_folder import work_folder
from cloze.compressed import lines
from cloze.corpus.store import Corpus
from cloze.document import Point
from cloze.errors import UserError
from cloze.fetching.account import Account
from cloze.fetching.fetch import Fetched, _put_down
from cloze.fetching.robots import allows, delay
from cloze.fetching.warcs import Warcs
from cloze.language_models.forms import Form, items
from cloze.language_models.prompts import Prompt
from cloze.language_models.replies import Replies
from cloze.language_models.request import request_for
from cloze.readers.encode_corpus import Encoding
from cloze.readers.encode_shards import _prepare
from cloze.readers.encode_worker import Work, made_encoder
from tests.torture.kept_work import MANNER, PART, bulk, language_model, plan, recipe
from tests.torture.kind import Kind, world_of
from tests.torture.mutated_archives import compressed
from tests.torture.mutated_arrays import array_changed
from tests.torture.mutated_json import json_changed, json_line_changed
from tests.torture.mutated_sqlite import sqlite_changed
from tests.torture.mutated_tables import table_changed
from tests.torture.mutations import Mutation, any_of, bytes_changed, text_changed


def _under_seal(change: Mutation) -> Mutation:
    """The content is spoilt in its own way, or any byte of the file, the seal's too."""

    def changed(content: bytes, random: Random) -> bytes:
        if random.random() < 0.3:
            return bytes_changed(content, random)
        seal, _, inside = content.partition(b"\n")
        return seal + b"\n" + change(inside, random)

    return changed


def _store(folder: Path) -> None:
    """Everything that --finish reads of the store."""
    read_layout.cache_clear()  # of the last input
    own = plan(world_of(folder), folder)
    own.check_versions()
    for shard in read_layout(own).shards:
        bring(own.store, shard.name, folder.with_name("made"))
    count_records(own)
    for _ in refused(own):
        pass
    all_hosts(own).table()
    for part in range(own.parts()):
        span_ranges(own, 0) if own.part(part)[0] == 0 else None
    (folder / "duplicates.npy").unlink()
    find_duplicates(own)


def _finish(folder: Path) -> None:
    """The corpus of the shards, and a share of the work, as far as it is not done."""
    read_layout.cache_clear()
    own = plan(world_of(folder), folder)
    read = {path: Fingerprint.of(path) for path in own.work.paths()}
    with work_folder(folder.with_name("corpus"), own.work.identity(read)) as work:
        _gather(own, work, read)
    for name in ("layout.json", "records/train-00000.json", "records/valid-00000.json"):
        (folder / name).unlink()
    read_layout.cache_clear()
    make_layout(own)
    build_shards(own, range(len(read_layout(own).shards)))


def _fingerprints(folder: Path) -> None:
    own = plan(world_of(folder), folder)
    with patch.object(Fingerprint, "exact_moment", return_value="moment"):
        paths = recipe(world_of(folder)).paths()
        own.work.identity(HashedSources.of(paths, own.store).read)


def _shared_encoding(folder: Path) -> None:
    """What `cloze encode --finish` reads of the store, and the words that were counted before."""
    store = FolderStore(folder)
    check_begun(store)
    made_encoder.cache_clear()
    made_encoder(store)
    for name in sorted(all_kept(store)):
        bring(store, name, folder.with_name("made"))
    shutil.rmtree(folder / "encoder")
    corpus = Corpus.open(world_of(folder) / "corpus")
    work = Work(corpus.path, corpus.fingerprint, "train", store)
    _prepare(Encoding(corpus), folder.with_name("nowhere"), work, map)


def _lines(folder: Path) -> None:
    for line in lines(folder / "questions.jsonl"):
        _asked(line, folder)


def _asked(line: bytes, folder: Path) -> AskedLine | UserError:
    try:
        return read_line(line, folder)
    except UserError as problem:
        return problem


def _ask(folder: Path) -> None:
    """Go on with what a killed run had answered, if the questions are still the same."""
    asked = list(lines(folder / "questions.jsonl"))
    name = _digest(asked, [_asked(line, folder) for line in asked])
    (folder / PART).rename((folder / PART).with_name(f"000000-{name}.jsonl"))
    bulk().run(folder / "questions.jsonl", folder / "answers.jsonl")


def _listed(path: Path) -> None:
    with (
        TemporaryDirectory(dir=path.parent) as folder,
        Account(Path(folder) / "account.sqlite") as account,
    ):
        _put_down(path, account, MANNER)
        _waiting(account)


def _account(folder: Path) -> None:
    """What `cloze fetch` does before it asks anybody, and what it tells in the end."""
    with (
        Account(folder / "account.sqlite") as account,
        Warcs(folder, agent=MANNER.agent) as warcs,
    ):
        _put_down(world_of(folder) / "urls.txt", account, MANNER)
        warcs.take_up(account)
        account.ask_again()
        _waiting(account)
        body = account.robots("http://example.org", 0.0)
        rules = Protego.parse((body or b"").decode("utf-8", "replace"))
        allows(rules, "http://example.org/x")
        delay(rules)
        account.flush()


def _waiting(account: Account) -> None:
    for host in account.hosts():
        for row in account.waiting(host):
            MANNER.is_archived(row.next or row.address)
            MANNER.every_of(host)
            account.lead(row, row.address, row.hops + 1)
    Fetched(account.counts(), {}, 0).table()


def _points(scene: Path) -> list[Point]:
    return list(islice(Corpus.open(world_of(scene) / "corpus").read("valid"), 2))


def _replies(folder: Path) -> None:
    kept = Replies(folder / "replies.sqlite")
    try:
        model, points = language_model(kept), _points(folder)
        model.replied(points)
        for point in points:
            for item in items(point, model.form, 0):
                request_for(item, model._settings)
                model._ranking(item)
        kept.tokens(model._settings.address, "m")
    finally:
        kept.close()


def _prompt(path: Path) -> None:
    prompt = Prompt.from_file(path)
    (point,) = _points(path)[:1]
    for form in Form:
        for item in items(point, form, 0):
            assert isinstance(prompt.fill(item), str)


_JSON = _under_seal(any_of(json_changed, json_changed, bytes_changed))
_STORED: tuple[tuple[str, tuple[str, ...], Mutation], ...] = (
    ("plan of a sharded build", ("plan.json",), _JSON),
    ("part of a plan", ("parts/00000.json", "parts/00001.json"), _JSON),
    ("places in the spans", ("spans/0.json",), _JSON),
    ("survey", ("survey/00000.parquet",), _under_seal(table_changed)),
    ("run of hashes", ("hashes/00000.run",), _under_seal(bytes_changed)),
    ("ids seen before", ("duplicates.npy",), _under_seal(array_changed)),
    ("layout of the shards", ("layout.json",), _JSON),
    ("record of a shard", ("records/train-00000.json",), _JSON),
    (
        "stories of the pages",
        ("pages/00001.jsonl.gz",),
        _under_seal(compressed(".gz", json_line_changed)),
    ),
    ("pages by host", ("hosts/00001.json",), _JSON),
    ("file of a shard", ("files/questions/train-00000.parquet",), any_of(bytes_changed)),
)
_SHARED: tuple[tuple[str, str, Mutation], ...] = (
    ("versions of shared work", "made_with.json", _JSON),
    ("words of a shard", "counts/train-00000.json", _JSON),
    ("encoder of shared work", "encoder/vocabulary.txt", _under_seal(text_changed)),
)
KINDS: tuple[Kind, ...] = (
    *(
        Kind(name, "sharded", files, change, _store, _finish, consumed=True)
        for name, files, change in _STORED
    ),
    *(
        Kind(name, "shared-encoding", (file,), change, _shared_encoding, consumed=True)
        for name, file, change in _SHARED
    ),
    Kind("fingerprint", "sharded", ("fingerprints/moment.json",), _JSON, _fingerprints),
    Kind(
        "questions in bulk",
        "bulk",
        ("questions.jsonl",),
        any_of(json_line_changed, text_changed),
        _lines,
        _ask,
        consumed=True,
    ),
    Kind("article in bulk", "bulk", ("s1.txt",), text_changed, _lines, _ask, consumed=True),
    Kind("answers to a chunk", "bulk", (PART,), text_changed, _ask, consumed=True),
    Kind("list of addresses", "urls.txt", ("",), text_changed, _listed),
    Kind(
        "account of pages", "fetched", ("account.sqlite",), sqlite_changed, _account, consumed=True
    ),
    Kind(
        "WARC that grows",
        "fetched",
        ("pages-00000.warc.gz",),
        any_of(bytes_changed, compressed(".gz", text_changed)),
        _account,
        consumed=True,
    ),
    Kind("replies", "replies", ("replies.sqlite",), sqlite_changed, _replies, consumed=True),
    Kind("prompt template", "prompt.txt", ("",), text_changed, _prompt),
)

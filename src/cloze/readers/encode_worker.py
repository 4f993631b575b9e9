"""What a worker does to encode a corpus: count the words of shards, then make their arrays."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cloze.builder.sharded.records import is_kept, keep
from cloze.builder.sharded.sealed_files import bytes_of, put_bytes, put_json
from cloze.builder.sharded.stores import Store
from cloze.builder.sharded.versions import check_begun
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.readers.columns import entity_counts
from cloze.readers.encode_split import write_arrays
from cloze.readers.encoder import Encoder, open_encoder
from cloze.readers.vocabulary import add_words

COUNTS, ENCODER = "counts", "encoder"


@dataclass(frozen=True, slots=True)
class Work:
    """All that a worker has to be given."""

    corpus: Path
    fingerprint: str
    words_of: str | None  # the split whose words are counted
    store: Store


def count_words(work: Work, names: Sequence[str]) -> int:
    """What a worker does first."""
    for name, (documents, questions) in _files(work, names):
        if work.store.has(counts_name(name)):
            continue
        words: Counter[str] = Counter()
        if name.rpartition("-")[0] == work.words_of:
            add_words(words, documents, questions)
        found = {"entities": max(entity_counts(documents), default=0), "words": words}
        put_json(work.store, counts_name(name), found)
    return len(names)


def encode_shards(work: Work, names: Sequence[str]) -> int:
    """What a worker does then."""
    for name, pair in _files(work, names):
        if is_kept(work.store, name):
            continue
        with TemporaryDirectory() as folder:
            own = Path(folder) / name
            own.mkdir()
            write_arrays([pair], made_encoder(work.store), own, lambda _: None)
            keep(work.store, name, Path(folder), {"input": work.fingerprint})
    return len(names)


def _files(work: Work, names: Sequence[str]) -> Iterator[tuple[str, tuple[Path, Path]]]:
    """The files of some shards of the corpus, each compared with the manifest."""
    check_begun(work.store)
    corpus = Corpus.open(work.corpus, check_files=False)
    if corpus.fingerprint != work.fingerprint:
        fix = "run the same command again"
        raise UserError("was changed while it was being read", where=work.corpus, fix=fix)
    every = {pair[0].stem: pair for split in corpus.splits for pair in corpus.shards(split)}
    for name in names:
        corpus.check_shard(*every[name])
        yield name, every[name]


def keep_encoder(store: Store, made: Encoder) -> None:
    with TemporaryDirectory() as folder:
        made.save(Path(folder) / made.file)
        put_bytes(store, f"{ENCODER}/{made.file}", (Path(folder) / made.file).read_bytes())


@lru_cache(maxsize=1)
def made_encoder(store: Store) -> Encoder:
    with TemporaryDirectory() as folder:
        for name in store.names(ENCODER):
            (Path(folder) / name).write_bytes(bytes_of(store, f"{ENCODER}/{name}"))
        check_begun(store)  # in a store that has been removed there are no names
        return open_encoder(Path(folder))


def counts_name(name: str) -> str:
    return f"{COUNTS}/{name}.json"

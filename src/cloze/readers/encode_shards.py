"""A corpus encoded on many machines (`cloze.builder.sharded` says how such work is shared).

1. Words and entities are counted, for each shard of the corpus.
2. All counts together give the vocabulary.
3. Each shard becomes arrays of its own, which are kept in a store with their SHA-256.
4. At the end the arrays are joined in the order of the shards: the bytes of one process.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from cloze.builder.sharded.at_once import at_once
from cloze.builder.sharded.records import all_kept, check_all_kept
from cloze.builder.sharded.sealed_files import json_of
from cloze.builder.sharded.stores import store_for
from cloze.builder.sharded.taking_back import taken_back
from cloze.builder.sharded.tasks import do, share_of, slices
from cloze.builder.sharded.versions import begin, store_of
from cloze.corpus.store import Corpus
from cloze.engines.engine import Engine
from cloze.readers.encode_corpus import Encoding, check_place, encode, has_encoder, is_whole
from cloze.readers.encode_worker import (
    COUNTS,
    ENCODER,
    Work,
    count_words,
    counts_name,
    encode_shards,
    keep_encoder,
    made_encoder,
)
from cloze.readers.encoded import FORMAT
from cloze.readers.encoder import Encoder, open_encoder
from cloze.readers.join_shards import join_split
from cloze.readers.parts import is_split
from cloze.readers.vocabulary import Vocabulary


def encode_share(
    asked: Encoding,
    directory: Path,
    splits: list[str] | None,
    *,
    number: int,
    of: int,
    engine: Engine,
    store: str | None = None,
) -> int:
    """Share `number` of `of` (from 1) on this machine; returns how many shards it has."""
    wanted = asked.wanted(splits)
    check_place(asked, directory, wanted)
    work, stores = _work(asked, directory, store), store_for(directory, store)
    with taken_back(stores, work.store):
        begin(work.store)
        with work.store.claim(f"shard {number} of {of}"):
            _prepare(asked, directory, work, engine, start=(number - 1) / of)
            own = share_of(_names(asked.corpus, _left(directory, wanted)), number, of)
            _run(work, engine, own)
    return len(own)


def encode_on(
    asked: Encoding,
    directory: Path,
    splits: list[str] | None,
    *,
    engine: Engine | None,
    store: str | None = None,
) -> None:
    """Join the shards, which are all there or are encoded now by an engine."""
    wanted = asked.wanted(splits)
    check_place(asked, directory, wanted)
    work, stores = _work(asked, directory, store), store_for(directory, store)
    if not is_whole(directory, wanted):
        names = _names(asked.corpus, _left(directory, wanted))
        with taken_back(stores, work.store):
            if engine is not None:
                begin(work.store)
            with work.store.claim_all():
                if engine is not None:
                    _prepare(asked, directory, work, engine)
                    _run(work, engine, names)
                check_all_kept(work.store, names)
                make_split = partial(join_split, asked.corpus, work.store)
                encode(asked, directory, splits, partial(made_encoder, work.store), make_split)
    work.store.remove()
    stores.tidy()


def _work(asked: Encoding, directory: Path, store: str | None) -> Work:
    words_of = None if asked.tokenizer else asked.vocabulary_from
    asked.wanted([words_of] if words_of else [])
    place = store_of(store_for(directory, store), _identity(asked))
    return Work(asked.corpus.path.absolute(), asked.corpus.fingerprint, words_of, place)


def _identity(asked: Encoding) -> dict[str, object]:
    """What the arrays follow from; into which parts they are packed does not matter here."""
    return {**asked.made_from, "part_size": None, "encoded": FORMAT}


def _left(directory: Path, splits: list[str]) -> list[str]:
    return [split for split in splits if not is_split(directory / split)]


def _names(corpus: Corpus, splits: Sequence[str]) -> list[str]:
    """The shards of some splits: train-00000 and so on."""
    return [documents.stem for split in splits for documents, _ in corpus.shards(split)]


def _prepare(
    asked: Encoding, directory: Path, work: Work, engine: Engine, start: float = 0
) -> None:
    """The encoder. Machines that count at the same time begin in different places (`start`, a
    share of the shards) and leave out what they find done."""
    if work.store.names(ENCODER):
        return
    if has_encoder(directory):
        keep_encoder(work.store, open_encoder(directory))
        return
    names, done = _names(asked.corpus, asked.corpus.splits), work.store.names(COUNTS)
    first = int(start * len(names))
    left = [name for name in names[first:] + names[:first] if f"{name}.json" not in done]
    do(engine, partial(count_words, work), list(slices(left)), "counting", len(left), "shards")
    words: Counter[str] = Counter()
    entities = 0
    for found in at_once(partial(json_of, work.store), map(counts_name, names)):
        words.update(found["words"])
        entities = max(entities, found["entities"])
    keep_encoder(work.store, _made(asked, words, entities))


def _made(asked: Encoding, words: Counter[str], entities: int) -> Encoder:
    if asked.tokenizer is not None:
        return asked.pieces(entities)
    return Vocabulary(
        dict(words),
        max(asked.pool, entities, 1),
        minimum_count=asked.minimum_count,
        maximum_words=asked.maximum_words,
    )


def _run(work: Work, engine: Engine, names: Sequence[str]) -> None:
    done = all_kept(work.store)
    left = [name for name in names if name not in done]
    do(engine, partial(encode_shards, work), list(slices(left)), "encoding", len(left), "shards")

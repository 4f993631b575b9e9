"""Make a trained reader small enough to pass on, by keeping fewer words, or fewer layers.

Most rows of a reader's embeddings and of its softmax belong to words that were seen a handful of
times. Pruning keeps the most frequent words; every other word is then read as the unknown word,
whose embedding becomes the mean of theirs, each counted as often as it was seen. A reader of word
pieces keeps those that are frequent in an encoded corpus (`cloze.readers.fewer_pieces`). An Encoder
Reader can also do with fewer layers and inner units (`fewer_layers`, `fewer_units`); it must then
be trained further.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from cloze.errors import UserError
from cloze.readers.fewer_layers import with_fewer_layers
from cloze.readers.fewer_pieces import with_fewer_pieces, with_pieces_of
from cloze.readers.fewer_units import QUESTIONS, with_fewer_units
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.registry import blank
from cloze.readers.vocabulary import UNKNOWN, Vocabulary

# What was measured is true of the reader that was pruned; cloze card measures the new one.
_BEFORE = {"valid accuracy": "valid accuracy before pruning"}
WORDS = 20_000  # that are kept if nothing is said


def prune(
    reader: Reader,
    most: int | None = None,
    *,
    names_only: bool = False,
    encoded: Path | None = None,
    layers: Sequence[int] | None = None,
    inner: int | None = None,
    measured_on: Path | None = None,
    questions: int = QUESTIONS,
    pieces_of: Reader | None = None,
) -> Reader:
    """The same reader with only its `most` most frequent words, or word pieces, and all markers.

    A reader with no more than that keeps them all. names_only: from now on the softmax runs only
    over the document's entities, so no word needs a row in it. encoded: the corpus, encoded with
    this reader's word pieces, that their frequency is taken from. layers: those of an Encoder
    Reader that are kept, counted from 0. inner: how many inner units each of them keeps, those that
    matter most for some questions of the encoded corpus `measured_on`. pieces_of: a reader whose
    word pieces are kept, and no others.
    """
    made = _without_a_folder(_with_names_only(reader) if names_only else reader)
    made = _with_smaller_layers(made, layers, inner, measured_on, questions)
    if pieces_of is not None:
        made = with_pieces_of(made, pieces_of)
    elif isinstance(made.vocabulary, Pieces):
        made = _with_fewer_pieces(made, most, encoded)
    else:
        made = _with_fewer_words(made, WORDS if most is None else most)
    if made is not reader:
        made.about = {_BEFORE.get(key, key): value for key, value in made.about.items()}
    return made


def _with_names_only(reader: Reader) -> Reader:
    return _with_settings(reader, {"output": "candidates"}, {})


def _without_a_folder(reader: Reader) -> Reader:
    """A model that is passed on does not say in which folder its first weights were."""
    folder = getattr(reader.config, "pretrained", None)
    if folder is None:
        return reader
    return _with_settings(reader, {"pretrained": None}, {"started from": folder.resolve().name})


def _with_settings(reader: Reader, settings: dict[str, Any], about: dict[str, Any]) -> Reader:
    """The same weights under other settings."""
    config = reader.config.model_copy(update=settings)
    network = blank(config, len(reader.vocabulary))
    network.load_state_dict(reader.network.state_dict())
    network.to(reader.device)
    told = reader.about | about
    return Reader(config, reader.vocabulary, network, about=told, notice=reader.notice)


def _with_smaller_layers(
    reader: Reader,
    layers: Sequence[int] | None,
    inner: int | None,
    measured_on: Path | None,
    questions: int,
) -> Reader:
    if layers is not None:
        reader = with_fewer_layers(reader, layers)
    if inner is None:
        return reader
    if measured_on is None:
        raise UserError(
            "which inner units matter is not known",
            fix="give a corpus that was encoded with its word pieces: --measured-on ENCODED",
        )
    return with_fewer_units(reader, inner, measured_on, questions)


def _with_fewer_pieces(reader: Reader, most: int | None, encoded: Path | None) -> Reader:
    pieces = len(reader.vocabulary) - reader.vocabulary.first_word
    if most is None or most >= pieces:
        return reader
    if encoded is None:
        raise UserError(
            f"how often its {pieces:,} word pieces are used is not known",
            fix="give a corpus that was encoded with them: --counted-on ENCODED",
        )
    return with_fewer_pieces(reader, most, encoded)


@torch.no_grad()
def _with_fewer_words(reader: Reader, words: int) -> Reader:
    old = reader.vocabulary
    assert isinstance(old, Vocabulary)
    if words >= len(old.words):
        return reader
    counts = dict(zip(old.words, old.counts, strict=True))
    new = Vocabulary(counts, old.pool, maximum_words=words)
    network = blank(reader.config, len(new))
    kept = dict(reader.network.named_parameters())
    for name, weight in network.named_parameters():
        # Ids are ordered by count, words last: the rows to keep are the first ones.
        weight.copy_(kept[name][: len(weight)] if weight.ndim else kept[name])
    share = torch.tensor(old.counts[words:], device=reader.device, dtype=torch.float32)
    for before, after in zip(reader.network.read_rows(), network.read_rows(), strict=True):
        after[UNKNOWN] = (share / share.sum()) @ before[len(new) :].float()
    about = reader.about | {"pruned": f"to its {words:,} most frequent words"}
    network.to(reader.device)
    return Reader(reader.config, new, network, about=about, notice=reader.notice)

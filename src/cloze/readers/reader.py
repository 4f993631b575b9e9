"""A trained reader: ask it questions, save it, load it.

reader = Reader.from_pretrained("models/attentive")
ranking = reader.answer(document, question)
print(document.name_of(ranking.answer), ranking.scores[0])
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cloze.answering import Ranking
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.readers import saving
from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.encode_points import encode_points
from cloze.readers.encoded import EncodedSplit
from cloze.readers.encoder import Encoder
from cloze.readers.network import Network
from cloze.readers.registry import build, kind_of
from cloze.text import PLACEHOLDER, Text

BATCHES_A_WINDOW = 16  # questions are sorted by length within so many batches


class Reader:
    """A network with its vocabulary and config.

    A ranking holds the candidates, the markers of the document's context, with their
    probabilities among themselves. A reader whose softmax runs over the whole vocabulary may find
    some other word, or a marker from elsewhere, more probable than every candidate: the ranking is
    then `outside`, and its accuracy (`cloze.readers.network.right`) counts a mistake.
    """

    def __init__(
        self,
        config: ReaderConfig,
        vocabulary: Encoder,
        network: Network | None = None,
        *,
        about: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        """Without a network one is drawn from the seed. `about` tells the card of the training."""
        self.config = config
        self.vocabulary = vocabulary
        self.network = build(config, len(vocabulary), seed=seed) if network is None else network
        self.about = dict(about or {})

    @classmethod
    def from_pretrained(cls, directory: Path | str, device: torch.device | str = "cpu") -> "Reader":
        config, vocabulary, network, about = saving.load(Path(directory))
        return cls(config, vocabulary, network.to(device), about=about)

    def save_pretrained(
        self,
        directory: Path | str,
        *,
        half: bool = False,
        overwrite: bool = False,
        sections: Mapping[str, str] | None = None,
    ) -> None:
        """Write config.json, model.safetensors, vocabulary.txt and README.md, all or nothing.

        half: store the weights in 16 bits. sections: more of the card, Markdown by its heading.
        """
        made = (self.config, self.vocabulary, self.network, self.about)
        saving.save(Path(directory), *made, half=half, overwrite=overwrite, sections=sections or {})

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    @property
    def pool(self) -> int | None:
        """What `collate` draws markers from."""
        return self.vocabulary.pool if self.config.markers == "pool" else None

    def answer(self, document: Document, question: Question | Text) -> Ranking:
        """The candidates, best first, with probabilities and with the attention of the reader."""
        if isinstance(question, Text):
            question = Question(question.anonymised, document.id, question, answer=-1)
        if PLACEHOLDER not in question.query.tokens and len(question.query):
            raise UserError(
                "the question has no gap", fix=f"write {PLACEHOLDER} where the answer belongs"
            )
        ((_, _, ranking),) = self.answer_all([(document, [question])], attention=True)
        return ranking

    def answer_all(
        self,
        points: Iterable[tuple[Document, Sequence[Question]]],
        *,
        batch_size: int = 32,
        attention: bool = False,
        seed: int = 0,
    ) -> Iterator[tuple[Document, Question, Ranking]]:
        """Answer the questions of many documents, in their order; `corpus.read(split)` will do."""
        for window in _windows(points, batch_size * BATCHES_A_WINDOW):
            split = encode_points(window, self.vocabulary)
            asked = ((document, question) for document, own in window for question in own)
            rankings = self.rank(split, batch_size=batch_size, attention=attention, seed=seed)
            for (document, question), ranking in zip(asked, rankings, strict=True):
                markers = np.asarray([e.marker for e in document.entities], np.int32)
                named = markers[ranking.candidates]
                yield document, question, replace(ranking, candidates=named)

    def rank(
        self,
        split: EncodedSplit,
        *,
        batch_size: int = 32,
        attention: bool = False,
        seed: int = 0,
    ) -> Iterator[Ranking]:
        """Answer an encoded split in its order; candidates are local entities, not markers."""
        size = batch_size * BATCHES_A_WINDOW
        for start in range(0, len(split), size):
            window = np.arange(start, min(start + size, len(split)))
            order = np.argsort(-split.document_lengths[window], kind="stable")
            found: dict[int, Ranking] = {}
            for first in range(0, len(window), batch_size):
                some = window[order[first : first + batch_size]]
                batch = kind_of(self.config.kind).collate(
                    split, some, seed=seed, epoch=0, pool=self.pool
                )
                rankings = self._rank_batch(batch.to(self.device), attention)
                found.update(zip(some.tolist(), rankings, strict=True))
            yield from (found[k] for k in window.tolist())

    @torch.inference_mode()
    def _rank_batch(self, batch: Batch, attention: bool) -> list[Ranking]:
        logits, looked = self.network(batch)
        absent = batch.entities < 0
        inside, outside = logits, torch.zeros(len(batch), dtype=torch.bool)
        if self.config.output == "vocabulary":
            inside = logits.gather(1, batch.candidates)
            best = logits.argmax(1)[:, None]
            outside = ~((batch.candidates == best) & ~absent).any(1).cpu()
        inside = inside.float().masked_fill(absent, float("-inf"))
        scores, order = torch.softmax(inside, 1).sort(dim=1, descending=True, stable=True)
        entities = batch.entities.gather(1, order).to(torch.int32).cpu().numpy()
        counts = (~absent).sum(1).tolist()
        points = scores.cpu().numpy()
        maps = _maps(batch, looked) if attention else [None] * len(batch)
        return [
            Ranking(entities[b, :n], points[b, :n], maps[b], bool(outside[b]))
            for b, n in enumerate(counts)
        ]


def _maps(batch: Batch, looked: Tensor | None) -> list[np.ndarray] | list[None]:
    """Each question's attention, cut to its own lengths."""
    if looked is None:
        return [None] * len(batch)
    maps = looked.float().cpu().numpy()
    documents, questions = batch.document_lengths.tolist(), batch.question_lengths.tolist()
    if maps.ndim == 2:
        return [maps[b, :d].copy() for b, d in enumerate(documents)]
    pairs = enumerate(zip(questions, documents, strict=True))
    return [maps[b, :q, :d].copy() for b, (q, d) in pairs]


def _windows(
    points: Iterable[tuple[Document, Sequence[Question]]], questions: int
) -> Iterator[list[tuple[Document, Sequence[Question]]]]:
    window: list[tuple[Document, Sequence[Question]]] = []
    held = 0
    for document, asked in points:
        window.append((document, asked))
        held += len(asked)
        if held >= questions:
            yield window
            window, held = [], 0
    if window:
        yield window

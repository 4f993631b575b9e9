"""A trained reader: ask it questions, save it, load it.

    reader = Reader.from_pretrained("models/attentive")
    ranking = reader.answer_one(document, question)
    print(document.name_of(ranking.answer), ranking.scores[0])

It is an `Answerer`: `reader.answer(corpus.read("valid"))` answers a whole split.
"""

import hashlib
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from cloze.answering import CardFacts, Ranking
from cloze.card_results import card_results
from cloze.confidence import Confidence
from cloze.document import Document, Point, Question
from cloze.errors import UserError
from cloze.files import read_text
from cloze.readers import saving
from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.counting import count_weights
from cloze.readers.device import memory_is_full
from cloze.readers.encode_points import encode_points
from cloze.readers.encoded import EncodedSplit
from cloze.readers.encoder import Encoder
from cloze.readers.hub import fetch, may_be_on_the_hub, publish
from cloze.readers.loaded import remember
from cloze.readers.measured import confidence_of, store_card, store_confidence
from cloze.readers.network import Network
from cloze.readers.parts import open_split
from cloze.readers.registry import build, kind_of
from cloze.readers.stored_points import StoredPoints
from cloze.readers.stored_weights import Bits
from cloze.readers.unknown_words import unknown_words
from cloze.text import PLACEHOLDER, Text

BATCHES_A_WINDOW = 16  # questions are sorted by length within this many batches


class Reader:
    """A network with its vocabulary and config.

    A document may have more names than the reader has markers. The names in the question are then
    kept, followed by the most frequent ones; the others are left out of the ranking.

    A ranking holds the candidates (the markers of the document's context) with their probabilities
    among themselves. A reader whose softmax runs over the whole vocabulary may find some other
    word, or a marker not in the context, more probable than every candidate: the ranking is then
    `outside`, and `cloze.readers.network.right` counts it as a mistake.
    """

    def __init__(
        self,
        config: ReaderConfig,
        vocabulary: Encoder,
        network: Network | None = None,
        *,
        about: Mapping[str, Any] | None = None,
        notice: str = "",
        confidence: Confidence | None = None,
        seed: int = 0,
        batch_size: int = 32,
    ) -> None:
        """Without a network, one is drawn from the seed. `about` describes training on the card,
        `notice` (Markdown, saved beside the weights) says whose work they are."""
        self.config = config
        self.vocabulary = vocabulary
        self.network = build(config, len(vocabulary), seed=seed) if network is None else network
        self.about = dict(about or {})
        self.notice = notice
        self.confidence = confidence  # how sure it may be, if that was measured: cloze calibrate
        self.batch_size = batch_size  # questions that are answered at once
        self._room: int | None = None  # if the device's memory was full: how many it has room for
        self.encode: Callable[[Sequence[Point]], EncodedSplit] = self._encode
        self.directory: Path | None = None  # where it was loaded from
        self.products = "float32"  # what it multiplies in

    @classmethod
    def from_pretrained(
        cls,
        directory: Path | str,
        device: torch.device | str = "cpu",
        *,
        batch_size: int = 32,
        exact: bool = False,
    ) -> "Reader":
        """The reader in a folder, or of that name on the Hugging Face Hub. Where it is faster, an
        Encoder Reader multiplies in 8 bits on a CPU and in 16 on a GPU, unless it is to be
        `exact`."""
        folder = Path(directory)
        if not folder.is_dir() and may_be_on_the_hub(folder):
            folder = fetch(folder, saving.FILES, extra="hub")
        config, vocabulary, network, about = saving.load(folder)
        reader = cls(config, vocabulary, network.to(device), about=about, batch_size=batch_size)
        reader.directory = folder
        if not exact:
            reader.products = network.answer_in_fewer_bits() or reader.products
        remember(reader.directory, network, device)
        reader.notice = saving.notice_of(reader.directory)
        reader.confidence = confidence_of(reader.directory)
        return reader

    def save_pretrained(
        self,
        directory: Path | str,
        *,
        bits: Bits = 32,
        overwrite: bool = False,
        sections: Mapping[str, str] | None = None,
    ) -> None:
        """Write config.json, model.safetensors, vocabulary.txt and README.md, or nothing at all.

        bits: of a weight; with 8, matrices are rounded row by row and vectors stored in 16; with
        4, large matrices are rounded in groups of 128 numbers and the rest stored in 16.
        sections: more Markdown for the card, by heading.
        """
        made = (self.config, self.vocabulary, self.network, self.about)
        saving.save(
            Path(directory),
            *made,
            bits=bits,
            overwrite=overwrite,
            sections=sections or {},
            notice=self.notice,
            confidence=self.confidence,
        )

    def push_to_hub(self, name: str, *, licence: str, private: bool = False) -> str:
        """Publish the folder that it was loaded from on the Hugging Face Hub, with that licence on
        its card ("apache-2.0"); returns the address of what was written."""
        if self.directory is None:
            raise UserError(
                "this reader is not in a folder yet", fix="save_pretrained, then load it"
            )
        with tempfile.TemporaryDirectory() as temporary:
            copy = Path(temporary)
            for file in saving.FILES:
                if (self.directory / file).is_file():
                    shutil.copyfile(self.directory / file, copy / file)
            store_card(copy, {}, {"license": licence})
            return publish(copy, name, private=private, message=f"{self.name}, by cloze-reader")

    def calibrate(self, confidence: Confidence) -> None:
        """Take over what was measured, here and in the folder that it was loaded from."""
        self.confidence = confidence
        if self.directory is not None:
            store_confidence(self.directory, confidence)

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def kind(self) -> str:
        return "reader"

    @property
    def settings(self) -> dict[str, Any]:
        weights = hashlib.sha256()
        for weight in self.network.parameters():
            weights.update(weight.detach().cpu().numpy().tobytes())
        return {
            "directory": None if self.directory is None else self.directory.resolve().name,
            "device": str(self.device),
            "batch_size": self.batch_size,
            "products": self.products,
            "parameters": count_weights(self.network, self.config, self.vocabulary.first_word),
            "weights": weights.hexdigest()[:12],
            "temperature": self.temperature,
            "config": self.config.model_dump(mode="json"),
            "training": self.about,
        }

    def use_encoded(self, directory: Path) -> None:
        """From now on, read the points from the arrays of an encoded split."""
        self.encode = StoredPoints(open_split(directory, self.vocabulary))

    def _encode(self, points: Sequence[Point]) -> EncodedSplit:
        return encode_points(points, self.vocabulary)

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    @property
    def pool(self) -> int | None:
        """What `collate` draws markers from."""
        return self.config.pool(self.vocabulary.pool)

    @property
    def temperature(self) -> float:
        """What the candidates' logits are divided by, so that the probabilities are honest."""
        return 1.0 if self.confidence is None else self.confidence.temperature

    def answer_one(self, document: Document, question: Question | Text) -> Ranking:
        """The candidates, best first, with probabilities and with the attention of the reader."""
        if isinstance(question, Text):
            question = Question(question.anonymised, document.id, question, answer=-1)
        if question.query.gap < 0 and len(question.query):
            raise UserError(
                "the question has no gap", fix=f"write {PLACEHOLDER} where the answer belongs"
            )
        return next(self.answer([(document, [question])], attention=True))[0]

    def answer(
        self, points: Iterable[Point], *, seed: int = 0, attention: bool = False
    ) -> Iterator[list[Ranking]]:
        """Answer the questions of many documents, such as `corpus.read(split)`."""
        for window in _windows(points, self.batch_size * BATCHES_A_WINDOW):
            shown = [one for point in window for one in _fitted(point, self.vocabulary.pool)]
            rankings = iter(self._rank(shown, seed, attention))
            for _, questions in window:
                yield list(itertools.islice(rankings, len(questions)))

    def card_facts(self) -> CardFacts:
        path = None if self.directory is None else self.directory / saving.CARD
        results = [] if path is None or not path.is_file() else card_results(read_text(path))
        return CardFacts(self.about.get("corpus"), results)

    def unknown_words(self, text: Text) -> list[int]:
        return unknown_words(self.vocabulary, text)

    @torch.inference_mode()
    def film(self, document: Document, question: Question, ranking: Ranking) -> np.ndarray | None:
        ((shown, questions),) = _fitted((document, [question]), self.vocabulary.pool)
        split = self.encode([(shown, questions)])
        collate = kind_of(self.config.kind).collate
        batch = collate(split, np.zeros(1, np.int64), seed=0, epoch=0, pool=self.pool)
        batch = batch.to(self.device)
        steps = self.network.film(batch)
        if steps is None:
            return None
        logits = steps[:, 0]
        if self.config.output == "vocabulary":
            logits = logits[:, batch.candidates[0]]
        absent = batch.entities[0] < 0
        logits = (logits.float() / self.temperature).masked_fill(absent, float("-inf"))
        entities = batch.entities[0, ~absent].tolist()
        column = {shown.entities[entity].marker: k for k, entity in enumerate(entities)}
        order = [column[int(marker)] for marker in ranking.candidates]
        return np.asarray(torch.softmax(logits, 1)[:, ~absent].cpu().numpy()[:, order])

    def _rank(self, points: Sequence[Point], seed: int, attention: bool) -> list[Ranking]:
        """Answer the questions of some documents, sorted by length into batches."""
        split = self.encode(points)
        markers = [np.array([e.marker for e in d.entities], np.int32) for d, _ in points]
        order = np.argsort(-split.document_lengths, kind="stable")
        collate = kind_of(self.config.kind).collate
        found: dict[int, Ranking] = {}
        size = min(self.batch_size, self._room or self.batch_size)
        while len(found) < len(order):
            some = order[len(found) : len(found) + size]
            own = [markers[document] for document in split.question_document[some]]
            try:
                batch = collate(split, some, seed=seed, epoch=0, pool=self.pool).to(self.device)
                rankings = self._rank_batch(batch, own, attention)
            except torch.OutOfMemoryError as problem:  # an answer does not depend on its batch
                size = self._room = len(some) // 2
                if not size:
                    raise memory_is_full(problem, fix="free some, or take --device cpu") from None
                continue
            for k, ranking in zip(some.tolist(), rankings, strict=True):
                looked = ranking.attention
                by_token = None if looked is None else split.by_token(k, looked)
                found[k] = replace(ranking, attention=by_token)
        return [found[k] for k in range(len(split))]

    @torch.inference_mode()
    def _rank_batch(
        self, batch: Batch, markers: Sequence[np.ndarray], attention: bool
    ) -> list[Ranking]:
        """`markers` holds, for each question, the markers of its document's entities. The attention
        is still over the encoder's ids."""
        logits, looked = self.network(batch)
        absent = batch.entities < 0
        inside, outside = logits, torch.zeros(len(batch), dtype=torch.bool)
        if self.config.output == "vocabulary":
            inside = logits.gather(1, batch.candidates)
            best = logits.argmax(1)[:, None]
            outside = ~((batch.candidates == best) & ~absent).any(1).cpu()
        inside = (inside.float() / self.temperature).masked_fill(absent, float("-inf"))
        scores, order = torch.softmax(inside, 1).sort(dim=1, descending=True, stable=True)
        entities = batch.entities.gather(1, order).cpu().numpy()
        counts = (~absent).sum(1).tolist()
        points = scores.cpu().numpy()
        maps = _maps(batch, looked) if attention else [None] * len(batch)
        windows = self.network.windows(batch)
        return [
            Ranking(
                markers[b][entities[b, :n]],
                points[b, :n],
                maps[b],
                bool(outside[b]),
                windows=windows[b],
                record=self.confidence,
            )
            for b, n in enumerate(counts)
        ]


def _fitted(point: Point, most: int) -> list[Point]:
    """The point, cut down to what a reader with `most` markers can take.

    If a document has more entities, each question gets a version of its own: the entities in the
    question stay, then those mentioned most; the names of the others become words.
    """
    document, questions = point
    if len(document.entities) <= most:
        return [point] if questions else []
    text = document.context
    named = text.mentions()
    by_mentions = sorted(document.entities, key=lambda e: -len(named.get(e.marker, ())))
    fitted: list[Point] = []
    for question in questions:
        asked = question.query.mentions()
        ranked = sorted(by_mentions, key=lambda e: e.marker not in asked)
        kept = {entity.marker for entity in ranked[:most]}
        tokens = text.tokens.copy()
        for marker in named.keys() - kept:
            for place in named[marker]:
                tokens[place] = text.surfaces[place].lower()
        entities = tuple(entity for entity in document.entities if entity.marker in kept)
        shown = replace(document, context=replace(text, tokens=tokens), entities=entities)
        fitted.append((shown, [question]))
    return fitted


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


def _windows(points: Iterable[Point], questions: int) -> Iterator[list[Point]]:
    window: list[Point] = []
    held = 0
    for document, asked in points:
        window.append((document, asked))
        held += len(asked)
        if held >= questions:
            yield window
            window, held = [], 0
    if window:
        yield window

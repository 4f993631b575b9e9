"""The network of the tagger: a reader's body, changed by adapters, over words with their casing.

If the reader itself is loaded in this process, its weights are used and not loaded again. What a
text's names are does not depend on the texts that are read beside it.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cloze.errors import UserError
from cloze.names.language import NEWEST_RULES, load_language
from cloze.names.name import Span
from cloze.names.tokens import Tokens, tokenise
from cloze.readers.device import choose_device
from cloze.readers.kinds.encoder import BEGIN, END, EncoderReader
from cloze.readers.loaded import network_of
from cloze.readers.pieces import Pieces
from cloze.readers.tagging.adapters import Adapters, load_adapters
from cloze.readers.tagging.casing import NO_WORD, casing
from cloze.readers.tagging.decoding import LABELS, names
from cloze.readers.tagging.windows import Window, batches, depth, windows
from cloze.readers.transformer import Transformer
from cloze.readers.vocabulary import PADDING
from cloze.text import Spacing

ROOM = 254  # pieces of a window: it was trained on as many
TOGETHER = 4096  # pieces that are read at once
MOST_WORDS = 200_000  # whose pieces are remembered


class _Text(NamedTuple):
    tokens: Tokens
    ids: np.ndarray  # of the pieces
    casing: np.ndarray  # of each piece's word
    first: np.ndarray  # where each word's first piece is


@lru_cache(maxsize=1)
def load_model(folder: Path, device: str) -> "TaggerModel":
    where = choose_device(device)
    network = network_of(folder, where)
    if not isinstance(network, EncoderReader) or not isinstance(network.body, Transformer):
        raise UserError("a tagger needs the body of an Encoder Reader", where=folder)
    adapters = load_adapters(folder, network.body).to(where)
    return TaggerModel(network, Pieces.load(folder / Pieces.file), adapters)


class TaggerModel:
    def __init__(self, network: EncoderReader, pieces: Pieces, adapters: Adapters) -> None:
        self.network, self.pieces, self.adapters = network, pieces, adapters
        self.language = load_language("en", NEWEST_RULES)
        self.room = min(ROOM, network.config.positions - 2)
        self._known: dict[str, np.ndarray] = {}

    @torch.inference_mode()
    def spans(self, texts: Sequence[str], *, sixteen_bits: bool = False) -> list[list[Span]]:
        dtype = torch.bfloat16 if sixteen_bits else torch.float32
        laid = self._laid([tokenise(text, self.language) for text in texts])
        seen = [np.zeros((len(text.tokens.words), LABELS), np.float32) for text in laid]
        depths = [np.full(len(text.tokens.words), -1.0) for text in laid]
        for batch in batches(windows([len(text.ids) for text in laid], self.room), TOGETHER):
            for window, own in zip(batch, self._read(laid, batch, dtype), strict=True):
                _keep_deepest(window, own, laid[window.text], seen, depths)
        return [_spans(text.tokens, own) for text, own in zip(laid, seen, strict=True)]

    def _laid(self, texts: Sequence[Tokens]) -> list[_Text]:
        self._learn({word for tokens in texts for word in tokens.words})
        found = []
        for tokens in texts:
            cut = [self._known[word] for word in tokens.words]
            counts = np.fromiter(map(len, cut), np.int64, len(cut))
            shapes = np.asarray(casing(tokens.words, tokens.spacing), np.int64)
            ids = np.concatenate(cut) if cut else np.zeros(0, np.int64)
            first = np.cumsum(counts) - counts
            found.append(_Text(tokens, ids, np.repeat(shapes, counts), first))
        return found

    def _learn(self, words: set[str]) -> None:
        """Cut new words into pieces; the old ones are forgotten before they take much memory."""
        if len(self._known) > MOST_WORDS:
            self._known.clear()
        new = [word for word in words if word not in self._known]
        ids, counts = self.pieces.ids(new) if new else (np.zeros(0, np.int64), np.zeros(0, int))
        self._known |= dict(zip(new, np.split(ids, np.cumsum(counts)[:-1]), strict=False))

    def _read(
        self, laid: Sequence[_Text], batch: Sequence[Window], dtype: torch.dtype
    ) -> Iterator[np.ndarray]:
        """The labels' probabilities of each window's pieces, [length, labels]."""
        shape = (len(batch), batch[0].length + 2)
        ids, shapes = np.full(shape, PADDING), np.full(shape, NO_WORD)
        signs, absent = np.full(shape, -1), np.ones(shape, bool)
        for row, (text, start, length) in enumerate(batch):
            ids[row, 1 : length + 1] = laid[text].ids[start : start + length]
            shapes[row, 1 : length + 1] = laid[text].casing[start : start + length]
            signs[row, 0], signs[row, length + 1] = BEGIN, END
            absent[row, : length + 2] = False
        device = next(self.adapters.parameters()).device
        arrays = (torch.from_numpy(array).to(device) for array in (ids, shapes, signs, absent))
        said = self.probabilities(*arrays, dtype=dtype).cpu().numpy()
        for row, window in enumerate(batch):
            yield said[row, 1 : window.length + 1]

    def probabilities(
        self, ids: Tensor, shapes: Tensor, signs: Tensor, absent: Tensor, *, dtype: torch.dtype
    ) -> Tensor:
        """[B, T] each -> [B, T, labels]; signs is -1 where a piece of the text stands."""
        network, body = self.network, self.network.body
        assert isinstance(body, Transformer)
        x = network.embedding(ids)
        x = torch.where((signs >= 0)[..., None], network.signs(signs.clamp(min=0)), x)
        if network.config.texts == "apart":
            x = x + network.sides.weight[0]  # the article's
        x = x + self.adapters.casing(shapes)
        x = body.adapted(x.to(torch.float32), absent, self.adapters.changed, dtype)
        return torch.softmax(self.adapters.head(x.float()), -1)


def _keep_deepest(
    window: Window,
    own: np.ndarray,
    text: _Text,
    seen: list[np.ndarray],
    depths: list[np.ndarray],
) -> None:
    """Take over the words that this window sees with more text around them than others did."""
    inside = (text.first >= window.start) & (text.first < window.start + window.length)
    at = text.first[inside] - window.start
    deep = depth(window, len(text.ids))[at]
    better = deep > depths[window.text][inside]
    words = np.flatnonzero(inside)[better]
    seen[window.text][words] = own[at[better]]
    depths[window.text][words] = deep[better]


def _spans(tokens: Tokens, probabilities: np.ndarray) -> list[Span]:
    opening = np.asarray([Spacing.PARAGRAPH, *tokens.spacing])[:-1] == Spacing.PARAGRAPH
    return [
        (tokens.starts[first], tokens.starts[last - 1] + len(tokens.words[last - 1]), kind)
        for first, last, kind in names(probabilities, opening)
    ]

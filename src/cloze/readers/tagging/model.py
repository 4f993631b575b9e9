"""The network of the tagger: a reader's body, changed by adapters, over words with their casing.

If the reader itself is loaded in this process, its weights are used and not loaded again. What a
text's names are does not depend on the texts that are read beside it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cloze.errors import UserError
from cloze.names.name import Span
from cloze.readers.device import choose_device
from cloze.readers.kinds.encoder import BEGIN, END, EncoderReader
from cloze.readers.loaded import network_of
from cloze.readers.pieces import Pieces
from cloze.readers.quick_layer import QuickLayer
from cloze.readers.tagging.adapters import Adapters, load_adapters
from cloze.readers.tagging.casing import NO_WORD
from cloze.readers.tagging.changed_layer import ChangedLayer
from cloze.readers.tagging.decoding import LABELS, names
from cloze.readers.tagging.laying import Laid, Layout
from cloze.readers.tagging.windows import Window, batches, depth, windows
from cloze.readers.transformer import Layer, Transformer
from cloze.readers.vocabulary import PADDING

ROOM = 254  # pieces of a window: it was trained on as many
TOGETHER = 2048  # pieces that are read at once
TOGETHER_ON_GPU = 65_536


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
        self.network, self.adapters = network, adapters
        self.lay = Layout(pieces)
        self.room = min(ROOM, network.config.positions - 2)
        self._quick: dict[int, QuickLayer] = {}  # kept: to make one takes longer than reading
        self.device = next(adapters.parameters()).device

    def spans(self, texts: Sequence[str], bits: int = 32) -> list[list[Span]]:
        return [own for group in self.spans_of([self.lay(texts)], bits) for own in group]

    def spans_of(self, laid: Iterable[list[Laid]], bits: int = 32) -> Iterator[list[list[Span]]]:
        """The names of texts that are laid out already. While a GPU reads one group of texts, the
        names of the group before are looked for."""
        before: _Reading | None = None
        for texts in laid:
            reading = self._begin(texts, bits)
            if before is not None:
                yield _names(before)
            before = reading
            if self.device.type == "cpu":  # nothing to wait for
                yield _names(before)
                before = None
        if before is not None:
            yield _names(before)

    @torch.inference_mode()
    def _begin(self, texts: list[Laid], bits: int) -> "_Reading":
        most = TOGETHER if self.device.type == "cpu" else TOGETHER_ON_GPU
        if bits == 8:  # which reads texts one by one anyway, and padding takes time
            most = 1
        found = list(batches(windows([len(text.ids) for text in texts], self.room), most))
        said = self.probabilities([self._arrays(texts, batch) for batch in found], bits)
        return _Reading(texts, list(zip(found, said, strict=True)))

    def _arrays(self, laid: Sequence[Laid], batch: Sequence[Window]) -> "Pieced":
        shape = (len(batch), batch[0].length + 2)
        ids, shapes = np.full(shape, PADDING), np.full(shape, NO_WORD)
        signs, absent = np.full(shape, -1), np.ones(shape, bool)
        for row, (text, start, length) in enumerate(batch):
            ids[row, 1 : length + 1] = laid[text].ids[start : start + length]
            shapes[row, 1 : length + 1] = laid[text].casing[start : start + length]
            signs[row, 0], signs[row, length + 1] = BEGIN, END
            absent[row, : length + 2] = False
        arrays = (ids, shapes, signs, absent)
        return Pieced(*(torch.from_numpy(array).to(self.device) for array in arrays))

    def probabilities(self, batches: Sequence["Pieced"], bits: int = 32) -> list[Tensor]:
        """The labels' probabilities of the pieces, [B, T, labels] for each batch."""
        body = self.network.body
        assert isinstance(body, Transformer)
        dtype = torch.bfloat16 if bits == 16 else torch.float32
        embedded = [(self._embedded(batch), batch.absent) for batch in batches]
        layers = len(self.adapters.layers)
        read = body.adapted(embedded, partial(self._layer, bits=bits), dtype, layers)
        return [torch.softmax(self.adapters.head(x.float()), -1) for x in read]

    def _embedded(self, batch: "Pieced") -> Tensor:
        network, signs = self.network, batch.signs
        x = network.embedding(batch.ids)
        x = torch.where((signs >= 0)[..., None], network.signs(signs.clamp(min=0)), x)
        if network.config.texts == "apart":
            x = x + network.sides.weight[0]  # the article's
        x = x + self.adapters.casing(batch.shapes)
        found: Tensor = x.to(torch.float32)
        return found

    def _layer(
        self, number: int, layer: Layer, bits: int
    ) -> Callable[[Tensor, Tensor | None], Tensor]:
        if bits == 8:
            return self._quick_layer(number, layer).each
        dtype = torch.bfloat16 if bits == 16 else torch.float32
        return ChangedLayer(layer, self.adapters.changed(number, layer, dtype))

    def _quick_layer(self, number: int, layer: Layer) -> QuickLayer:
        if number not in self._quick:
            weights = self.adapters.changed(number, layer, torch.float32)
            self._quick[number] = QuickLayer(weights, layer.heads, layer.n1.eps)
        return self._quick[number]


class Pieced(NamedTuple):
    """Windows side by side, [B, T] each."""

    ids: Tensor
    shapes: Tensor
    signs: Tensor  # -1 where a piece of the text stands
    absent: Tensor


class _Reading(NamedTuple):
    """Texts whose windows are being read."""

    texts: list[Laid]
    batches: list[tuple[list[Window], Tensor]]


def _names(reading: _Reading) -> list[list[Span]]:
    seen = [np.zeros((len(text.first), LABELS), np.float32) for text in reading.texts]
    depths = [np.full(len(text.first), -1.0) for text in reading.texts]
    for batch, probabilities in reading.batches:
        said = probabilities.cpu().numpy()
        for row, window in enumerate(batch):
            own = said[row, 1 : window.length + 1]
            _keep_deepest(window, own, reading.texts[window.text], seen, depths)
    return [_spans(text, own) for text, own in zip(reading.texts, seen, strict=True)]


def _keep_deepest(
    window: Window,
    own: np.ndarray,
    text: Laid,
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


def _spans(text: Laid, probabilities: np.ndarray) -> list[Span]:
    return [
        (int(text.starts[first]), int(text.ends[last - 1]), kind)
        for first, last, kind in names(probabilities, text.opening)
    ]

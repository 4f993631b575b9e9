"""A transformer over embedded texts, as in BERT, RoBERTa and MPNet, in plain PyTorch.

The layers normalise after each sum, with GELU between the two products of the inner layer. If there
are relative buckets (MPNet has 32), every head adds a bias that depends on the distance between key
and query.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention.flex_attention import BlockMask
from torch.utils.checkpoint import checkpoint

from cloze.readers import even, text_by_text
from cloze.readers.added_scores import both, bucket, mask
from cloze.readers.even import Even
from cloze.readers.layers import dropout, embedding, kept_units, scaled_up
from cloze.readers.packed import BLOCK, Packed, attention, compiled, runs_on
from cloze.readers.quick_layer import QuickLayer, dtype_of_scores, padded
from cloze.readers.states import States

Kept = tuple[Tensor | None, Tensor | None]


class Layer(nn.Module):
    def __init__(self, size: int, heads: int, inner: int, epsilon: float, rate: float) -> None:
        super().__init__()
        self.heads, self.rate = heads, rate
        self.qkv = nn.Linear(size, 3 * size)
        self.o = nn.Linear(size, size)
        self.n1 = nn.LayerNorm(size, eps=epsilon)
        self.up = nn.Linear(size, inner)
        self.down = nn.Linear(inner, size)
        self.n2 = nn.LayerNorm(size, eps=epsilon)

    def forward(self, x: Tensor, bias: Tensor | None, kept: Kept = (None, None)) -> Tensor:
        """x [B, T, H]; bias is added to the scores, [B or 1, heads or 1, T or 1, T]."""
        q, k, v = (self._by_head(part) for part in self.qkv(x).chunk(3, -1))
        y = text_by_text.attention(q, k, v, bias)
        return self.finish(x, y.transpose(1, 2).flatten(2), kept)

    def only_at(
        self, places: Tensor, x: Tensor, bias: Tensor | None, kept: Kept = (None, None)
    ) -> tuple[Tensor, Tensor]:
        """What `forward` makes of the tokens at `places` [B, K], the others being only seen; and
        what the first of these tokens looked at, the mean over the heads [B, T]."""
        asking, size = at_places(places, x), x.shape[2]
        q = F.linear(asking, self.qkv.weight[:size], self.qkv.bias[:size])
        k, v = F.linear(x, self.qkv.weight[size:], self.qkv.bias[size:]).chunk(2, -1)
        if bias is not None and bias.shape[2] > 1:
            rows = places[:, None, :, None].expand(-1, bias.shape[1], -1, bias.shape[3])
            bias = bias.expand(len(x), -1, -1, -1).gather(2, rows)
        q, k, v = (self._by_head(part) for part in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        scores = q[:, :, :1] @ k.transpose(2, 3) / q.shape[3] ** 0.5
        scores = scores if bias is None else scores + bias[:, :, :1]
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        looked = scores.detach().softmax(3).mean(1)[:, 0]
        return self.finish(asking, y.transpose(1, 2).flatten(2), kept), looked

    def _by_head(self, x: Tensor) -> Tensor:
        """[B, T, H] -> [B, heads, T, H / heads]"""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def kept(self, x: Tensor, noise: torch.Generator | None) -> Kept:
        """Which units of the two sums dropout keeps: drawn here, since compiled code cannot, and
        since a layer that is computed again must keep the same ones."""
        return kept_units(x, self.rate, noise), kept_units(x, self.rate, noise)

    def finish(self, x: Tensor, y: Tensor, kept: Kept) -> Tensor:
        """What comes after the attention y, token by token."""
        x = self.n1(x + scaled_up(self.o(y), self.rate, kept[0])).to(x.dtype)
        y = self.down(F.gelu(self.up(x)))
        out: Tensor = self.n2(x + scaled_up(y, self.rate, kept[1])).to(x.dtype)
        return out


def _packed_attention(layer: Layer, x: Tensor, table: Tensor | None, blocks: BlockMask) -> Tensor:
    return attention(layer.qkv(x), layer.heads, table, blocks)


def _packed_layer(
    layer: Layer, x: Tensor, table: Tensor | None, blocks: BlockMask, kept: Kept
) -> Tensor:
    return layer.finish(x, _packed_attention(layer, x, table, blocks), kept)


def _finished(layer: Layer, x: Tensor, y: Tensor, kept: Kept) -> Tensor:
    return layer.finish(x, y, kept)


def _laid(absent: Tensor, tokens: int | None, dtype: torch.dtype) -> Packed | Even:
    """The texts in one row, in the way in which they are read faster."""
    quick = tokens is not None and even.runs_on(absent.device, dtype)
    if quick and even.fits(absent.shape, tokens or 0):
        return Even(absent)
    return Packed(absent, tokens)


def _as_it_is(function: Any) -> Any:
    return function


def at_places(places: Tensor, x: Tensor) -> Tensor:
    """The tokens at these places of each text. [B, K] and [B, T, H] -> [B, K, H]"""
    return x.gather(1, places[..., None].expand(-1, -1, x.shape[2]))


class Transformer(nn.Module):
    """From embedded tokens to what each means in context."""

    def __init__(
        self,
        *,
        layers: int,
        size: int,
        heads: int,
        inner: int,
        positions: int,
        buckets: int,
        epsilon: float,
        rate: float,
    ) -> None:
        super().__init__()
        self.rate, self.buckets, self.width = rate, buckets, size
        self._again = False  # compute each layer again for the backward pass
        self._quick: dict[int, tuple[object, QuickLayer]] | None = None  # None: not wanted
        self.position = embedding(positions, size)
        self.norm = nn.LayerNorm(size, eps=epsilon)
        self.layers = nn.ModuleList(Layer(size, heads, inner, epsilon, rate) for _ in range(layers))
        if buckets:
            self.relative = embedding(buckets, heads)
            self.relative.weight.requires_grad_(False)  # its gradient costs more than it gains

    def forward(
        self,
        x: Tensor,
        absent: Tensor,
        noise: torch.Generator | None = None,
        places: Tensor | None = None,
        position: Tensor | None = None,
        tokens: int | None = None,
        states: States | None = None,
    ) -> Tensor:
        """x [B, T, H], absent [B, T] true where there is no token -> [B, T, H]

        With `places` [B, K], only what the tokens there mean, [B, K, H]. `position` [B, T] numbers
        the tokens; without it they are counted from the beginning. `tokens` is how many there are,
        if that is known. `states` keeps what they mean after inner layers.
        """
        x = self._begun(x, noise, position)
        if torch.is_grad_enabled() and runs_on(x.device):  # an answer need not wait for compiling
            laid = _laid(absent, tokens, x.dtype)
            return self.packed(x, laid, noise, places, compiled, states)
        bias = self._bias(absent, x.dtype)
        for number, layer in enumerate(self.layers if places is None else self.layers[:-1]):
            assert isinstance(layer, Layer)
            x = self._run(layer, x, bias, layer.kept(x, noise))
            if states is not None:
                states.keep(number, x, absent)
        if places is None:
            return x
        last = self._last()  # of which nothing else is needed
        kept = last.kept(x[:, :1].expand(-1, places.shape[1], -1), noise)
        wanted: Tensor = self._run(last.only_at, places, x, bias, kept)[0]
        return wanted

    def recompute(self) -> None:
        """In training, keep of each layer only what goes into it."""
        self._again = True

    def _run(self, layer: Any, *inputs: Any) -> Any:
        if self._again and torch.is_grad_enabled():
            return checkpoint(layer, *inputs, use_reentrant=False, preserve_rng_state=False)
        return layer(*inputs)

    def read(
        self, x: Tensor, absent: Tensor, places: Tensor, position: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Without training: what the tokens at `places` [B, K] mean, [B, K, H], and what the first
        of them looked at in the last layer, the mean over its heads [B, T].

        An answer then costs one layer less, nearly: in the last, the other tokens are only looked
        at.
        """
        x = self._begun(x, None, position)
        if self._quick is not None and x.device.type == "cpu" and x.dtype == torch.float32:
            return self._read_quickly(x, (~absent).sum(1).tolist(), places)
        if even.runs_on(x.device, x.dtype):
            return self.read_evenly(x, absent, places)
        length = x.shape[1]
        far = self._far(length, x.dtype)
        if far is None or x.device.type != "cpu":
            return self._read(x, both(mask(absent, x.dtype), far, length), places)
        # One by one: a bias for each pair of tokens in each text would be larger than all else.
        found = [
            self._read(x[row, None, :n], both(None, far, n), places[row, None].clamp(max=n - 1))
            for row, n in enumerate((~absent).sum(1).tolist())
        ]
        looked = [F.pad(own, (0, length - own.shape[1])) for _, own in found]
        return torch.cat([own for own, _ in found]), torch.cat(looked)

    def read_evenly(self, x: Tensor, absent: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
        """The layers for `read`, on a GPU in 16 bits: with a few empty places behind the texts, for
        which its attention is faster. Texts that are answered together have similar lengths."""
        length, laid = x.shape[1], Even(absent)
        bias = laid.bias(self._far(laid.length, x.dtype), x.dtype)
        with laid.attending():
            x = self._all_but_last(F.pad(x, (0, 0, 0, laid.length - length)), bias)
        found, looked = self._last().only_at(places, x, bias)
        return found, looked[:, :length]

    def _read(self, x: Tensor, bias: Tensor | None, places: Tensor) -> tuple[Tensor, Tensor]:
        return self._last().only_at(places, self._all_but_last(x, bias), bias)

    def _all_but_last(self, x: Tensor, bias: Tensor | None) -> Tensor:
        for layer in self.layers[:-1]:
            x = layer(x, bias)
        return x

    def _last(self) -> Layer:
        last = self.layers[-1]
        assert isinstance(last, Layer)
        return last

    def answer_in_eight_bits(self) -> None:
        """From now on, on a CPU, `read` multiplies in 8 bits."""
        self._quick = {}

    def _read_quickly(
        self, x: Tensor, lengths: Sequence[int], places: Tensor
    ) -> tuple[Tensor, Tensor]:
        """`read` text by text, so that none sees another's length. A layer's weights are rounded
        when they are first needed, or have changed since."""
        layers = [self._quick_layer(number) for number in range(len(self.layers))]
        found, looked = [], x.new_zeros(x.shape[:2])
        for row, n in enumerate(lengths):
            own, bias = padded(x[row, :n]), self._far_backwards(n)
            for layer in layers[:-1]:
                own = layer(own, n, bias, backwards=True)
            own, looked[row, :n] = layers[-1].only_at(places[row].clamp(max=n - 1), own, n, bias)
            found.append(own)
        return torch.stack(found), looked

    def _quick_layer(self, number: int) -> QuickLayer:
        assert self._quick is not None
        layer = self.layers[number]
        assert isinstance(layer, Layer)
        weights = dict(layer.named_parameters())
        state = [(weight.data_ptr(), weight._version) for weight in weights.values()]
        if number not in self._quick or self._quick[number][0] != state:
            self._quick[number] = state, QuickLayer(weights, layer.heads, layer.n1.eps)
        return self._quick[number][1]

    def _far_backwards(self, length: int) -> Tensor | None:
        """What is added for the distance from query to key, [heads, T, T], with the keys from the
        last to the first. A row is then the one above it, moved by one: all of them are views of
        one row per head, while a matrix for each head would take longer to make than a layer."""
        if not self.buckets:
            return None
        return self._relative(length - 1).flip(1).to(dtype_of_scores()).unfold(1, length, 1)

    def adapted(
        self,
        batches: Sequence[tuple[Tensor, Tensor]],
        layer_of: Callable[[int, Layer], Callable[[Tensor, Tensor | None], Tensor]],
        dtype: torch.dtype,
        layers: int | None = None,
    ) -> list[Tensor]:
        """`forward` of several batches (x, absent) without training, computed in `dtype`, with
        other layers: all, or the first few. They are asked for one by one, so that only one need be
        held at a time; nor are the biases of all batches, which may be larger than the texts."""
        masks = [mask(absent, dtype) for _, absent in batches]
        found = [self._begun(x, None).to(dtype) for x, _ in batches]
        far = self._far(max((x.shape[1] for x in found), default=1), dtype)
        for number, layer in enumerate(self.layers[:layers]):
            assert isinstance(layer, Layer)
            other = layer_of(number, layer)
            for at, hidden in enumerate(masks):
                found[at] = other(found[at], both(hidden, far, found[at].shape[1]))
        return found

    def _begun(
        self, x: Tensor, noise: torch.Generator | None, position: Tensor | None = None
    ) -> Tensor:
        at = slice(x.shape[1]) if position is None else position
        x = self.norm(x + self.position.weight[at])
        x = dropout(x, self.rate, noise)
        if torch.is_autocast_enabled(x.device.type):  # sums in 16 bits too, to halve their memory
            x = x.to(torch.get_autocast_dtype(x.device.type))
        return x

    def _bias(self, absent: Tensor, dtype: torch.dtype) -> Tensor | None:
        """What is added to the scores, [B or 1, heads or 1, T or 1, T]; None for nothing."""
        length = absent.shape[1]
        return both(mask(absent, dtype), self._far(length, dtype), length)

    def _far(self, length: int, dtype: torch.dtype) -> Tensor | None:
        """What is added for the distance from query to key, [heads, T, T]; None for nothing."""
        if not self.buckets:
            return None
        return self._relative(length - 1).to(dtype).unfold(1, length, 1).flip(1)

    def packed(
        self,
        x: Tensor,
        laid: Packed | Even,
        noise: torch.Generator | None,
        places: Tensor | None = None,
        made: Callable[[Any], Any] = _as_it_is,
        states: States | None = None,
    ) -> Tensor:
        """The layers over the texts laid end to end; `made` may compile what is done to a row.

        With `places`, what comes after the last layer's attention is done for them alone. It is
        little, and their number varies, so it is not compiled.
        """
        attend, whole = self._ways(laid, x.dtype, made)
        x = laid.packed(x)
        for number, layer in enumerate(self.layers if places is None else self.layers[:-1]):
            assert isinstance(layer, Layer)
            x = self._run(whole, layer, x, layer.kept(x, noise))
            if states is not None:
                states.keep(number, x, laid)
        if places is None:
            return laid.padded(x)
        last, at = self._last(), laid.at(places)

        def end(x: Tensor, kept: Kept) -> Tensor:
            y = attend(last, x)
            return last.finish(x.index_select(0, at), y.index_select(0, at), kept)

        kept = last.kept(x[:1].expand(len(at), -1), noise)
        wanted: Tensor = self._run(end, x, kept)
        return wanted.view(*places.shape, -1)

    def _ways(
        self, laid: Packed | Even, dtype: torch.dtype, made: Callable[[Any], Any]
    ) -> tuple[Callable[[Layer, Tensor], Tensor], Callable[[Layer, Tensor, Kept], Tensor]]:
        """A layer's attention over a row of texts, and the whole layer."""
        if isinstance(laid, Even):
            bias = laid.bias(self._far(laid.length, dtype), dtype)

            def densely(layer: Layer, x: Tensor) -> Tensor:
                return laid.attention(layer.qkv(x), layer.heads, bias)

            def then_by_token(layer: Layer, x: Tensor, kept: Kept) -> Tensor:
                out: Tensor = made(_finished)(layer, x, densely(layer, x), kept)
                return out

            return densely, then_by_token
        blocks = laid.blocks()
        table = None
        if self.buckets:
            longest = len(self.position.weight)
            assert laid.shape[1] <= longest
            table = self._relative(longest + 2 * BLOCK)

        def by_blocks(layer: Layer, x: Tensor) -> Tensor:
            y: Tensor = made(_packed_attention)(layer, x, table, blocks)
            return y

        def at_once(layer: Layer, x: Tensor, kept: Kept) -> Tensor:
            out: Tensor = made(_packed_layer)(layer, x, table, blocks, kept)
            return out

        return by_blocks, at_once

    def _relative(self, reach: int) -> Tensor:
        """[heads, 2 reach + 1]: what each head adds at each distance from query to key."""
        distance = torch.arange(-reach, reach + 1, device=self.relative.weight.device)
        table: Tensor = self.relative(bucket(distance, self.buckets)).t().contiguous()
        return table

"""A transformer's layer for answers on a CPU: products in 8 bits, the attention's in 16 where the
CPU has them, everything else in 32.

It is made from a layer's weights and does not follow them when they change.
"""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.readers.eight_bits import EightBitProduct, Rounded, fast_in_sixteen_bits, rounded
from cloze.readers.layers import MINUS_INFINITY

_TOGETHER = 3_000_000  # scores that are computed at once: they stay in the cache
_ROWS = 64  # the rows of whatever is multiplied are a multiple of it


class QuickLayer:
    def __init__(self, weights: Mapping[str, Tensor], heads: int, epsilon: float) -> None:
        """`weights` are all of a `Layer`'s, by their names."""
        own = {name: weight.detach() for name, weight in weights.items()}
        self.heads, self.epsilon = heads, epsilon
        size = len(own["o.bias"])
        scale = (size // heads) ** -0.5  # in the weights, so that scores need not be divided
        weight, bias = own["qkv.weight"], own["qkv.bias"]
        self.q = EightBitProduct(weight[:size] * scale, bias[:size] * scale)
        self.kv = EightBitProduct(weight[size:], bias[size:])
        self.o, self.up, self.down = (
            EightBitProduct(own[f"{name}.weight"], own[f"{name}.bias"])
            for name in ("o", "up", "down")
        )
        self.norms = [(own[f"{name}.weight"], own[f"{name}.bias"]) for name in ("n1", "n2")]

    def __call__(
        self, x: Tensor, length: int, bias: Tensor | None, *, backwards: bool = False
    ) -> Tensor:
        """What `Layer.forward` makes of one text of this length, x [P, H], `padded`; bias is added
        to the scores, [heads or 1, T or 1, T], with the keys from the last to the first if it is
        `backwards`."""
        read = rounded(x)
        k, v = self._keys_and_values(read.backwards(length) if backwards else read)
        return self._finish(x, attention(self._by_head(self.q(read)), k, v, length, bias))

    def each(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """Texts side by side, [B, T, H]; bias [B or 1, heads or 1, T or 1, T]."""
        length = x.shape[1]
        biases = [None] * len(x) if bias is None else list(bias.expand(len(x), -1, -1, -1))
        texts = zip(map(padded, x), biases, strict=True)
        return torch.stack([self(own, length, added)[:length] for own, added in texts])

    def only_at(
        self, places: Tensor, x: Tensor, length: int, bias: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """What becomes of the tokens at `places` [K], as `Layer.only_at` has it, [K, H] and [T];
        the bias is backwards."""
        count, places = len(places), padded(places)  # with the first token, which is there
        read, asking = rounded(x), x[places]
        k, v = self._keys_and_values(read.backwards(length))
        q = self._by_head(self.q(Rounded(read.numbers[places], read.scales[places])))
        bias = None if bias is None else bias[:, places]
        scores = torch.bmm(q[:, :1], k[:, :length].transpose(1, 2))
        scores = scores if bias is None else scores + bias[:, :1].float()
        looked = scores.softmax(2).mean(0)[0].flip(0)
        return self._finish(asking, attention(q, k, v, length, bias))[:count], looked

    def _keys_and_values(self, read: Rounded) -> tuple[Tensor, Tensor]:
        k, v = self.kv(read).chunk(2, 1)
        return self._by_head(k), self._by_head(v)

    def _by_head(self, x: Tensor) -> Tensor:
        """[T, H] -> [heads, T, H / heads]"""
        return x.view(len(x), self.heads, -1).transpose(0, 1)

    def _finish(self, x: Tensor, y: Tensor) -> Tensor:
        x = self._norm(0, self.o(rounded(y)).add_(x))
        inner = F.gelu(self.up(rounded(x)))
        return self._norm(1, self.down(rounded(inner)).add_(x))

    def _norm(self, number: int, x: Tensor) -> Tensor:
        weight, bias = self.norms[number]
        return F.layer_norm(x, weight.shape, weight, bias, self.epsilon)


def dtype_of_scores() -> torch.dtype:
    """What scores are computed in; a bias of this type need not be converted."""
    return torch.bfloat16 if fast_in_sixteen_bits() else torch.float32


def described() -> str:
    """What such layers multiply in on this machine."""
    return f"int8, attention in {str(dtype_of_scores())[6:]}"


def padded(x: Tensor) -> Tensor:
    """With zeros behind the end, up to a multiple of 64 rows. oneDNN keeps what it has compiled for
    each shape; for every length that there is, that would be a gigabyte."""
    return torch.cat([x, x.new_zeros(-len(x) % _ROWS, *x.shape[1:])])


def attention(q: Tensor, k: Tensor, v: Tensor, length: int, bias: Tensor | None) -> Tensor:
    """What each token sees, [Q, H], of q [heads, Q, size] that are scaled already, and k and v
    [heads, P, size], of which only the first `length` are there. The bias may lack the last of the
    queries: what they see does not matter."""
    dtype, heads, count = dtype_of_scores(), len(q), q.shape[1]
    asked = count if bias is None or bias.shape[1] == 1 else bias.shape[1]
    if bias is not None:
        bias = bias.to(dtype).expand(heads, -1, -1)
    if dtype == torch.float32:
        there = (q[None, :, :asked], k[None, :, :length], v[None, :, :length])
        mask = None if bias is None else bias[None]
        seen = F.scaled_dot_product_attention(*there, attn_mask=mask, scale=1.0)[0]
        return F.pad(seen.transpose(0, 1).flatten(1), (0, 0, 0, count - asked))
    # Step by step, some heads at a time in the same memory: faster than PyTorch's fused attention.
    q, k, v = (part.to(dtype, memory_format=torch.contiguous_format) for part in (q, k, v))
    many = max(1, min(heads, _TOGETHER // (count * k.shape[1])))
    memory = q.new_empty(many, count, k.shape[1])
    found = torch.empty_like(q)
    for first in range(0, heads, many):
        some = slice(first, first + many)
        scores = torch.bmm(q[some], k[some].transpose(1, 2), out=memory[: heads - first])
        if bias is not None:
            scores[:, :asked, :length].add_(bias[some])
        scores[:, :, length:] = MINUS_INFINITY
        torch.softmax(scores, -1, out=scores)
        torch.bmm(scores, v[some], out=found[some])
    return found.transpose(0, 1).flatten(1).float()

"""A transformer's layer for answers on a CPU: products in 8 bits, the attention's in 16 where the
CPU has them, everything else in 32.

It is made from a layer's weights and does not follow them when they change.
"""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.readers.eight_bits import EightBitProduct, Rounded, fast_in_sixteen_bits, rounded

_TOGETHER = 3_000_000  # scores that are computed at once: they stay in the cache


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

    def __call__(self, x: Tensor, bias: Tensor | None, *, backwards: bool = False) -> Tensor:
        """What `Layer.forward` makes of one text, x [T, H]; bias is added to the scores, [heads or
        1, T or 1, T], with the keys from the last to the first if it is `backwards`."""
        read = rounded(x)
        k, v = self._keys_and_values(read, backwards)
        y = attention(self._by_head(self.q(read)), k, v, bias)
        return self._finish(x, y)

    def each(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """Texts side by side, [B, T, H]; bias [B or 1, heads or 1, T or 1, T]."""
        if bias is None:
            return torch.stack([self(own, None) for own in x])
        biases = bias.expand(len(x), -1, -1, -1)
        return torch.stack([self(own, added) for own, added in zip(x, biases, strict=True)])

    def only_at(self, places: Tensor, x: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
        """What becomes of the tokens at `places` [K], as `Layer.only_at` has it, [K, H] and [T];
        the bias is backwards."""
        read, asking = rounded(x), x[places]
        k, v = self._keys_and_values(read, backwards=True)
        q = self._by_head(self.q(Rounded(read.numbers[places], read.scales[places])))
        bias = None if bias is None else bias[:, places]
        scores = torch.bmm(q[:, :1], k.transpose(1, 2))
        scores = scores if bias is None else scores + bias[:, :1].float()
        looked = scores.softmax(2).mean(0)[0].flip(0)
        return self._finish(asking, attention(q, k, v, bias)), looked

    def _keys_and_values(self, read: Rounded, backwards: bool) -> tuple[Tensor, Tensor]:
        k, v = self.kv(read.backwards() if backwards else read).chunk(2, 1)
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


def attention(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None) -> Tensor:
    """What each token sees, [Tq, H], of q [heads, Tq, size] that are scaled already, and k and v
    [heads, T, size]."""
    dtype = dtype_of_scores()
    if bias is not None:
        bias = bias.to(dtype).expand(len(q), -1, -1)
    if dtype == torch.float32:
        mask = None if bias is None else bias[None]
        y = F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=mask, scale=1.0)
        return y[0].transpose(0, 1).flatten(1)
    # Step by step, some heads at a time in the same memory: faster than PyTorch's fused attention.
    q, k, v = (part.to(dtype, memory_format=torch.contiguous_format) for part in (q, k, v))
    heads, count, length = len(q), q.shape[1], k.shape[1]
    many = max(1, min(heads, _TOGETHER // (count * length)))
    memory = q.new_empty(many, count, length)
    found = torch.empty_like(q)
    for first in range(0, heads, many):
        some = slice(first, first + many)
        scores = torch.bmm(q[some], k[some].transpose(1, 2), out=memory[: heads - first])
        if bias is not None:
            scores.add_(bias[some])
        torch.softmax(scores, -1, out=scores)
        torch.bmm(scores, v[some], out=found[some])
    return found.transpose(0, 1).flatten(1).float()

"""A layer of the body as the tagger computes it: with the weights that its adapters change.

The reader's own layer stays as it is, so that both can read at once.
"""

from collections.abc import Mapping
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from cloze.readers.tagging.adapters import MATRICES
from cloze.readers.tagging.eight_bits import eight_bit_product
from cloze.readers.transformer import Layer


class ChangedLayer:
    def __init__(self, layer: Layer, weights: Mapping[str, Tensor], *, in_eight_bits: bool) -> None:
        """`weights` are all of the layer's, by their names."""
        self.heads, self.epsilon = layer.heads, layer.n1.eps
        own = {name: (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in MATRICES}
        if in_eight_bits:
            self.products = {name: eight_bit_product(*both) for name, both in own.items()}
            weight, bias = (_with_scaled_queries(part, layer.heads) for part in own["qkv"])
            self.products["qkv"] = eight_bit_product(weight, bias, torch.bfloat16)
            self.attention = _attention_in_sixteen_bits
        else:
            self.products = {
                name: partial(F.linear, weight=weight, bias=bias)
                for name, (weight, bias) in own.items()
            }
            self.attention = _attention
        self.norms = {
            name: (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in ("n1", "n2")
        }

    def __call__(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """What `Layer.forward` does: x [B, T, H]; bias is added to the scores."""
        q, k, v = (
            part.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
            for part in self.products["qkv"](x).chunk(3, -1)
        )
        y = self.attention(q, k, v, bias).transpose(1, 2).flatten(2).to(x.dtype)
        x = self._norm("n1", x + self.products["o"](y))
        return self._norm("n2", x + self.products["down"](F.gelu(self.products["up"](x))))

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.norms[name]
        return F.layer_norm(x, weight.shape, weight, bias, self.epsilon)


def _with_scaled_queries(part: Tensor, heads: int) -> Tensor:
    """The weight or bias of queries, keys and values, so that scores need not be divided."""
    q, k, v = part.chunk(3)
    return torch.cat([q * (len(q) // heads) ** -0.5, k, v])


def _attention(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


def _attention_in_sixteen_bits(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None) -> Tensor:
    """Step by step: on CPUs with products of 16 bits faster than the fused one. The queries are
    scaled already."""
    scores = torch.matmul(q, k.transpose(2, 3))
    if bias is not None:
        scores = scores + bias.to(scores.dtype)
    return torch.matmul(torch.softmax(scores, -1), v)

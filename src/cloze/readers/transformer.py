"""A transformer over embedded texts, as BERT, RoBERTa and MPNet have it, in plain PyTorch.

The layers normalise after each sum, with GELU between the two products of the inner layer. Where
there are relative buckets (MPNet has 32), every head adds a bias that depends on how far the key
stands from the query.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cloze.readers.layers import dropout

FURTHEST = 128  # tokens: beyond, all distances share a bucket


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

    def forward(self, x: Tensor, bias: Tensor, noise: torch.Generator | None) -> Tensor:
        """x [B, T, H]; bias is added to the scores, [B or 1, heads or 1, T or 1, T]."""
        b, t, h = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, h // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        y = self.o(y.transpose(1, 2).reshape(b, t, h))
        x = self.n1(x + dropout(y, self.rate, noise)).to(x.dtype)
        y = self.down(F.gelu(self.up(x)))
        out: Tensor = self.n2(x + dropout(y, self.rate, noise)).to(x.dtype)
        return out


class Transformer(nn.Module):
    """From embedded tokens to what each means in its place."""

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
        self.rate, self.buckets = rate, buckets
        self.position = nn.Embedding(positions, size)
        self.norm = nn.LayerNorm(size, eps=epsilon)
        self.layers = nn.ModuleList(Layer(size, heads, inner, epsilon, rate) for _ in range(layers))
        if buckets:
            self.relative = nn.Embedding(buckets, heads)

    def forward(self, x: Tensor, absent: Tensor, noise: torch.Generator | None) -> Tensor:
        """x [B, T, H], absent [B, T] true where there is no token -> [B, T, H]"""
        t = x.shape[1]
        x = self.norm(x + self.position.weight[:t])
        x = dropout(x, self.rate, noise)
        bias = torch.zeros_like(absent, dtype=x.dtype).masked_fill_(absent, -1e4)[:, None, None]
        if self.buckets:
            bias = bias + self._relative(t).to(x.dtype)
        for layer in self.layers:
            x = layer(x, bias, noise)
        return x

    def _relative(self, length: int) -> Tensor:
        """[1, heads, T, T]: what each head adds by the distance from query to key."""
        reach = torch.arange(1 - length, length, device=self.position.weight.device)
        table = self.relative(bucket(reach, self.buckets)).t()  # [heads, 2T - 1]
        at = torch.arange(length, device=reach.device)
        bias: Tensor = table[:, at[None, :] - at[:, None] + length - 1][None]
        return bias


def bucket(distance: Tensor, buckets: int) -> Tensor:
    """The bucket of each distance, key minus query: half of the buckets for each side, and of those
    half for single steps, the rest wider and wider up to `FURTHEST`.

    >>> bucket(torch.tensor([0, -1, 1, -9, 200]), 32).tolist()
    [0, 1, 17, 8, 31]
    """
    side = buckets // 2
    single = side // 2
    n = distance.abs()
    grown = torch.log(n.clamp(min=1).float() / single) / math.log(FURTHEST / single)
    wide = single + (grown * (side - single)).long()
    return (distance > 0).long() * side + torch.where(n < single, n, wide.clamp(max=side - 1))

"""A layer of the body as the tagger computes it: with the weights that its adapters change.

The reader's own layer stays as it is, so that both can read at once.
"""

from collections.abc import Mapping
from functools import partial

from torch import Tensor
from torch.nn import functional as F

from cloze.readers.tagging.adapters import MATRICES
from cloze.readers.transformer import Layer


class ChangedLayer:
    def __init__(self, layer: Layer, weights: Mapping[str, Tensor]) -> None:
        """`weights` are all of the layer's, by their names."""
        self.heads, self.epsilon = layer.heads, layer.n1.eps
        own = {name: (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in MATRICES}
        self.products = {
            name: partial(F.linear, weight=weight, bias=bias)
            for name, (weight, bias) in own.items()
        }
        self.norms = {
            name: (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in ("n1", "n2")
        }

    def __call__(self, x: Tensor, bias: Tensor | None) -> Tensor:
        """What `Layer.forward` does: x [B, T, H]; bias is added to the scores."""
        q, k, v = (
            part.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
            for part in self.products["qkv"](x).chunk(3, -1)
        )
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias).transpose(1, 2).flatten(2)
        x = self._norm("n1", x + self.products["o"](y))
        return self._norm("n2", x + self.products["down"](F.gelu(self.products["up"](x))))

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.norms[name]
        return F.layer_norm(x, weight.shape, weight, bias, self.epsilon)

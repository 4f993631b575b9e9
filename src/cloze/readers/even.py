"""A transformer's layers over texts of nearly the same length, for training on a GPU in 16 bits.

Training makes such batches (`cloze.training.order`). Each text is given the same number of places,
a few of them empty, so that attention is one dense product a text, for which cuDNN has a faster
kernel than there is for block-sparse attention (`cloze.readers.packed`). What is done token by
token sees all places laid end to end in one long row, of which there are few sizes.
"""

from contextlib import AbstractContextManager

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from cloze.readers.packed import LEAST, row_size

PLACES = 64  # the number of places of a text is a multiple of it: cuDNN plans anew for every number
# The first that can; without cuDNN's it would be slower than block-sparse attention, but no less
# right.
_WAYS = [SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_DTYPES = (torch.bfloat16, torch.float16)


def runs_on(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether cuDNN's attention is known to be the faster one there."""
    if device.type != "cuda" or dtype not in _DTYPES:
        return False
    return torch.cuda.get_device_capability(device) >= (9, 0)


def fits(shape: torch.Size, tokens: int, least: int = LEAST) -> bool:
    """Whether texts of this many tokens, padded to [B, T], make a row no longer than if they were
    laid end to end."""
    return row_size(shape[0] * _places(shape[1]), least) == row_size(tokens, least)


def _places(length: int) -> int:
    return -(-length // PLACES) * PLACES


class Even:
    """The places of padded texts in one row."""

    def __init__(self, absent: Tensor, least: int = LEAST) -> None:
        """absent: true where a text of the batch has no token, bool [B, T]"""
        self.shape = absent.shape
        self.length = _places(absent.shape[1])
        self.absent = F.pad(absent, (0, self.length - absent.shape[1]), value=True)
        self.count = self.absent.numel()
        self.size = row_size(self.count, least)
        rows = torch.arange(len(absent), device=absent.device, dtype=torch.int32)[:, None]
        self.text = torch.where(self.absent, len(absent), rows).flatten()  # behind the last: none

    def packed(self, x: Tensor) -> Tensor:
        """[B, T, H] -> [N, H]"""
        whole = F.pad(x, (0, 0, 0, self.length - x.shape[1])).flatten(0, 1)
        return F.pad(whole, (0, 0, 0, self.size - self.count))

    def padded(self, y: Tensor) -> Tensor:
        """[N, H] -> [B, T, H], zero where there is no token"""
        whole = y[: self.count].view(*self.absent.shape, -1)
        return whole.masked_fill(self.absent[..., None], 0.0)[:, : self.shape[1]]

    def at(self, places: Tensor) -> Tensor:
        """Where the tokens at these places of each text [B, K] stand now, [B K]."""
        row = torch.arange(len(places), device=places.device)[:, None] * self.length
        return (row + places).flatten()

    def bias(self, far: Tensor | None, dtype: torch.dtype) -> Tensor:
        """What is added to the scores, [B, heads or 1, T, T]; far: for distances, [heads, T, T].
        It is as large as it looks, since cuDNN reads no other; all layers share it."""
        hidden = torch.zeros_like(self.absent, dtype=dtype).masked_fill_(self.absent, -1e4)
        added = hidden[:, None, None]
        if far is not None:
            return added + far
        return added.expand(-1, 1, self.length, -1).contiguous()

    def attending(self) -> AbstractContextManager[None]:
        """While it lasts, PyTorch takes the quickest attention for such texts."""
        quickest: AbstractContextManager[None] = sdpa_kernel(_WAYS, set_priority=True)
        return quickest

    def attention(self, qkv: Tensor, heads: int, bias: Tensor) -> Tensor:
        """qkv [N, 3H] -> [N, H]"""
        texts, length = self.absent.shape
        there = qkv if self.count == self.size else qkv[: self.count]
        parts = there.view(texts, length, 3, heads, -1).unbind(2)
        q, k, v = (part.transpose(1, 2) for part in parts)
        with self.attending():
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        seen = y.transpose(1, 2).reshape(self.count, -1)
        return seen if self.count == self.size else F.pad(seen, (0, 0, 0, self.size - self.count))

"""A transformer's layers over texts laid end to end, without padding, for training on a GPU.

Texts differ in length, and padding them to the longest wastes a good part of every product. Laid
end to end they make one long row of a few sizes, which PyTorch compiles once; its block-sparse
attention (FlexAttention) looks only where two tokens belong to the same text. The results are
those of the padded texts, up to rounding.
"""

import importlib.util
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, flex_attention

BLOCK = 128  # tokens in a block: attention looks at all of them or none
LEAST = 8192  # tokens: rows are filled up to this, its double and so on: few sizes are compiled
MOST_COMPILED = 32  # versions of a function: one for each size of rows and each of two readers
# Chosen on an H200 for heads of 64 and a bias: the quickest of those tried.
KERNEL = {
    **{"fwd_BLOCK_M": 128, "fwd_BLOCK_N": 32, "fwd_num_warps": 4, "fwd_num_stages": 2},
    **{"bwd_BLOCK_M1": 32, "bwd_BLOCK_N1": 64, "bwd_BLOCK_M2": 64, "bwd_BLOCK_N2": 32},
    **{"bwd_num_warps": 4, "bwd_num_stages": 2},
}


def runs_on(device: torch.device) -> bool:
    """Whether the compiled layers can run there."""
    if device.type != "cuda" or importlib.util.find_spec("triton") is None:
        return False
    return torch.cuda.get_device_capability(device) >= (8, 0)


def row_size(tokens: int, least: int = LEAST) -> int:
    """How long a row for so many tokens is."""
    size = least
    while size < tokens:
        size *= 2
    return size


class Packed:
    """The positions of the tokens of padded texts when they are laid end to end."""

    def __init__(self, absent: Tensor, tokens: int | None = None, least: int = LEAST) -> None:
        """absent: true where a text of the batch has no token, bool [B, T]; tokens: how many it
        has. Who does not know that has to wait for the device."""
        self.shape = absent.shape
        there = ~absent.flatten()
        self.count = int(there.sum()) if tokens is None else tokens
        present = torch.argsort(there.int(), descending=True, stable=True)[: self.count]
        number = torch.arange(row_size(self.count, least), device=absent.device)
        # Spare places, which nobody reads, repeat all tokens in turn: adding up the gradients of
        # one that stands in thousands of places would take long.
        self.where = present[number % self.count]
        # Each spare block is a text of its own, so attention within it stays short.
        alone = absent.shape[0] + number // BLOCK
        self.text = torch.where(number < self.count, self.where // absent.shape[1], alone).int()
        self._number = there.cumsum(0) - 1

    def packed(self, x: Tensor) -> Tensor:
        """[B, T, H] -> [N, H]"""
        return x.flatten(0, 1)[self.where]

    def padded(self, y: Tensor) -> Tensor:
        """[N, H] -> [B, T, H], zero where there is no token"""
        empty = y.new_zeros(self.shape[0] * self.shape[1], y.shape[1])
        filled = empty.index_copy(0, self.where[: self.count], y[: self.count])
        return filled.view(*self.shape, y.shape[1])

    def at(self, places: Tensor) -> Tensor:
        """Where the tokens at these places of each text [B, K] stand now, [B K]; where there is no
        token, another one."""
        row = torch.arange(len(places), device=places.device)[:, None] * self.shape[1]
        return self._number[(row + places).flatten()].clamp(min=0)

    def blocks(self) -> BlockMask:
        """Which blocks of keys each block of queries looks at, wholly or in part."""
        text = self.text
        by_block = text.view(-1, BLOCK)
        first, last = by_block.amin(1), by_block.amax(1)
        meet = (first[:, None] <= last[None]) & (last[:, None] >= first[None])
        single = first == last
        whole = meet & single[:, None] & single[None]

        def same_text(b: Tensor, h: Tensor, query: Tensor, key: Tensor) -> Tensor:
            return text[query] == text[key]

        return BlockMask.from_kv_blocks(
            *_listed(meet & ~whole),
            *_listed(whole),
            BLOCK_SIZE=BLOCK,
            mask_mod=same_text,
            seq_lengths=(len(text), len(text)),
        )


def _listed(wanted: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks each row wants, and all blocks in a list, the wanted ones first."""
    order = torch.argsort(wanted.int(), dim=1, descending=True, stable=True).int()
    return wanted.sum(1, dtype=torch.int32)[None, None], order[None, None]


def attention(qkv: Tensor, heads: int, table: Tensor | None, blocks: BlockMask) -> Tensor:
    """qkv [N, 3H] -> [N, H]

    The table has what each head adds, by key minus query; its middle is for a distance of zero. It
    must reach over the longest text and two blocks: a GPU computes no score beyond blocks that
    share a text. A CPU computes all of them, and drops most.
    """
    length, size = qkv.shape[0], qkv.shape[1] // 3
    q, k, v = qkv.view(length, 3, heads, size // heads).permute(1, 2, 0, 3).unsqueeze(1)
    middle = 0 if table is None else table.shape[1] // 2

    def biased(score: Tensor, b: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        assert table is not None
        distance = key - query + middle
        return score + table[head, distance if qkv.is_cuda else distance.clamp(0, 2 * middle)]

    added = None if table is None else biased
    options: Any = KERNEL
    y = flex_attention(q, k, v, score_mod=added, block_mask=blocks, kernel_options=options)
    assert isinstance(y, Tensor)
    return y[0].transpose(0, 1).reshape(length, size)


@cache
def compiled(function: Any) -> Any:
    """The function, compiled for the shapes that it meets.

    PyTorch's checks of indices are off, since they slow down the look-up of the bias; the indices
    cannot leave the table (`attention`). After a few shapes PyTorch would compile no more, and
    attention that is not compiled needs memory for all pairs of tokens.
    """
    import torch._dynamo  # only now: it takes a second

    limits = torch._dynamo.config
    limits.recompile_limit = max(limits.recompile_limit, MOST_COMPILED)
    return torch.compile(function, dynamic=False, options={"assert_indirect_indexing": False})

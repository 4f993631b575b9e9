"""The recurrent weights in the order in which the portable kernels use them."""

import torch
from torch import Tensor

from cloze.recurrence.plan import Plan


def arranged(recurrent: Tensor, plan: Plan) -> Tensor:
    """W_h [D, 4H, H] as [D, blocks, ...]: what each block needs, one after the other.

    Stepwise it stays as it is, in the type in which it will be multiplied.
    """
    if plan.stepwise:
        dtype = torch.bfloat16 if plan.storage == "bfloat16" else torch.float32
        W_h = recurrent.detach().to(dtype).contiguous()
        return W_h if W_h.data_ptr() % 16 == 0 else W_h.clone()  # cuBLAS has faster ways for these
    if plan.math == "few":
        return recurrent.float().contiguous()
    products = _of_blocks(recurrent.detach().float(), plan)
    if plan.math == "plain":
        return products.transpose(2, 3).contiguous()
    if plan.math == "bf16":
        return _for_tensor_cores(products.to(torch.bfloat16), 2)
    # TF32 has 13 bits fewer than a float: round to the nearest, half away from zero.
    bits = products.contiguous().view(torch.int32)
    rounded = ((bits + 0x1000) & ~0x1FFF).view(torch.float32)
    # NaN has the largest bits of all: rounded up it would be -0.
    return _for_tensor_cores(torch.where(products.isnan(), products, rounded), 1)


def _of_blocks(recurrent: Tensor, plan: Plan) -> Tensor:
    """[D, blocks, M, K]: forward, the gates of each unit; backward, each unit's column."""
    D, blocks, units, H = len(recurrent), plan.blocks, plan.units, plan.hidden
    if plan.forward:
        by_unit = recurrent.reshape(D, 4, blocks, units, H).permute(0, 2, 3, 1, 4)
        return by_unit.reshape(D, blocks, 4 * units, H)
    return recurrent.transpose(1, 2).reshape(D, blocks, units, 4 * H)


def _for_tensor_cores(products: Tensor, numbers: int) -> Tensor:
    """[D, blocks, K / 16 words, product, tile of 16 m, lane, register, numbers of a word]."""
    D, blocks, M, K = products.shape
    # m is (tile, half, g); k is (16 words, t, product, half of it, number of the word)
    parts = products.reshape(D, blocks, M // 16, 2, 8, K // (16 * numbers), 4, 2, 2, numbers)
    return parts.permute(0, 1, 5, 7, 2, 4, 6, 8, 3, 9).contiguous()

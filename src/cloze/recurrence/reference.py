"""The peephole LSTM as its equations say: one step after another, with gradients by autograd.

Slow, but right for any floating dtype. The other implementations are compared with it.
"""

import torch
from torch import Tensor


def peephole_lstm(
    projected: Tensor,
    recurrent: Tensor,
    peepholes: Tensor,
    lengths: Tensor,
    reverse: tuple[bool, ...],
) -> Tensor:
    """h [T, B, D, H] from projected inputs [T, B, D, 4H]; see the package for the rest."""
    # Under autocast the projections are bfloat16; the steps keep the precision of the weights.
    stored, wide = projected.dtype, torch.promote_types(projected.dtype, recurrent.dtype)
    projected, recurrent, peepholes = (x.to(wide) for x in (projected, recurrent, peepholes))
    directions = projected.shape[2]
    time = torch.arange(projected.shape[0], device=projected.device)[:, None]
    real = time < lengths.to(projected.device)  # [T, B]
    last_first = torch.where(real, lengths.to(projected.device) - 1 - time, time)  # its own inverse
    outputs = []
    for d in range(directions):
        # Padding is replaced, not multiplied by zero, because it may hold anything, even NaN.
        inputs = torch.where(real[..., None], projected[:, :, d], 0)  # [T, B, 4H]
        if reverse[d]:
            inputs = _reorder(inputs, last_first)
        outputs_d = _one_direction(inputs, recurrent[d], *peepholes[d])
        if reverse[d]:
            outputs_d = _reorder(outputs_d, last_first)
        outputs.append(torch.where(real[..., None], outputs_d, 0))
    return torch.stack(outputs, dim=2).to(stored)


def _one_direction(
    projected: Tensor, W_h: Tensor, w_ci: Tensor, w_cf: Tensor, w_co: Tensor
) -> Tensor:
    h = c = projected.new_zeros(projected.shape[1], W_h.shape[1])
    outputs = []
    for p in projected:
        p_i, p_f, p_c, p_o = (p + h @ W_h.T).chunk(4, dim=1)
        i = torch.sigmoid(p_i + w_ci * c)
        f = torch.sigmoid(p_f + w_cf * c)
        c = f * c + i * torch.tanh(p_c)
        o = torch.sigmoid(p_o + w_co * c)
        h = o * torch.tanh(c)
        outputs.append(h)
    return torch.stack(outputs)


def _reorder(values: Tensor, order: Tensor) -> Tensor:
    return values.gather(0, order[..., None].expand_as(values))

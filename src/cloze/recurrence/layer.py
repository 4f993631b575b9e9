"""One layer of the peephole LSTM with its weights."""

import math

import torch
from torch import Tensor, nn

from cloze.recurrence.dispatch import peephole_lstm, peephole_lstm_of_inputs


class PeepholeLSTM(nn.Module):
    """Maps x [T, B, I], time first, and lengths [B] to h [T, B, D, H], zero at padding.

    Without an input size the layer holds only the recurrent weights, for callers whose gates read
    different inputs: they project the inputs themselves and call `recur`.
    """

    W_x: Tensor  # [D * 4H, I], gates i, f, c, o
    bias: Tensor  # [D * 4H]
    recurrent: Tensor  # [D, 4H, H], W_h
    peepholes: Tensor  # [D, 3, H], w_ci, w_cf, w_co

    def __init__(
        self,
        input_size: int | None,
        hidden_size: int,
        *,
        bidirectional: bool = True,
        forget_bias: float = 0.0,
        implementation: str = "auto",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.directions = 2 if bidirectional else 1
        self.forget_bias = forget_bias
        self.implementation = implementation
        D, H = self.directions, hidden_size
        if input_size is not None:
            self.W_x = nn.Parameter(torch.empty(D * 4 * H, input_size))
            self.bias = nn.Parameter(torch.empty(D * 4 * H))
        self.recurrent = nn.Parameter(torch.empty(D, 4 * H, H))
        self.peepholes = nn.Parameter(torch.empty(D, 3, H))
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Every weight uniform in ±1/sqrt(H); `forget_bias` is added to the forget gate's bias."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            parameter.uniform_(-bound, bound, generator=generator)
        if hasattr(self, "bias"):
            self.bias.view(self.directions, 4, self.hidden_size)[:, 1] += self.forget_bias

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        device = x.device.type
        if not torch.is_autocast_enabled(device):
            return self._of_inputs(x, lengths, x.dtype)
        # Under autocast the projections, and so everything stored, have the lower precision.
        dtype = torch.get_autocast_dtype(device)
        with torch.autocast(device, enabled=False):
            return self._of_inputs(x, lengths, dtype)

    def _of_inputs(self, x: Tensor, lengths: Tensor, dtype: torch.dtype) -> Tensor:
        return peephole_lstm_of_inputs(
            x.to(dtype),
            self.W_x.to(dtype),
            self.bias.to(dtype),
            self.recurrent,
            self.peepholes,
            lengths,
            implementation=self.implementation,
        )

    def recur(self, projected: Tensor, lengths: Tensor) -> Tensor:
        """h from inputs that are already projected, [T, B, D, 4H], bias included."""
        with torch.autocast(projected.device.type, enabled=False):
            return peephole_lstm(
                projected,
                self.recurrent,
                self.peepholes,
                lengths,
                implementation=self.implementation,
            )

"""The recurrences that read a text from both ends: PyTorch's GRU, or our peephole LSTM.

    r(t) = sigmoid(W_xr x(t) + b_xr + W_hr h(t-1) + b_hr)
    z(t) = sigmoid(W_xz x(t) + b_xz + W_hz h(t-1) + b_hz)
    n(t) = tanh(W_xn x(t) + b_xn + r(t) * (W_hn h(t-1) + b_hn))
    h(t) = (1 - z(t)) * n(t) + z(t) * h(t-1)

In Cho et al. (2014) r(t) multiplies h(t-1) before W_hn; cuDNN, and so PyTorch, has it after.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from cloze.readers.config import CellConfig, RecurrentConfig
from cloze.readers.first_weights import FirstWeights
from cloze.readers.layers import BidirectionalLSTM, dropout


class BidirectionalGRU(nn.Module):
    """One layer of GRUs, read from both ends; the padding after a text is not read."""

    def __init__(self, config: RecurrentConfig, inputs: int) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.gru = nn.GRU(inputs, config.hidden_size, bidirectional=True)

    def forward(self, x: Tensor, lengths: Tensor, noise: torch.Generator | None) -> Tensor:
        """x [T, B, I] -> y(t) = forward y(t) || backward y(t), [T, B, 2H], zero at padding."""
        on_host = lengths.cpu()  # cuDNN wants to know them before it begins
        if int(on_host.min()) <= 0:
            raise ValueError("every text must have a length of at least 1")
        x = dropout(x, self.dropout, noise)
        read, _ = self.gru(pack_padded_sequence(x, on_host, enforce_sorted=False))
        y, _ = pad_packed_sequence(read, total_length=len(x))
        return y

    def fill(self, draw: FirstWeights) -> None:
        for name, weight in self.gru.named_parameters():
            if "bias" in name:
                nn.init.zeros_(weight)
            elif "hh" in name:
                draw.squares(weight)
            else:
                draw.gates(weight)

    def fill_memory(self, draw: FirstWeights) -> None:
        """A GRU has no cells whose memory could be set."""


Bidirectional = BidirectionalGRU | BidirectionalLSTM


def bidirectional(config: RecurrentConfig, inputs: int) -> Bidirectional:
    """The recurrence that the config asks for, over inputs of this size."""
    if isinstance(config, CellConfig) and config.cell == "gru":
        return BidirectionalGRU(config, inputs)
    return BidirectionalLSTM(config, inputs)

"""Draw the first weights. The values depend on the order of the draws, so a network fixes it."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from cloze.readers.config import RecurrentConfig
from cloze.recurrence import PeepholeLSTM


@dataclass(frozen=True)
class FirstWeights:
    """Draws values as a config says, one after another from one generator."""

    config: RecurrentConfig
    random: torch.Generator

    @torch.no_grad()
    def embedding(self, layer: nn.Embedding) -> None:
        scale = self.config.embedding_scale
        if self.config.embedding_init == "normal":
            layer.weight.normal_(0.0, scale, generator=self.random)
        else:
            self.uniform(layer.weight, scale)

    @torch.no_grad()
    def matrices(self, *layers: nn.Linear) -> None:
        for layer in layers:
            self._blocks(layer.weight, len(layer.weight))
            if layer.bias is not None:
                layer.bias.zero_()

    @torch.no_grad()
    def gates(self, weight: Tensor, bias: Tensor | None = None) -> None:
        """The matrices of a recurrence's gates, stacked one below the other, with H rows each."""
        self._blocks(weight, self.config.hidden_size)
        if bias is not None:
            bias.zero_()

    @torch.no_grad()
    def recurrence(self, lstm: PeepholeLSTM) -> None:
        self.squares(lstm.recurrent)
        lstm.peepholes.zero_()

    @torch.no_grad()
    def squares(self, weight: Tensor) -> None:
        """The matrices that read h(t-1), stacked one below the other, with H rows and columns."""
        hidden = self.config.hidden_size
        if self.config.recurrent_init == "orthogonal":
            for block in weight.view(-1, hidden, hidden):
                nn.init.orthogonal_(block, generator=self.random)
        else:
            self._blocks(weight, hidden)

    @torch.no_grad()
    def memories(self, *biases: Tensor) -> None:
        """Set how long the cells remember, through the biases of the gates i, f, c, o."""
        for bias in biases:
            gates = bias.view(-1, 4, self.config.hidden_size)
            gates[:, 1] = self.config.forget_bias
            if self.config.memory:
                gates[:, 1].uniform_(1, self.config.memory - 1, generator=self.random).log_()
                gates[:, 0] = -gates[:, 1]

    @torch.no_grad()
    def uniform(self, weight: Tensor, half_width: float) -> None:
        weight.uniform_(-half_width, half_width, generator=self.random)

    def _blocks(self, weight: Tensor, rows: int) -> None:
        for block in weight.view(-1, rows, weight.shape[-1]):
            glorot = math.sqrt(6.0 / (block.shape[0] + block.shape[1]))
            self.uniform(block, self.config.weight_scale or glorot)

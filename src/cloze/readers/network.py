"""Build a reader's network, draw its first weights, and the loss it is trained on."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cloze.readers.attentive import AttentiveReader
from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.deep_lstm import DeepLSTMReader
from cloze.readers.impatient import ImpatientReader

Network = AttentiveReader | ImpatientReader | DeepLSTMReader


def build(config: ReaderConfig, vocabulary_size: int, *, seed: int) -> Network:
    """The network of a config; its weights are a pure function of config, size and seed."""
    made: Network
    if config.kind == "deep-lstm":
        made = DeepLSTMReader(config, vocabulary_size)
    elif config.kind == "impatient":
        made = ImpatientReader(config, vocabulary_size)
    else:
        made = AttentiveReader(config, vocabulary_size)
    initialise(made, config, seed)
    return made


@torch.no_grad()
def initialise(network: nn.Module, config: ReaderConfig, seed: int) -> None:
    random = torch.Generator().manual_seed(seed)
    for name, weight in network.named_parameters():
        last = name.rsplit(".", 1)[-1]
        if name == "embedding.weight" and config.embedding_init == "normal":
            weight.normal_(0.0, config.embedding_scale, generator=random)
        elif name == "embedding.weight":
            _uniform(weight, config.embedding_scale, random)
        elif name == "answer.weight":
            _uniform(weight, config.output_scale, random)
        elif last == "recurrent":  # [directions, 4H, H]: a square block for each gate
            for block in weight.view(-1, weight.shape[2], weight.shape[2]):
                if config.recurrent_init == "orthogonal":
                    nn.init.orthogonal_(block, generator=random)
                else:
                    _uniform(block, config.weight_scale or _glorot(block), random)
        elif last in ("peepholes", "r_0") or weight.dim() == 1:
            weight.zero_()
        else:
            _uniform(weight, config.weight_scale or _glorot(weight), random)
    for module in network.modules():
        bias = _gate_biases(module)
        if bias is not None:
            size = bias.shape[-1] // 4
            bias[..., size : 2 * size] = config.forget_bias


def loss(logits: Tensor, batch: Batch, config: ReaderConfig) -> Tensor:
    """The mean of -log p(a | d, q) over the batch."""
    wanted = batch.answers if config.output == "vocabulary" else batch.answer_positions
    return F.cross_entropy(logits.float(), wanted)


def right(logits: Tensor, batch: Batch, config: ReaderConfig) -> Tensor:
    """Which questions are answered rightly by the softmax that was trained. bool [B]"""
    wanted = batch.answers if config.output == "vocabulary" else batch.answer_positions
    return logits.argmax(1) == wanted


def _gate_biases(module: nn.Module) -> Tensor | None:
    if hasattr(module, "recurrent"):
        own = getattr(module, "bias", None)
        bias: Tensor | None = own if own is not None else module.W_x.bias  # type: ignore[union-attr,assignment]
        return bias
    return None


def _glorot(weight: Tensor) -> float:
    rows, columns = weight.shape[-2], weight.shape[-1]
    return math.sqrt(6.0 / (rows + columns))


def _uniform(weight: Tensor, half_width: float, random: torch.Generator) -> None:
    weight.uniform_(-half_width, half_width, generator=random)

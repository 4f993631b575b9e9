"""Build a reader's network, draw its first weights, and the loss that it is trained on."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cloze.readers.attentive import AttentiveReader
from cloze.readers.batch import Batch
from cloze.readers.config import ReaderConfig
from cloze.readers.deep_lstm import DeepLSTMReader
from cloze.readers.impatient import ImpatientReader
from cloze.readers.vocabulary import PADDING

Network = AttentiveReader | ImpatientReader | DeepLSTMReader


def build(config: ReaderConfig, vocabulary_size: int, *, seed: int) -> Network:
    """The network of a config, its weights a pure function of config, size and seed."""
    network = blank(config, vocabulary_size)
    initialise(network, config, seed)
    return network


def blank(config: ReaderConfig, vocabulary_size: int) -> Network:
    """The network without values in its weights: made so, PyTorch's global generator is left be."""
    network: Network
    with torch.device("meta"):
        if config.kind == "deep-lstm":
            network = DeepLSTMReader(config, vocabulary_size)
        elif config.kind == "impatient":
            network = ImpatientReader(config, vocabulary_size)
        else:
            network = AttentiveReader(config, vocabulary_size)
    # What `to_empty` does, which would import sympy: two seconds before anything is answered.
    for module in network.modules():
        for name, weight in module.named_parameters(recurse=False):
            setattr(module, name, nn.Parameter(torch.empty(weight.shape, dtype=weight.dtype)))
        for name, buffer in module.named_buffers(recurse=False):
            setattr(module, name, torch.empty(buffer.shape, dtype=buffer.dtype))
    network.answer.reset_buffers()
    return network


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
        elif last in ("peepholes", "bias", "r_0"):
            weight.zero_()
        else:
            # The matrices of an LSTM's gates stand one below the other, each of H rows.
            rows = config.hidden_size if _is_stack_of_gates(name) else weight.shape[-2]
            for block in weight.view(-1, rows, weight.shape[-1]):
                if last == "recurrent" and config.recurrent_init == "orthogonal":
                    nn.init.orthogonal_(block, generator=random)
                else:
                    _uniform(block, config.weight_scale or _glorot(block), random)
    for name, weight in network.named_parameters():
        if _is_stack_of_gates(name) and name.endswith("bias"):  # i, f, c, o
            gates = weight.view(-1, 4, config.hidden_size)
            gates[:, 1] = config.forget_bias
            if config.memory:
                gates[:, 1].uniform_(1, config.memory - 1, generator=random).log_()
                gates[:, 0] = -gates[:, 1]


def loss(logits: Tensor, batch: Batch, config: ReaderConfig) -> Tensor:
    """The mean of -log p(a | d, q) over the questions that can be answered."""
    unknown = PADDING if config.output == "vocabulary" else -1
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return F.cross_entropy(wide, _wanted(batch, config), ignore_index=unknown)


def right(logits: Tensor, batch: Batch, config: ReaderConfig) -> Tensor:
    """Which questions the softmax that was trained answers rightly. bool [B]

    Over the vocabulary, the most probable of all words and markers must be the answer: a word, or
    a marker that is not in the document, counts as wrong.
    """
    return logits.argmax(1) == _wanted(batch, config)


def _wanted(batch: Batch, config: ReaderConfig) -> Tensor:
    return batch.answers if config.output == "vocabulary" else batch.answer_positions


def _is_stack_of_gates(name: str) -> bool:
    path = name.split(".")
    return "lstm" in path or (path[0] == "layers" and "W_y" not in path)


def _glorot(weight: Tensor) -> float:
    return math.sqrt(6.0 / (weight.shape[-2] + weight.shape[-1]))


def _uniform(weight: Tensor, half_width: float, random: torch.Generator) -> None:
    weight.uniform_(-half_width, half_width, generator=random)

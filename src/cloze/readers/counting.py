"""How many weights a reader has: those that it uses, which are those that are saved."""

from torch import Tensor

from cloze.readers.config import ReaderConfig
from cloze.readers.network import Network


def used_weights(network: Network, config: ReaderConfig, first_word: int) -> dict[str, Tensor]:
    """The weights by name, without the rows of words (from id `first_word`) that are never used."""
    cut = rows_of_words(network, config)
    return {
        name: weight[:first_word] if name in cut else weight
        for name, weight in network.named_parameters()
    }


def rows_of_words(network: Network, config: ReaderConfig) -> set[str]:
    """The weights whose rows of words a softmax over candidates never uses."""
    if config.output != "candidates":
        return set()
    rows = {id(weight) for weight in network.answer_rows()}
    return {name for name, weight in network.named_parameters() if id(weight) in rows}


def count_weights(network: Network, config: ReaderConfig, first_word: int) -> int:
    return sum(weight.numel() for weight in used_weights(network, config, first_word).values())

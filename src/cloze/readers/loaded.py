"""Networks that are loaded already, so that whatever shares their weights need not load them again.

Nothing is kept alive here: a network that nobody holds any more is forgotten.
"""

from pathlib import Path
from weakref import WeakValueDictionary

import torch

from cloze.readers import saving
from cloze.readers.network import Network

# By the hash of the file that the weights were read from, and the device that they are on.
_LOADED: WeakValueDictionary[tuple[str, str], Network] = WeakValueDictionary()


def remember(directory: Path, network: Network, device: torch.device | str) -> None:
    """What was just read from a reader's folder and put on a device."""
    _LOADED[saving.hash_of_weights(directory), str(device)] = network


def network_of(directory: Path, device: torch.device | str) -> Network:
    """The network of a reader's folder: the one in use, or else one that is loaded now."""
    known = _LOADED.get((saving.hash_of_weights(directory), str(device)))
    if known is not None:
        return known
    _, _, network, _ = saving.load(directory)
    network = network.to(device)
    remember(directory, network, device)
    return network

"""Randomness as a pure function of a seed and counters, never of global state."""

import hashlib

import numpy as np


def key_of(name: str) -> int:
    """A stable 64-bit number for a name (an example's id): the same in every process.

    >>> key_of("newsroom") == key_of("newsroom") != key_of("reader")
    True
    """
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def generator(seed: int, *counters: int) -> np.random.Generator:
    """An independent stream for each (seed, *counters).

    >>> generator(1, 2).random() == generator(1, 2).random() != generator(1, 3).random()
    True
    """
    words = np.random.SeedSequence([seed, *counters]).generate_state(2, np.uint64)
    return np.random.Generator(np.random.Philox(key=words))


def mix(values: np.ndarray) -> np.ndarray:
    """Scramble 64-bit counters into uniform 64-bit numbers (the finaliser of splitmix64)."""
    z = values.astype(np.uint64, copy=True)
    with np.errstate(over="ignore"):
        z += np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))

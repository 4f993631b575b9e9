"""Sequences of different lengths side by side, none of them padded.

Sorted by length, the sequences that are still running at a step are always the first few, so each
step works on a shorter block, and there is no padding that could leak into a result.
"""

from typing import NamedTuple

import numpy as np


class Packed(NamedTuple):
    starts: np.ndarray  # of the sequences, longest first
    lengths: np.ndarray
    running: np.ndarray  # how many sequences reach step k

    @classmethod
    def of(cls, bounds: np.ndarray) -> "Packed":
        lengths = np.diff(bounds)
        order = np.argsort(-lengths, kind="stable")
        steps = np.arange(lengths.max(initial=0))
        running = len(lengths) - np.searchsorted(np.sort(lengths), steps, side="right")
        return cls(bounds[:-1][order], lengths[order], running)

    def lstm(self, gates: np.ndarray, recurrent: np.ndarray, *, back: bool) -> np.ndarray:
        """Run an LSTM whose inputs are already multiplied by their weights.

        gates: [rows, 4 units] for i, f, g, o; recurrent: [units, 4 units]; returns [rows, units].
        """
        units = len(recurrent)
        states = np.empty((len(gates), units), np.float32)
        h = np.zeros((len(self.starts), units), np.float32)
        c = np.zeros_like(h)
        for step, running in enumerate(self.running):
            rows = self.starts[:running] + (self.lengths[:running] - 1 - step if back else step)
            z = gates[rows]
            if step:
                z += h[:running] @ recurrent
            forget, gate = _sigmoid(z[:, units : 2 * units]), np.tanh(z[:, 2 * units : 3 * units])
            c[:running] = forget * c[:running] + _sigmoid(z[:, :units]) * gate
            h[:running] = _sigmoid(z[:, 3 * units :]) * np.tanh(c[:running])
            states[rows] = h[:running]
        return states


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.float32(0.5) * (np.tanh(np.float32(0.5) * x) + np.float32(1)))


def best_path(scores: np.ndarray, packed: Packed) -> tuple[np.ndarray, np.ndarray]:
    """The best label of each row such that an inside follows its own beginning or inside.

    Labels are 0 outside, 1 to K beginnings, K + 1 to 2K insides. Also returns the scores of the
    labels chosen.
    """
    kinds = scores.shape[1] // 2
    many = len(packed.starts)
    total = np.zeros((many, 1 + 2 * kinds), np.float32)
    came = np.zeros(scores.shape, np.int16)  # the best label before this one
    insides = np.arange(1 + kinds, 1 + 2 * kinds)
    for step, running in enumerate(packed.running):
        rows = packed.starts[:running] + step
        if step == 0:
            total[:] = scores[rows]
            total[:, 1 + kinds :] = -np.inf
            continue
        now = total[:running]
        top = now.argmax(axis=1)
        came[rows, : 1 + kinds] = top[:, None]
        begun, inside = now[:, 1 : 1 + kinds], now[:, 1 + kinds :]
        came[rows, 1 + kinds :] = np.where(begun >= inside, insides - kinds, insides)
        following = scores[rows]
        following[:, : 1 + kinds] += now[np.arange(running), top][:, None]
        following[:, 1 + kinds :] += np.maximum(begun, inside)
        total[:running] = following
    path = np.zeros(len(scores), np.int64)
    label = total.argmax(axis=1)
    for step in range(len(packed.running) - 1, -1, -1):
        running = packed.running[step]
        rows = packed.starts[:running] + step
        path[rows] = label[:running]
        if step:
            label[:running] = came[rows, label[:running]]
    return path, scores[np.arange(len(scores)), path]

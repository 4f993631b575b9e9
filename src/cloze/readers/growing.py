"""A .npy file whose length is known only at its end: arrays written as they come."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np


class GrowingArray:
    def __init__(self, file: BinaryIO, dtype: type[np.generic]) -> None:
        self._file, self._dtype = file, np.dtype(dtype)
        self._length, self._last = 0, 0
        self._write_head()

    def append(self, values: np.ndarray) -> None:
        self._file.write(np.ascontiguousarray(values, self._dtype).data)
        self._length += len(values)

    def append_lengths(self, lengths: np.ndarray) -> None:
        """Continue a running sum: what an array of offsets needs."""
        ends = self._last + np.cumsum(lengths)
        self.append(ends)
        self._last = int(ends[-1]) if len(ends) else self._last

    def finish(self) -> None:
        self._file.seek(0)
        self._write_head()

    def _write_head(self) -> None:
        # NumPy pads the header so that the length can grow in place.
        description = np.lib.format.dtype_to_descr(self._dtype)
        head = {"descr": description, "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(self._file, head)


@contextmanager
def growing(directory: Path, name: str, dtype: type[np.generic]) -> Iterator[GrowingArray]:
    with open(directory / f"{name}.npy", "wb") as file:
        array = GrowingArray(file, dtype)
        yield array
        array.finish()

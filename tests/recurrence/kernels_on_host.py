"""The portable kernels compiled for the host, where fibres stand for the GPU's threads."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from cloze.recurrence import portable
from cloze.recurrence.plan import Plan

HOST = Path(__file__).parent / "host"
COMPILER = shutil.which("g++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs g++ to compile the kernels")


class Kernels:
    """Each is compiled when it is first run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.built: dict[Plan, ctypes.CDLL] = {}

    def library(self, plan: Plan) -> ctypes.CDLL:
        if plan not in self.built:
            lines = portable.source(plan).splitlines()
            defines = [line.replace("#define ", "-D").replace(" ", "=") for line in lines
                       if line.startswith("#define ")]  # fmt: skip
            output = self.folder / f"{len(self.built)}.so"
            flags = ("-O1", "-std=c++17", "-shared", "-fPIC", f"-I{HOST}", f"-I{portable.KERNELS}")
            source = HOST / "portable_on_host.cpp"
            subprocess.run(
                [str(COMPILER), *flags, *defines, "-o", str(output), str(source)], check=True
            )
            self.built[plan] = ctypes.CDLL(str(output))
        return self.built[plan]

    def run(self, plan: Plan, blocks: int, device: torch.device, work: portable.Work) -> None:
        """In place of portable.run."""
        assert self.library(plan).run_portable(ctypes.byref(work), blocks, work.T) == 0

    @contextmanager
    def repeated(
        self, plan: Plan, blocks: int, device: torch.device, work: portable.Work
    ) -> Iterator[Callable[[], None]]:
        """In place of portable.repeated."""
        yield lambda: self.run(plan, blocks, device, work)

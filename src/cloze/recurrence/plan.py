"""How the portable kernels cut up a pass for a GPU; `portable_kernels/shape.cuh` explains it."""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

THREADS = 256
LARGEST_PRODUCT = 64 * THREADS  # numbers that the threads of a block can hold in registers
UNITS = (8, 16, 32, 64, 128)
TILES = (4, 8, 16, 32, 64, 128)
FEW_UNITS = 64  # so many that their gates have a thread each, which holds the gate's weights
FEW_TILES = (1, 2, 4)  # sequences whose cells have a thread each then
MULTIPLY = {"plain": 90, "tf32": 500, "bf16": 1000}  # a multiprocessor's products in a cycle
LARGEST = 1024  # hidden units that one kernel for all steps may have; stepwise there is no limit
STEP_UNITS, STEP_ROWS = 32, 8  # of a block in a step of its own: a cell for each thread
OPTIMISTIC = 1.4  # how many times as long one kernel for all steps takes as its guess says
CYCLES = 1700  # of a microsecond, about


class Gpu(NamedTuple):
    """What the plan depends on."""

    multiprocessors: int
    memory: int  # bytes of shared memory that a block may have


@dataclass(frozen=True)
class Plan:
    """One compiled kernel: a pass, its sizes, and how it multiplies."""

    forward: bool
    hidden: int  # a multiple of 32
    units: int  # of one block
    tile: int  # sequences of one team of blocks
    math: str  # plain, tf32, bf16, or few: few units, in float32
    storage: str  # float or bfloat16
    resident: bool  # the weights stay in shared memory
    stepwise: bool = False  # each step is a product by cuBLAS and a launch of the kernel
    parts: int = 1  # into which such a product's sum is cut, to be added up by the kernel

    @property
    def blocks(self) -> int:
        return self.hidden // self.units

    @property
    def meets(self) -> bool:
        """Whether blocks wait for each other, and so must all run at once."""
        return self.blocks > 1 and not self.stepwise

    @property
    def product(self) -> tuple[int, int]:
        """M and K of the product that a block computes in a step."""
        if self.forward:
            return 4 * self.units, self.hidden
        return self.units, 4 * self.hidden

    @property
    def weight_bytes(self) -> int:
        return 4 * self.units * self.hidden * (2 if self.math == "bf16" else 4)

    @property
    def chunk(self) -> int:
        """How much of K is read at a time."""
        limit = 4096 // self.tile * (2 if self.math == "bf16" else 1)
        _, K = self.product
        return max(d for d in range(32, max(32, min(K, limit)) + 1, 32) if K % d == 0)

    @property
    def warps(self) -> tuple[int, int, int]:
        """How the eight warps share M, the tile and K on the tensor cores."""
        M, _ = self.product
        along_m = min(M // 16, 4)
        along_n = min(self.tile // 8, 8 // along_m)
        return along_m, along_n, 8 // (along_m * along_n)

    @property
    def memory(self) -> int:
        """Bytes of shared memory, as the kernel lays it out (it refuses to compile with fewer)."""
        if self.stepwise:
            return 4 * 7 * THREADS
        if self.math == "few":
            return 4 * (max(8 * self.tile * self.hidden, 7 * THREADS) + self.tile)
        M, _ = self.product
        if self.math == "plain":
            read = self.chunk * (self.tile + 4)
            pieces = M // 4 * (self.tile // (8 if self.tile >= 32 else 4))
            splits = max(1, THREADS // pieces)
        else:
            words = self.chunk // (2 if self.math == "bf16" else 1)
            read = self.tile * (words + (0 if words % 32 else 16))
            splits = self.warps[2]
        scratch = max(read, splits * self.tile * (M + 4), 7 * THREADS)
        numbers = scratch + self.units * self.tile + self.tile
        return 4 * numbers + (self.weight_bytes if self.resident else 0)

    def teams(self, groups: int, gpu: Gpu) -> int:
        """How many teams run at once; each block has a multiprocessor of its own."""
        if self.stepwise:  # none waits for another
            return groups
        return min(groups, gpu.multiprocessors // self.blocks)

    def groups(self, batch: int, directions: int) -> int:
        return directions * -(-batch // self.tile)

    def cycles(self, batch: int, directions: int, gpu: Gpu) -> float:
        """A rough guess at the cycles of a step: only good enough to compare plans."""
        M, K = self.product
        groups = self.groups(batch, directions)
        rounds = -(-groups // self.teams(groups, gpu))
        if self.math == "few":
            return rounds * (600 + self.tile * M * K / 90)
        read = self.tile * K * (2 if self.storage == "bfloat16" else 4)
        along_m, along_n, _ = self.warps if self.math != "plain" else (1, 1, 1)
        meeting = 3500 + 20 * self.blocks if self.blocks > 1 else 1200  # of a team, and reading
        step = meeting + 200 * K / self.chunk
        step += read / 48 + self.weight_bytes * along_n / (128 if self.resident else 40)
        step += M * self.tile * K / MULTIPLY[self.math] + read * along_m / 128
        return rounds * (step + self.units * self.tile / 2)


@functools.cache
def choose(
    forward: bool, hidden: int, batch: int, directions: int, kind: tuple[str, str], gpu: Gpu
) -> Plan:
    """The plan that seems fastest; `kind` is how it multiplies and what it stores."""
    steps = stepwise(forward, hidden, batch, directions, kind, gpu)
    kernel = persistent(forward, hidden, batch, directions, kind, gpu)
    if kernel is None:
        return steps
    guess = OPTIMISTIC * kernel.cycles(batch, directions, gpu)
    return kernel if guess <= step_cycles(steps, batch, directions, gpu) else steps


def persistent(
    forward: bool, hidden: int, batch: int, directions: int, kind: tuple[str, str], gpu: Gpu
) -> Plan | None:
    """The fastest with one kernel for all steps, if the GPU has room for one."""
    plans = _feasible(forward, hidden, kind, gpu) if hidden <= LARGEST else ()
    return min(plans, key=lambda plan: plan.cycles(batch, directions, gpu), default=None)


def stepwise(
    forward: bool, hidden: int, batch: int, directions: int, kind: tuple[str, str], gpu: Gpu
) -> Plan:
    """One step after another. Backward, a product has few results, each a long sum: cut into one
    for each sort of gates, it keeps more multiprocessors busy."""
    tiles = directions * -(-batch // 128) * -(-hidden // 128)  # as cuBLAS likes to cut results
    parts = 4 if not forward and 2 * tiles <= gpu.multiprocessors else 1
    return Plan(forward, hidden, STEP_UNITS, STEP_ROWS, *kind, False, True, parts)


def step_cycles(plan: Plan, batch: int, directions: int, gpu: Gpu) -> float:
    """A rough guess at the cycles of a step of its own."""
    results, terms = (4, 1) if plan.forward else (1, 4)
    tiles = directions * -(-batch // 64) * -(-plan.hidden * results // 64) * plan.parts
    rounds = -(-tiles // gpu.multiprocessors)
    product = rounds * 64 * 64 * plan.hidden * terms / plan.parts / MULTIPLY[plan.math]
    # Read and written for a cell: so many numbers in storage, so many in float32.
    stored, single = (14, 3) if plan.forward else (13 + plan.parts, 4)
    size = stored * (2 if plan.storage == "bfloat16" else 4) + single * 4
    cells = directions * batch * plan.hidden * size / (16 * gpu.multiprocessors)
    # The GPU starts two kernels, one after the other; PyTorch and Python queue them meanwhile.
    queueing = 20 if plan.forward else 30  # microseconds of both on the host of an H200
    return max(6 * CYCLES + product + cells, queueing * CYCLES)


def _feasible(forward: bool, hidden: int, kind: tuple[str, str], gpu: Gpu) -> Iterator[Plan]:
    if hidden <= FEW_UNITS and kind == ("plain", "float"):
        for tile in FEW_TILES:
            yield Plan(forward, hidden, hidden, tile, "few", "float", resident=False)
    smallest = (8, 4) if kind[0] == "plain" else (16, 8)
    for units in (u for u in UNITS if u >= smallest[0] and hidden % u == 0):
        for tile in (t for t in TILES if t >= smallest[1]):
            fits = [
                Plan(forward, hidden, units, tile, *kind, resident) for resident in (True, False)
            ]
            if math.prod((fits[0].product[0], tile)) > LARGEST_PRODUCT:
                continue
            if fits[0].blocks <= gpu.multiprocessors:
                yield from [plan for plan in fits if plan.memory <= gpu.memory][:1]

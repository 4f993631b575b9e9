"""Several processes on one batch, under torchrun: each takes its share of the same global order.

    torchrun --nproc-per-node 4 -m cloze train configs/cnn/attentive.yaml encoded=cnn out=runs/a

The order is the same as with one process: rank r of R reads every R-th question of a step's batch,
and DistributedDataParallel averages the gradients, each weighted by its share. Without torchrun
there is one rank, and nothing here has any effect.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from cloze.errors import UserError

CPU = torch.device("cpu")
LOST = 75  # the exit code of a rank whose peers are gone: a failure that passes, in sysexits.h


@dataclass(frozen=True)
class Ranks:
    rank: int = 0
    count: int = 1
    device: torch.device = CPU

    @property
    def first(self) -> bool:
        """Whether this rank writes files and prints."""
        return self.rank == 0

    def wrap(self, network: nn.Module) -> nn.Module:
        return network if self.count == 1 else DistributedDataParallel(network)

    def mean(self, values: list[float]) -> list[float]:
        """The mean over all ranks of each value."""
        return [total / self.count for total in self.sum(values)]

    def sum(self, values: list[float]) -> list[float]:
        if self.count == 1 or not values:
            return values
        totals = torch.tensor(values, dtype=torch.float64, device=self.device)
        dist.all_reduce(totals)
        summed: list[float] = totals.tolist()
        return summed

    def any(self, flag: bool) -> bool:
        """Whether any rank says so: ranks that do not stop at the same step wait for ever."""
        return self.sum([float(flag)])[0] > 0


@contextmanager
def ranks(device: torch.device) -> Iterator[Ranks]:
    """Join the processes that torchrun started, if it did."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Ranks(device=device)
        return
    rank = int(os.environ["RANK"])
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    try:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
        yield Ranks(rank, count, device)
    except RuntimeError as problem:
        if _is_of_the_connection(problem):
            raise RankLost from problem
        raise
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


class RankLost(UserError):
    """Another rank has ended, so this one has nobody to average with."""

    def __init__(self) -> None:
        super().__init__(
            "another process of this run was lost",
            fix="see its own messages, then start all of them again with --resume",
        )


def _is_of_the_connection(problem: RuntimeError) -> bool:
    """NCCL's errors have a class; gloo's are known by the file that they name."""
    return isinstance(problem, dist.DistError) or "/gloo/" in str(problem)


def leave(code: int) -> None:
    """End a rank's process at once, when everything is written; without ranks, do nothing.

    A thread of gloo may release a tensor a moment after the main thread got its result. For that it
    needs the interpreter's lock, and if the interpreter is already shutting down, the process
    aborts: on a busy machine this happens in one of a few dozen runs.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

"""A kind of file that some command reads: good ones, ways to spoil them, and what reads them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.torture.mutations import Mutation

Read = Callable[[Path], object]  # of the scene; a UserError is a good end


@dataclass(frozen=True)
class Kind:
    name: str
    scene: str  # a file or folder of the world, copied for this kind alone
    files: tuple[str, ...]  # in the scene, one of which is spoilt each time; "" is the scene itself
    change: Mutation
    read: Read
    deeply: Read | None = None  # what the commands go on to do, for every tenth file
    sign: Callable[[Path, str], None] | None = None  # makes a manifest agree with what was spoilt
    consumed: bool = False  # reading changes the scene, which is then copied again


def world_of(scene: Path) -> Path:
    """What else a reader needs: the good files, which stand beside the scene."""
    return scene.parent / "world"

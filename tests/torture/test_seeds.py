"""Whatever once broke a reader is refused in the line that it deserves, or left out."""

from pathlib import Path

import pytest

from cloze.errors import UserError
from tests.torture.fuzzing import put, staged
from tests.torture.kinds import KINDS
from tests.torture.seeds import SEEDS, Seed


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.kind)
def test_a_file_that_once_broke_something(world: Path, seed: Seed) -> None:
    kind = next(kind for kind in KINDS if seed.fits(kind))
    with staged(kind, world) as scene:
        put(kind, scene, seed.file, seed.bytes(scene))
        if seed.said is None:
            kind.read(scene)
            return
        with pytest.raises(UserError) as refusal:
            kind.read(scene)
        assert seed.said in str(refusal.value)
        assert len(str(refusal.value).splitlines()) == 1

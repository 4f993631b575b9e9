"""The good files, made once."""

from pathlib import Path

import pytest

from tests.torture.world import make_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_world(tmp_path_factory.mktemp("torture") / "world")

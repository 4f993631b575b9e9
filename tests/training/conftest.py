from pathlib import Path

import pytest
import torch

from tests.training.corpora import write_encoded


@pytest.fixture(scope="session")
def encoded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoded(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)

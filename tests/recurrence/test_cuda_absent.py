"""Why the CUDA kernels cannot run here, in one line; `test_cpu.py` tests the warning."""

import shutil
from pathlib import Path

import pytest
import torch

from cloze.recurrence import build, cuda, peephole_lstm
from tests.recurrence.cases import problem


@pytest.fixture
def forgotten() -> None:
    cuda.why_not.cache_clear()
    build.library.cache_clear()


@pytest.fixture
def hopper(monkeypatch: pytest.MonkeyPatch) -> torch.device:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "a GPU")
    return torch.device("cuda", 0)


def test_no_compiler(
    forgotten: None, hopper: torch.device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("CUDA_HOME", "CUDA_PATH", "PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(build.os, "access", lambda *_: False)
    assert "nvcc, the CUDA compiler, is neither" in str(cuda.why_not(hopper, 64, torch.float32))


def test_a_compiler_that_fails(
    forgotten: None, hopper: torch.device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho no such architecture >&2\nexit 1\n'
    )
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "kept"))
    assert "nvcc failed: no such architecture" in str(cuda.why_not(hopper, 64, torch.float32))
    assert not list((tmp_path / "kept").rglob("peephole*"))


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_what_was_compiled_is_kept_and_loaded_again(
    forgotten: None, hopper: torch.device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = ("peephole_error", "peephole_resident_clusters", "peephole_forward")
    code = "".join(f"int {name}() {{ return 7; }}" for name in (*names, "peephole_backward"))
    (tmp_path / "library.c").write_text(code)
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exit 0\n'
        'while [ "$1" != -o ]; do shift; done\n'
        f'echo once >> {tmp_path}/calls\ncc -shared -fPIC -o "$2" {tmp_path}/library.c\n'
    )
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "kept"))
    for _ in range(2):
        assert build.library(64, "float").peephole_forward(0, None, *[0] * 6, *[None] * 7) == 7
        build.library.cache_clear()
    assert (tmp_path / "calls").read_text() == "once\n"


def test_other_sizes_types_and_generations(
    forgotten: None, hopper: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "hidden size 300 is over 256" in str(cuda.why_not(hopper, 300, torch.float32))
    assert "neither float32 nor bfloat16" in str(cuda.why_not(hopper, 64, torch.float64))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (8, 0))
    assert "not of the Hopper generation" in str(cuda.why_not(hopper, 32, torch.float32))


def test_asked_for_on_a_cpu() -> None:
    p = problem(3, 2, 2, 8)
    with pytest.raises(ValueError, match="the cuda recurrence cannot run on tensors on cpu"):
        peephole_lstm(*p[:4], implementation="cuda")

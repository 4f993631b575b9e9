"""cloze doctor: what it says is what would run."""

import sys
from importlib import metadata

import pytest
import torch
from typer.testing import CliRunner

from cloze import doctor
from cloze.cli.main import app
from cloze.recurrence import driver, hopper, images, loops, nvrtc, portable
from cloze.recurrence.plan import Gpu


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


def test_on_a_cpu(no_gpu: None) -> None:
    said = CliRunner().invoke(app, ["doctor"]).output
    lines = {line[:22].strip(): line[22:].strip() for line in said.splitlines()}
    assert lines["device"].startswith("cpu")
    assert lines["recurrence, float32"] == "cpu"
    assert lines["recurrence, bfloat16"].startswith("reference")
    assert "not cpu: torch.bfloat16 is neither" in lines["recurrence, bfloat16"]
    assert any(name.startswith("extra [") for name in lines)


def test_a_missing_package_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_installed", lambda package: False)
    assert all("lacks" in said and "pip install" in said for _, said in doctor.extras())


def test_sources_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", nothing)
    assert [name for name, _ in doctor.extras()] == ["extras"]


def test_without_numba(no_gpu: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    loops.compiled.cache_clear()
    said = doctor.recurrence(torch.device("cpu"), 64, torch.float32)
    loops.compiled.cache_clear()
    assert said.startswith("reference")
    assert "numba cannot be imported" in said


@pytest.mark.parametrize(
    ("capability", "hidden", "expected"),
    [((9, 0), 300, "portable; not hopper: hidden size 300"), ((8, 0), 64, "portable; not hopper")],
)
def test_on_a_gpu(
    capability: tuple[int, int], hidden: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "a GPU")
    monkeypatch.setattr(nvrtc, "architectures", lambda: [80, 90])
    monkeypatch.setattr(nvrtc, "compiled", lambda *_: b"")
    monkeypatch.setattr(driver, "function", lambda *_: None)
    monkeypatch.setattr(portable, "gpu", lambda _: Gpu(40, 65536))
    forget()
    said = doctor.recurrence(torch.device("cuda", 0), hidden, torch.float32)
    forget()
    assert said.startswith(expected)


def test_on_a_gpu_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (7, 0))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "a GPU")
    forget()
    said = doctor.recurrence(torch.device("cuda", 0), 64, torch.float32)
    forget()
    assert said.startswith("reference")
    assert "not hopper: a GPU is not of the Hopper generation" in said
    assert "not portable: a GPU is older than compute capability 7.5" in said


def forget() -> None:
    for cached in (hopper.why_not, portable.why_not, images.target):
        cached.cache_clear()

"""The folder of compiled kernels: what somebody else could have written there is not loaded."""

from pathlib import Path

import pytest

from cloze.recurrence import kept


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    return tmp_path / "cloze"


def test_what_was_stored_comes_back(folder: Path) -> None:
    assert kept.load("a") is None
    kept.store("a", b"code")
    assert kept.load("a") == b"code"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_changed_byte_is_noticed(folder: Path) -> None:
    kept.store("a", b"code")
    content = (folder / "a").read_bytes()
    for spoilt in (content[:-1], content[:-1] + b"x", b"", content[:10]):
        (folder / "a").write_bytes(spoilt)
        assert kept.load("a") is None


@pytest.mark.parametrize("what", ["folder", "file"])
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_where_others_may_write_nothing_is_trusted(folder: Path, what: str, mode: int) -> None:
    kept.store("a", b"code")
    (folder if what == "folder" else folder / "a").chmod(mode)
    assert kept.load("a") is None


def test_nothing_is_stored_where_others_may_write(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    kept.store("a", b"code")
    assert not list(folder.iterdir())


def test_another_users_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.store("a", b"code")
    own = folder.stat().st_uid
    monkeypatch.setattr("os.getuid", lambda: own + 1)
    assert kept.load("a") is None
    assert "another user" in str(kept.why_not_trusted(folder))


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    kept.store("a", b"code")
    (folder / "b").symlink_to(folder / "a")
    assert kept.load("b") is None

"""Without an optional package a command ends in one line that says how to install it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cloze import extras

RUN = """
import sys
sys.modules[sys.argv.pop(1)] = None  # as if it were not installed
from cloze.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("package", "extra", "command"),
    [
        ("fastapi", "serve", "serve"),
        ("uvicorn", "serve", "serve"),
        ("optuna", "search", "search search/tpe"),
        ("spacy", "nlp", "build news.jsonl corpus"),
        ("trafilatura", "nlp", "build pages corpus --split train"),
        ("httpcore", "fetch", "fetch urls.txt out --contact a@example.org"),
        ("warcio", "fetch", "build pages.warc corpus --split train"),
    ],
)
def test_a_missing_package_is_one_line(
    package: str, extra: str, command: str, tmp_path: Path
) -> None:
    (tmp_path / "news.jsonl").write_text('{"article": "Ann left.", "highlights": ["Ann left"]}\n')
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<html><body><p>Ann left.</p></body></html>")
    (tmp_path / "pages.warc").write_bytes(b"WARC/1.0\r\n")
    words = [sys.executable, "-c", RUN, package, *command.split()]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: the package {package} is not installed; run: ")
    assert line.endswith(f"[{extra}]'")


def test_asking_needs_no_pipeline_of_spacys(tmp_path: Path) -> None:
    article = (
        "Mara Venn has left the Harbour Line. She was its director, said Tobias Lund in Ostrava."
    )
    (tmp_path / "a.txt").write_text(article)
    asked = ["ask", "--article", "a.txt", "--question", "X has left the Harbour Line"]
    words = [sys.executable, "-c", RUN, "spacy", *asked]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Mara Venn" in done.stdout


def test_the_command_works_from_a_checkout_and_from_an_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert extras.install("serve") == (
        f"{sys.executable} -m pip install -e '{extras.CHECKOUT}[serve]'"
    )
    project = (extras.CHECKOUT / "pyproject.toml").read_text()
    assert re.search(r"^serve = \[", project, re.MULTILINE)
    monkeypatch.setattr(extras, "CHECKOUT", tmp_path)
    assert extras.install("serve") == "pip install 'cloze-reader[serve]'"


def test_a_missing_module_of_ours_is_our_fault() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"cloze\.nowhere"):
        with extras.needs("nlp"):
            import cloze.nowhere  # type: ignore[import-not-found]  # noqa: F401

"""docs/tutorial.ipynb runs from top to bottom, on little news and with few steps.

Its widgets need packages of their own: `make outside OUTSIDE=jupyter` runs them in a real Jupyter.
"""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial.ipynb"
SIZES = "STORIES, HELD_OUT, STEPS = 1_000, 100, 150"


def cells(kind: str) -> list[dict[str, Any]]:
    notebook = json.loads(TUTORIAL.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def test_it_has_eight_steps_and_keeps_no_output() -> None:
    heads = [cell["source"][0] for cell in cells("markdown")][1:]
    assert [head.split(".")[0] for head in heads] == [f"## {number}" for number in range(1, 9)]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells("code"))


def test_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = []
    run = [cell for cell in cells("code") if "widget" not in cell["metadata"].get("tags", [])]
    assert SIZES in "".join(run[0]["source"])
    for cell in run:
        source = "".join(cell["source"]).replace(SIZES, "STORIES, HELD_OUT, STEPS = 12, 5, 2")
        shown.append(last_value(source, names))
    printed = capsys.readouterr().out
    assert "Word distance model" in printed
    assert (tmp_path / "report" / "index.html").is_file()
    document, answer = (value for value in shown if hasattr(value, "_repr_html_"))
    assert f'<b title="@entity{document.entities[0].marker}">' in document._repr_html_()
    html = answer._repr_html_()
    assert "Solveig</td>" in html
    assert "background: rgb(240 140 40 /" in html


def last_value(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; returns what a notebook would show of it: the value of its last line."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "tutorial", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "tutorial", "exec"), names)
    return eval(compile(ast.Expression(last.value), "tutorial", "eval"), names)

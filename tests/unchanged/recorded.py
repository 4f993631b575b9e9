"""What the software says about fixed texts, as plain data that a redesign must not change.

    python -m tests.unchanged.recorded     writes recorded.json anew (only if a change is intended)

The corpora are made, and the questions answered, by the command itself, so that nothing here
depends on how the package is laid out inside.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

RECORDED = Path(__file__).with_name("recorded.json")
READERS = ("attentive", "impatient")


def package_folder(name: str) -> Path:
    """A folder inside the package, wherever that is."""
    return next(Path(str(files("cloze"))).glob(f"**/{name}"))


def cloze(*words: object) -> None:
    command = [sys.executable, "-m", "cloze", *map(str, words)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def rows_of(corpus: Path) -> str:
    """A hash of every row of every table of a corpus, whatever wrote the Parquet files."""
    digest = hashlib.sha256()
    for table in sorted(corpus.glob("*/*.parquet")):
        digest.update(table.relative_to(corpus).as_posix().encode())
        for row in pq.read_table(table).to_pylist():
            digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode())
    return digest.hexdigest()


def answers_of(predictions: Path) -> dict[str, dict[str, Any]]:
    said = {}
    for path in sorted(predictions.glob("*.parquet")):
        table = pq.read_table(path, columns=["question_id", "candidates", "scores"])
        said[path.stem] = {row.pop("question_id"): row for row in table.to_pylist()}
    return said


def corpora(folder: Path) -> dict[str, Path]:
    """The six made-up stories through the whole builder, and a little of the newsroom."""
    stories = package_folder("stories")
    cloze("build", stories, folder / "stories", "--name", "stories", "--rules", 1)
    cloze("newsroom", folder / "newsroom", "--stories", 4, "--held-out", 4)
    return {"stories": folder / "stories", "newsroom": folder / "newsroom"}


def record(folder: Path) -> dict[str, Any]:
    made = corpora(folder)
    shipped = [package_folder("shipped") / reader for reader in READERS]
    for name, corpus in made.items():
        split = "train" if name == "stories" else "test"
        to = ["--split", split, "--out", folder / "predictions" / name]
        cloze("evaluate", "--baseline", "all", *shipped, corpus, *to)
    return {
        "corpora": {name: rows_of(corpus) for name, corpus in made.items()},
        "answers": {name: answers_of(folder / "predictions" / name) for name in made},
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        found = record(Path(temporary))
    RECORDED.write_text(json.dumps(found, indent=None, separators=(",", ":")) + "\n")

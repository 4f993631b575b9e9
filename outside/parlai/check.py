"""Let ParlAI build its task from our files; every question must come out as it went in.

ParlAI would first download the archive. Ours lies unpacked where that would be, so there is nothing
to download; all else is ParlAI's own.
"""

import sys
from pathlib import Path

from parlai.tasks.qacnn import build as task

FOLDERS = {"train": "training", "valid": "validation", "test": "test"}


def main(data: Path) -> None:
    task.RESOURCES = []
    task.build({"datapath": str(data)})
    for split, folder in FOLDERS.items():
        files = list((data / "QACNN/cnn/questions" / folder).glob("*.question"))
        found = read(data / f"QACNN/{split}.txt")
        expected = {fields(file.read_text(encoding="utf-8")) for file in files}
        assert found == expected, split
        assert len(found) == len(files) > 0, split
        print(f"{split}: ParlAI read {len(found)} of {len(files)} files, all as they were written")


def fields(text: str) -> tuple[str, str, frozenset[str]]:
    _, context, question, answer, names = text.split("\n\n")
    candidates = frozenset(line.partition(":")[0] for line in names.split("\n"))
    return f"{context} {question}", answer, candidates


def read(path: Path) -> set[tuple[str, str, frozenset[str]]]:
    """ParlAI's dialogue format: a number, the text, the answer, a reward, the candidates."""
    found = set()
    for line in path.read_text(encoding="utf-8").split("\n\n")[:-1]:
        text, answer, _, candidates = line.removeprefix("1 ").split("\t")
        found.add((text, answer, frozenset(candidates.split("|"))))
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""What must hold of a run's results.

    check.py FOLDER [SHARE]

Every question was asked, its examples are never the test's, the answer that was scored is that of
the exported file, and where SHARE is given every task reached it.
"""

import json
import sys
from pathlib import Path
from typing import Any


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def main(folder: Path, share: float | None) -> None:
    (results,) = folder.rglob("results_*.json")
    found = json.loads(results.read_text())["results"]
    samples = {
        path.name.removeprefix("samples_").rsplit("_", 1)[0]: path
        for path in folder.rglob("samples_*.jsonl")
    }
    assert samples, "no samples were logged"
    for task, path in samples.items():
        form = task.removeprefix("newsroom_").removesuffix("_chat").replace("_", "-")
        asked = {line["id"]: line for line in lines(Path(f"test/data/{form}.jsonl"))}
        said = lines(path)
        assert {line["doc"]["id"] for line in said} == set(asked), task
        for line in said:
            right = asked[line["doc"]["id"]]
            assert line["target"] in (right["answer"], str(right["answer_index"])), (
                task,
                line["target"],
            )
        key = "exact_match,candidate" if task.endswith("_chat") else "acc,none"
        if share is not None:
            assert found[task][key] == share, (task, found[task][key])
        print(f"{task}: {len(said)} questions, {100 * found[task][key]:.1f} %")


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else None)

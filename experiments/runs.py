"""How long finished runs took to reach a level: docs/reproduction.md's table from metrics.jsonl.

python experiments/runs.py runs/attentive runs/impatient --level 60 --level 61.6
python experiments/runs.py runs/tf32 runs/bf16 --between 9000 16000     # mean valid accuracy
"""

import argparse
import json
from pathlib import Path
from statistics import mean, median

from cloze.tables import Table, as_markdown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--level", type=float, action="append", default=[], help="percent")
    parser.add_argument("--between", type=int, nargs=2, metavar=("FIRST", "LAST"), help="steps")
    options = parser.parse_args()
    heads = ["run", *(f"above {level:g} %" for level in options.level)]
    heads += ["best", "after", "questions/s", "data wait"]
    if options.between:
        heads.append("mean of steps {:,} to {:,}".format(*options.between))
    rows = []
    for run in options.runs:
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        rows.append([run.name, *cells(lines, options.level, options.between)])
    print(as_markdown(Table(heads, rows)))


def cells(
    lines: list[dict[str, float]], levels: list[float], between: list[int] | None
) -> list[str]:
    looks = [line for line in lines if "valid_accuracy" in line]
    steps = [line for line in lines if "questions_per_second" in line]
    found = []
    for level in levels:
        first = next((look for look in looks if 100 * look["valid_accuracy"] > level), None)
        found.append("" if first is None else when(first))
    best = max(looks, key=lambda look: look["valid_accuracy"])
    found += [f"{100 * best['valid_accuracy']:.1f} %", when(best)]
    found.append(f"{median(step['questions_per_second'] for step in steps):,.0f}")
    found.append(f"{100 * mean(step['data_wait_share'] for step in steps):.2f} %")
    if between:
        inside = [x["valid_accuracy"] for x in looks if between[0] <= x["step"] <= between[1]]
        found.append(f"{100 * mean(inside):.1f} %")
    return found


def when(look: dict[str, float]) -> str:
    return f"{60 * look['minutes']:,.0f} s (step {look['step']:,.0f})"


if __name__ == "__main__":
    main()

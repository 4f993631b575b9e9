"""How long finished runs took to reach a level: docs/reproduction.md's table from metrics.jsonl.

python experiments/runs.py runs/attentive runs/impatient --level 60 --level 61.6
python experiments/runs.py runs/tf32 runs/bf16 --between 9000 16000     # mean valid accuracy
python experiments/runs.py runs/stanford runs/ga --level 72.2 --figure curves.svg
"""

import argparse
from pathlib import Path
from statistics import mean, median

import matplotlib.pyplot as plt

from cloze.files import whole_file
from cloze.tables import Table, as_markdown
from cloze.training.journal import METRICS, read_metrics


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--level", type=float, action="append", default=[], help="percent")
    parser.add_argument("--between", type=int, nargs=2, metavar=("FIRST", "LAST"), help="steps")
    parser.add_argument("--figure", type=Path, help="draw accuracies against steps, and the levels")
    options = parser.parse_args()
    heads = ["run", *(f"above {level:g} %" for level in options.level)]
    heads += ["best", "after", "questions/s", "data wait"]
    if options.between:
        heads.append("mean of steps {:,} to {:,}".format(*options.between))
    logs = {run.name: read_metrics(run / METRICS) for run in options.runs}
    rows = [[name, *cells(lines, options.level, options.between)] for name, lines in logs.items()]
    print(as_markdown(Table(heads, rows)))
    if options.figure:
        draw(logs, options.level, options.figure)


def draw(logs: dict[str, list[dict[str, float]]], levels: list[float], path: Path) -> None:
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for level in levels:
        axes.axhline(level, color="0.75", linewidth=0.8, linestyle="--")
        beside = axes.get_yaxis_transform()
        axes.text(1, level, f"{level:g}", transform=beside, ha="right", va="bottom", color="0.45")
    for name, lines in logs.items():
        looks = [line for line in lines if "valid_accuracy" in line]
        steps = [look["step"] / 1000 for look in looks]
        shown = [100 * look["valid_accuracy"] for look in looks]
        (drawn,) = axes.plot(steps, shown, marker=".", linewidth=1.4)
        end = (steps[-1], shown[-1])
        axes.annotate(
            name, end, (5, 0), textcoords="offset points", color=drawn.get_color(), va="center"
        )
    axes.set_xlabel("thousand steps")
    axes.set_ylabel("accuracy on valid, %")
    axes.margins(x=0.02)
    axes.set_xlim(right=axes.get_xlim()[1] * 1.18)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    with whole_file(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:], metadata={"Date": None})


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

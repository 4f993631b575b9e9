"""Short trials of a config with one thing changed in each, several at once on one GPU.

    python experiments/trials.py experiments/plateau.txt --encoded cnn-encoded --out trials \\
        --seconds 100 --at-once 7
    python experiments/trials.py --show trials --figure curves.svg     # the table and the curves
    python experiments/trials.py --show runs --figure curves.svg --against minutes

A line of the file is a name, a config and overrides. On a GPU that several processes share well
(`nvidia-cuda-mps-control -d`), seven small trials together take little longer than one.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

from cloze.tables import Table, as_markdown


def run(file: Path, encoded: Path, out: Path, seconds: float, at_once: int) -> None:
    waiting = [shlex.split(line, comments=True) for line in file.read_text().splitlines()]
    waiting = [words for words in waiting if words]
    common = next((words[1:] for words in waiting if words[0] == "common"), [])
    waiting = [words for words in waiting if words[0] != "common"]
    running: list[subprocess.Popen[bytes]] = []
    out.mkdir(parents=True, exist_ok=True)
    while waiting or running:
        while waiting and len(running) < at_once:
            name, config, *overrides = waiting.pop(0)
            places = [f"encoded={encoded}", f"out={out / name}", f"run.minutes={seconds / 60:.3f}"]
            command = [sys.executable, "-m", "cloze", "train", config, *common, *overrides, *places]
            with open(out / f"{name}.log", "wb") as log:
                running.append(subprocess.Popen(command, stdout=log, stderr=log))
        time.sleep(1)
        running = [process for process in running if process.poll() is None]


def curves(folder: Path) -> dict[str, list[dict[str, float]]]:
    """The validations of every run in the folder."""
    found = {}
    for path in sorted(folder.rglob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        name = path.parent.name if path.name == "metrics.jsonl" else path.stem
        if points := [line for line in lines if "valid_accuracy" in line]:
            found[name] = points
    return found


def show(found: dict[str, list[dict[str, float]]], figure: Path | None, against: str) -> None:
    rows = []
    order = sorted(found, key=lambda name: -max(p["valid_accuracy"] for p in found[name]))
    for name in order:
        points = found[name]
        best = max(p["valid_accuracy"] for p in points)
        passed = []
        for level in (0.1, 0.3):
            step = next((p["step"] for p in points if p["valid_accuracy"] > level), None)
            passed.append("" if step is None else f"step {step:,.0f}")
        last = points[-1]["step"]
        rows.append([name, f"{last:,.0f}", f"{100 * best:.1f}", *passed])
    heads = ["trial", "steps", "best valid accuracy", "first above 10 %", "above 30 %"]
    print(as_markdown(Table(heads, rows)))
    if figure is not None:
        draw(found, order, figure, against)


def draw(
    found: dict[str, list[dict[str, float]]], order: list[str], path: Path, against: str
) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.fonttype": "none", "font.size": 10})
    canvas, axes = pyplot.subplots(figsize=(8, 4.5))
    colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
    for k, name in enumerate(order):
        along = [p["minutes" if against == "minutes" else "step"] for p in found[name]]
        values = [100 * p["valid_accuracy"] for p in found[name]]
        line = "-" if k < len(colours) else "--"
        axes.plot(along, values, line, color=colours[k % len(colours)], linewidth=1.6, label=name)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    axes.set_xlabel("minutes of training" if against == "minutes" else "steps")
    axes.set_ylabel("valid accuracy, %")
    axes.set_ylim(0)
    axes.spines[["top", "right"]].set_visible(False)
    canvas.tight_layout()
    canvas.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--encoded", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--against", choices=["steps", "minutes"], default="steps")
    options = parser.parse_args()
    if options.file is not None:
        run(options.file, options.encoded, options.out, options.seconds, options.at_once)
    show(curves(options.show or options.out), options.figure, options.against)


if __name__ == "__main__":
    main()

"""What made the readers work on CNN: their configs with one thing changed, for equally many steps.

    python experiments/ablation.py --encoded encoded/cnn --out ablation --at-once 3
    python experiments/ablation.py --out ablation --figure ablation.svg     what was found
    python experiments/ablation.py --encoded corpus-encoded --out rehearsal --readers attentive \\
        run.steps=4 reader.hidden_size=8 run.validate_on=20

Each change undoes one of the choices of configs/cnn/fast, mostly back to what the paper says or to
the usual. Every run takes the same number of steps, so smaller batches read fewer questions. The
accuracies are those of the last validation, one for each seed. Killed and started again, it goes on
with the runs that are not done. On a GPU that several processes share (`nvidia-cuda-mps-control
-d`), a few runs together take less time than one after the other.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean

from cloze.files import whole_file
from cloze.tables import Table, as_markdown
from cloze.training.journal import METRICS, read_metrics

AS_IT_IS = "as it is"
_EMBEDDINGS = ["reader.embedding_init=uniform", "reader.embedding_scale=0.1"]
CHANGES: dict[str, dict[str, list[str]]] = {
    "attentive": {
        AS_IT_IS: [],
        "embeddings within 0.1": _EMBEDDINGS,
        "output rows within 0.01": ["reader.output_scale=0.01"],
        "long documents from the start": ["batches.curriculum=[]"],
        "batches of 32": ["batches.size=32"],
        "memory of 1,000 tokens": ["reader.memory=1000"],
        "markers of a pool of 600": ["reader.markers=pool"],
        "half the rate": ["optimiser.learning_rate=5e-5"],
    },
    "deep_lstm": {
        AS_IT_IS: [],
        "embeddings within 0.1": _EMBEDDINGS,
        "output rows within 0.01": ["reader.output_scale=0.01"],
        "long documents from the start": ["batches.curriculum=[]"],
        "batches of 64": ["batches.size=64"],
        "usual memory": ["reader.memory=null"],
        "markers of a pool of 600": ["reader.markers=pool"],
        "half the rate": ["optimiser.learning_rate=1e-4"],
    },
}
STEPS = {"attentive": 4000, "deep_lstm": 2000}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("overrides", nargs="*", help="for every run, such as run.steps=4")
    parser.add_argument("--encoded", type=Path, help="train; without it, only show what is there")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--readers", nargs="+", choices=list(CHANGES), default=list(CHANGES))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    if options.encoded is not None:
        train(options)
    found = {reader: accuracies(options.out, reader) for reader in options.readers}
    for reader, own in found.items():
        print(f"{reader}, {STEPS[reader]:,} steps unless overridden\n\n{as_markdown(table(own))}\n")
    if options.figure is not None:
        draw(found, options.figure)


def folder_of(out: Path, reader: str, change: str, seed: int) -> Path:
    return out / reader / f"{re.sub('[^a-z0-9]+', '-', change)}.{seed}"


def command_of(reader: str, change: str, seed: int, encoded: Path, out: Path) -> list[str]:
    """What `cloze train` is given."""
    steps = STEPS[reader]
    quiet = [f"run.validate_every={steps // 4}", f"run.checkpoint_every={steps // 2}"]
    config = Path(__file__).parents[1] / "configs" / "cnn" / "fast" / f"{reader}.yaml"
    places = [f"encoded={encoded}", f"out={folder_of(out, reader, change, seed)}"]
    run = [f"run.seed={seed}", f"run.steps={steps}", "run.patience=null", *quiet]
    return [str(config), *CHANGES[reader][change], *run, *places]


def train(options: argparse.Namespace) -> None:
    waiting = [
        (reader, change, seed)
        for seed in range(1, options.seeds + 1)
        for reader in options.readers
        for change in CHANGES[reader]
        if not (folder_of(options.out, reader, change, seed) / "model").exists()
    ]
    running: list[subprocess.Popen[bytes]] = []
    while waiting or running:
        while waiting and len(running) < options.at_once:
            one = waiting.pop(0)
            print(*one, sep=", ", flush=True)
            given = command_of(*one, options.encoded, options.out) + options.overrides
            log = folder_of(options.out, *one).with_suffix(f".{one[2]}.log")
            log.parent.mkdir(parents=True, exist_ok=True)
            with open(log, "ab") as file:
                command = [sys.executable, "-m", "cloze", "train", *given, "--resume"]
                running.append(subprocess.Popen(command, stdout=file, stderr=file))
        time.sleep(0.2)
        if any(process.poll() for process in running):
            for process in running:
                process.terminate()
            sys.exit("a run failed: see the logs beside the runs, mend it, and start this again")
        running = [process for process in running if process.poll() is None]


def accuracies(out: Path, reader: str) -> dict[str, list[float]]:
    """Of each change, in the order above: the last validation of each run that is done, in %."""
    found = {}
    for change in CHANGES[reader]:
        runs = [folder_of(out, reader, change, seed) for seed in range(1, 10)]
        logs = [read_metrics(run / METRICS) for run in runs if (run / "model").exists()]
        last = [
            [line["valid_accuracy"] for line in own if "valid_accuracy" in line] for own in logs
        ]
        if last:
            found[change] = [100 * own[-1] for own in last]
    return found


def table(found: dict[str, list[float]]) -> Table:
    usual = mean(found[AS_IT_IS]) if AS_IT_IS in found else None
    rows = []
    for change, own in found.items():
        by = "" if usual is None or change == AS_IT_IS else f"{mean(own) - usual:+.1f}"
        rows.append([change, ", ".join(f"{x:.1f}" for x in own), f"{mean(own):.1f}", by])
    return Table(["changed", "valid accuracy of each seed", "mean", "difference"], rows)


def draw(found: dict[str, dict[str, list[float]]], path: Path) -> None:
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    rcParams.update({"svg.fonttype": "none"})
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    panels = figure.subplots(1, len(found), squeeze=False)[0]
    for axes, (reader, own) in zip(panels, found.items(), strict=True):
        rows = list(reversed(own))
        for y, change in enumerate(rows):
            colour = "#D55E00" if change == AS_IT_IS else "#0072B2"
            axes.plot(own[change], [y] * len(own[change]), "o", color=colour, alpha=0.8)
        if AS_IT_IS in own:
            axes.axvline(mean(own[AS_IT_IS]), color="0.75", linewidth=1, zorder=0)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.set_xlim(left=0)
        axes.set_xlabel("valid accuracy, %")
        axes.set_title(reader.replace("_", " "), loc="left")
        axes.spines[["top", "right"]].set_visible(False)
    with whole_file(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:], metadata={"Date": None})


if __name__ == "__main__":
    main()

"""The trials behind the Encoder Readers: how accuracy grew, as a table and as a figure.

    python experiments/encoder_trials.py --figure docs/figures/encoder-trials.svg

`encoder_trials.csv` has what each trial printed at its validations: how many questions it had been
trained on, with those of the trial that it went on from, how many a second, and its accuracy on
CNN valid and on the half `look` of the fresh texts, in %, names marked by hand, plain questions and
paraphrased ones. The last rows are the same readers, asked in another way.
"""

import argparse
import csv
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from cloze.tables import Table, as_markdown

TRIALS = Path(__file__).with_name("encoder_trials.csv")
WHAT = {
    "base": "12 x 768 from all-mpnet-base-v2",
    "base-on-both": "goes on, Daily Mail too, scores in 32 bits",
    "apart": "12 x 384 from gte-small, texts read apart",
    "three-joint": "the same, together in the last three layers",
    "joint": "the same, together in all layers",
    "joint-longer": "that one for longer",
    "joint-lower-rate": "that one anew, at a lower rate",
    "layers-of-base": "8 x 768 from base, Daily Mail too",
    "exact-scores": "goes on, scores in 32 bits",
    "near-words": "goes on, words replaced by near ones",
    "narrower": "12 x 768 from all-mpnet-base-v2, in 3 bits",
    "one-run": "12 x 768 from all-mpnet-base-v2, all corpora and practice texts",
    "base, four namings": "the mean over four draws of the markers",
    "near-words, two namings": "the mean over two draws",
    "near-words, not rounded": "weights in 32 bits instead of 4",
    "base-on-both, in 4 bits": "weights rounded after training",
}
GOES_ON = {
    "base-on-both": "base",
    "exact-scores": "layers-of-base",
    "near-words": "exact-scores",
}
Row = dict[str, str]


def read() -> dict[str, list[Row]]:
    with TRIALS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: list(own) for name, own in groupby(rows, key=itemgetter("trial"))}


def table(trials: dict[str, list[Row]]) -> str:
    heads = ["trial", "", "questions", "a second", "CNN valid", "fresh, plain", "paraphrased"]
    rows = [
        [name, WHAT[name], f"{int(own[-1]['questions']):,}"]
        + [own[-1][key] for key in ("per_second", "cnn_valid", "plain", "paraphrased")]
        for name, own in trials.items()
    ]
    return as_markdown(Table(heads, rows))


def draw(trials: dict[str, list[Row]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "cloze", "svg.fonttype": "none"})
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for axes, key, title in (
        (left, "cnn_valid", "CNN valid"),
        (right, "paraphrased", "fresh texts, paraphrased questions"),
    ):
        for number, (name, own) in enumerate(trials.items()):
            before = trials[GOES_ON[name]][-1:] if name in GOES_ON else []
            points = [row for row in before + own if row[key]]
            if points and "," not in name:  # one that was only asked in another way has no curve
                x = [int(row["questions"]) / 1e6 for row in points]
                y = [float(row[key]) for row in points]
                # There are ten colours, then C0 again.
                colour, mark = (f"C{number}", "o") if number < 10 else ("black", "xs"[number - 10])
                axes.plot(x, y, f"{mark}-", ms=4, lw=1.4, color=colour, label=name)
        axes.set(title=title, xlabel="million questions trained on", ylabel="right, %")
        axes.grid(alpha=0.3)
    left.legend(fontsize=8, frameon=False, loc="lower right")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--figure", type=Path, help="where the curves go")
    arguments = parser.parse_args()
    trials = read()
    print(table(trials))
    if arguments.figure:
        draw(trials, arguments.figure)


if __name__ == "__main__":
    main()

"""A reader part of the way from the one that a run began with to the one that it ended with.

    python experiments/part_way.py BEFORE RUN OUT --share 0.75 --bits 3
    python experiments/part_way.py BEFORE MODEL OUT --share 0.7      if only its model is left

    w = w_before + share · (w_after - w_before)

What a short training on other texts adds mostly survives when some of it is taken back, and so does
more of what was known before (Wortsman et al., 2022). The weights after are those of the run's best
validation before they were rounded, so the reader that is left is rounded only once; those of a
model's folder may have been rounded already.
"""

import argparse
from pathlib import Path

import torch

from cloze.readers.reader import Reader
from cloze.training.checkpoints import Checkpoints, read


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs=3, type=Path, metavar="PATH", help="before, after, result")
    parser.add_argument("--share", type=float, default=0.75, help="of the way")
    parser.add_argument("--bits", type=int, choices=[32, 16, 8, 4, 3], default=3)
    options = parser.parse_args()
    before, ended, out = options.paths
    is_run = (ended / "model").is_dir()
    if not is_run and Checkpoints(ended).latest() is not None:
        parser.error(f"{ended}: the run has not ended; go on with cloze train ... --resume")
    reader = Reader.from_pretrained(ended / "model" if is_run else ended)
    began = Reader.from_pretrained(before).network.state_dict()
    after = read(Checkpoints(ended).best).weights if is_run else reader.network.state_dict()
    with torch.no_grad():
        for name, weight in reader.network.named_parameters():
            weight.copy_(began[name] + options.share * (after[name] - began[name]))
    reader.about["part of the way"] = options.share
    reader.save_pretrained(out, bits=options.bits)


if __name__ == "__main__":
    main()

"""The embeddings and first layers of one reader under the other layers of a second.

    python experiments/first_layers_of.py small student joined --layers 4 --bits 16

A tagger that fits the first reader then fits the result. Both must have begun as the same
pretrained encoder and read the same word pieces: their layers then still speak nearly the same
language, and a further training makes up for the rest.
"""

import argparse
from pathlib import Path

import torch

from cloze.readers.reader import Reader
from cloze.readers.shipped_models import model_at

BELOW = ("embedding.", "signs.", "sides.", "body.position.", "body.norm.", "body.relative.")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs=3, type=Path, metavar="READER", help="below, above, result")
    parser.add_argument("--layers", type=int, default=4, help="how many of the first reader")
    parser.add_argument("--bits", type=int, choices=[32, 16, 8, 4, 3], default=16)
    options = parser.parse_args()
    below, above, out = options.paths
    first = Reader.from_pretrained(model_at(below), exact=True)
    second = Reader.from_pretrained(model_at(above), exact=True)
    if first.vocabulary.sha256 != second.vocabulary.sha256:
        raise SystemExit(f"{above} reads other word pieces than {below}")
    weights, taken = second.network.state_dict(), first.network.state_dict()
    begins = (*BELOW, *(f"body.layers.{number}." for number in range(options.layers)))
    for name in [name for name in weights if name.startswith(begins)]:
        if name not in taken or taken[name].shape != weights[name].shape:
            raise SystemExit(f"{above} has another {name} than {below}")
        weights[name] = taken[name]
    with torch.no_grad():
        second.network.load_state_dict(weights)
    second.about["first layers"] = f"{options.layers} of {below.name}"
    second.save_pretrained(out, bits=options.bits)


if __name__ == "__main__":
    main()

"""Give a reader the tagger of another whose first layers it shares.

    python experiments/tagger/carry_over.py READER_BEFORE READER

A tagger changes the first few layers of a reader's body and reads what the last of them says
(`cloze.readers.tagging.adapters`). Training with `run.kept_layers` leaves these layers and the
embeddings as they were, to the last bit, which is checked here; then the tagger fits as it is.
"""

import argparse
from pathlib import Path

import torch

from cloze.readers.reader import Reader
from cloze.readers.shipped_models import model_at
from cloze.readers.tagging.adapters import Adapters, load_adapters, save_adapters
from cloze.readers.transformer import Transformer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("readers", nargs=2, type=Path, help="the one before, the one after")
    before, after = parser.parse_args().readers
    save_adapters(after, adapters_for(model_at(before), after))


def adapters_for(before: Path, after: Path) -> Adapters:
    old, new = (Reader.from_pretrained(folder) for folder in (before, after))
    assert isinstance(old.network.body, Transformer)
    adapters = load_adapters(before, old.network.body)
    if old.vocabulary.sha256 != new.vocabulary.sha256:
        raise SystemExit(f"{after} reads other word pieces than {before}")
    read = ("embedding", "signs", "sides", "body.position", "body.norm", "body.relative")
    read += tuple(f"body.layers.{number}" for number in range(len(adapters.layers)))
    begins = tuple(f"{one}." for one in read)
    weights = new.network.state_dict()
    for name, weight in old.network.state_dict().items():
        own = weights.get(name)
        if name.startswith(begins) and (own is None or not torch.equal(weight, own)):
            raise SystemExit(f"{after}: {name} was trained, so the tagger does not fit")
    return adapters


if __name__ == "__main__":
    main()

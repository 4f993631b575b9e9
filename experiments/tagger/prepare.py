"""Write what a tagger is trained on: pieces, casing and labels of every source.

    python experiments/tagger/prepare.py READER OUT.npz --repositories REPOSITORIES \\
        --news cnn.jsonl.zst cnn.spans.jsonl.zst --news dm.jsonl.zst dm.spans.jsonl.zst \\
        --held en_ewt-ud-dev.iob2

READER is the folder of the reader whose body the tagger shares. REPOSITORIES holds bare copies of
the repositories named in free_sets.py, each in a folder OWNER+NAME. The marked texts of tests/fresh
are only scored on, and only their half `look`.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from random import Random

import numpy as np
from free_sets import Repository, crossner, gum, litbank, uner
from labels import Cutter, Labelled
from manners import texts as texts_in_many_manners
from news import Tagged, found_by_spacy, marked, newsroom, pools_of, with_other_names

ROOT = Path(__file__).parents[2]
TIMES = 30  # that each marked text is given other names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs=2, type=Path, help="the reader's folder, the file to write")
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--news", nargs=2, type=Path, action="append", required=True)
    parser.add_argument("--held", type=Path, required=True, help="of Universal NER")
    parser.add_argument("--stories", type=int, default=9000, help="of each news file")
    arguments = parser.parse_args()
    folder, out = arguments.paths
    cutter, random = Cutter(folder), Random(5)
    news = [list(found_by_spacy(*paths, arguments.stories)) for paths in arguments.news]
    pools = pools_of([text for own in news for text in own])
    more = list(marked(ROOT / "tests/names/more"))

    def renamed(texts: Iterable[Tagged], share: float) -> Iterable[Labelled]:
        for text in texts:
            other = random.random() < share
            yield (with_other_names(text, pools, random) if other else text).labelled()

    def repository(name: str) -> Repository:
        return Repository(arguments.repositories / name / "repo")

    sources: dict[str, Iterable[Labelled]] = {
        "news": renamed((text for own in news for text in own), 0.5),
        "newsroom": renamed(newsroom(1200), 0.0),
        "marked": renamed(more, 0.0),
        "manners": texts_in_many_manners(4200, pools, Random(11)),
        "renamed": renamed((text for text in more for _ in range(TIMES)), 1.0),
        "pud": uner(repository("UniversalNER+UNER_English-PUD").read("en_pud-ud-test.iob2")),
        "crossner": crossner(repository("zliucr+CrossNER")),
        "litbank": litbank(repository("dbamman+litbank")),
        "gum": gum(repository("amir-zeldes+gum")),
        "held_look": renamed(marked(ROOT / "tests/fresh/texts", "look"), 0.0),
        "held_ewt": uner(arguments.held.read_text(encoding="utf-8")),
    }
    arrays: dict[str, np.ndarray] = {}
    for name, texts in sources.items():
        cut = [cutter.arrays(text) for text in texts if text.words]
        for key, parts in zip(("ids", "casing", "allowed"), zip(*cut, strict=True), strict=True):
            arrays[f"{name}.{key}"] = np.concatenate(parts)
        arrays[f"{name}.lengths"] = np.array([len(ids) for ids, *_ in cut], np.int32)
        print(f"{name}: {len(cut):,} texts, {arrays[f'{name}.lengths'].sum():,} pieces", flush=True)
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main()

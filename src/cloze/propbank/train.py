"""Train the PropBank parser.

python -m cloze.propbank.train propbank_ewt.jsonl.zst --out model
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from cloze.files import sha256
from cloze.progress import track
from cloze.propbank import score, treebank
from cloze.propbank.analysis import Labels, analyse
from cloze.propbank.features import signs
from cloze.propbank.frame import Frame
from cloze.propbank.inputs import Inputs, Vocabulary, collect
from cloze.propbank.network import Network, batch_of
from cloze.propbank.parser import PARTS, Parser, spell, tagger
from cloze.propbank.pipeline import load_pipeline
from cloze.propbank.senses import train_choice, train_evoking
from cloze.propbank.words import Words, compress
from cloze.randomness import generator

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

FOLDS = 5
RATE = 2.5e-3
TOKENS_A_BATCH = 2_000
AVERAGED = 0.999  # weight of the past in the running average of the weights


def train(
    nlp: "Language",
    docs: Sequence["Doc"],
    frames: Sequence[Sequence[Frame]],
    *,
    seed: int,
    epochs: int,
) -> Parser:
    labels = Labels(
        tuple(sorted({token.tag_ for doc in docs for token in doc})),
        tuple(sorted({token.dep_ for doc in docs for token in doc})),
    )
    words = compress(nlp)
    text = analyse(docs, labels)
    clusters = words.cluster[words.rows_of(text.lower)]
    prep = labels.deps.index("prep") + 1
    flat = [(start, frame) for start, own in zip(text.docs, frames, strict=False) for frame in own]
    predicates = np.array([start + frame.predicate for start, frame in flat], np.int64)
    rolesets = [frame.roleset for _, frame in flat]

    part = np.array(["", *(tag[:1] for tag in labels.tags)])[text.tag]
    able = np.flatnonzero(np.isin(part, PARTS))
    evokes = train_evoking(
        signs(able, text, clusters, prep),
        text.lemma[able],
        np.isin(able, predicates),
        generator(seed, 1),
    )
    seen = signs(predicates, text, clusters, prep)
    lemmas, parts = spell(docs, text, predicates)
    choice = train_choice(seen, lemmas, parts, rolesets, generator(seed, 2))

    # The tagger must see senses with as many errors as at run time, so each part of the
    # training sentences gets its senses from a model of the other parts.
    fold = (np.searchsorted(text.docs, predicates, side="right") - 1) % FOLDS
    guessed = np.array(rolesets, dtype=object)
    for k in range(FOLDS):
        out, held = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        other = train_choice(
            seen[out],
            [lemmas[i] for i in out],
            [parts[i] for i in out],
            [rolesets[i] for i in out],
            generator(seed, 3, k),
        )
        guessed[held] = other.choose(
            seen[held], [lemmas[i] for i in held], [parts[i] for i in held]
        )
    names = [a.label for _, frame in flat for a in frame.arguments]
    vocabulary = collect(text, predicates, list(guessed), names)
    inputs = vocabulary.inputs(predicates, list(guessed), text, words)
    target = _targets(flat, inputs, vocabulary)
    weights = _train_tagger(labels, vocabulary, words, inputs, target, seed=seed, epochs=epochs)
    return Parser(labels, words, evokes, choice, tagger(weights, vocabulary, words, labels))


def _targets(
    flat: Sequence[tuple[int, Frame]], inputs: Inputs, vocabulary: Vocabulary
) -> np.ndarray:
    """The right label of each pair: 0 outside, then beginnings, then insides."""
    number = {name: k for k, name in enumerate(vocabulary.labels, 1)}
    bounds, token = inputs.pairs.bounds, inputs.pairs.token
    target = np.zeros(bounds[-1], np.int64)
    for k, (start, frame) in enumerate(flat):
        offset = bounds[k] + start - token[bounds[k]]
        for argument in frame.arguments:
            label = number.get(argument.label, 0)
            rows = slice(offset + argument.start, offset + argument.end)
            if label and not target[rows].any():
                target[rows] = label + len(vocabulary.labels)
                target[rows.start] = label
    return target


def _train_tagger(
    labels: Labels,
    vocabulary: Vocabulary,
    words: Words,
    inputs: Inputs,
    target: np.ndarray,
    *,
    seed: int,
    epochs: int,
) -> dict[str, np.ndarray]:
    torch.manual_seed(seed)
    network = Network(labels, vocabulary, words.vectors())
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
    average = {name: value.detach().clone() for name, value in network.named_parameters()}
    bounds = inputs.pairs.bounds
    batches = [b for e in range(epochs) for b in _batches(np.diff(bounds), generator(seed, 4, e))]
    for step, chosen in enumerate(track(batches, "training the tagger", total=len(batches))):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, step / 200) * (1 - step / len(batches))
        length = bounds[chosen[0] + 1] - bounds[chosen[0]]
        right = torch.from_numpy(target[bounds[chosen][:, None] + np.arange(length)])
        scores = network(batch_of(inputs, chosen))
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), right.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        keep = min(AVERAGED, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, value in network.named_parameters():
                average[name].lerp_(value, 1 - keep)
    return {name: value.numpy() for name, value in average.items()}


def _batches(lengths: np.ndarray, random: np.random.Generator) -> list[np.ndarray]:
    """Predicates in batches of equally long sentences, in random order."""
    batches = []
    for length in np.unique(lengths):
        rows = random.permutation(np.flatnonzero(lengths == length))
        size = int(np.clip(TOKENS_A_BATCH // length, 8, 256))
        batches += [rows[i : i + size] for i in range(0, len(rows), size)]
    return [batches[i] for i in random.permutation(len(batches))]


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m cloze.propbank.train")
    options.add_argument("propbank", type=Path, help="annotated sentences as JSON lines")
    options.add_argument("--out", type=Path, required=True, help="the model's directory")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--epochs", type=int, default=8)
    given = options.parse_args()
    torch.set_num_threads(1)  # the batches are small: a second thread costs more than it gains
    parsing = load_pipeline()
    sentences = [s for s in treebank.read(given.propbank) if s.split in ("train", "dev")]
    docs = list(
        track(
            treebank.as_docs(parsing, sentences), "parsing", total=len(sentences), unit="sentences"
        )
    )
    pairs = list(zip(sentences, docs, strict=True))
    learned = [(s, doc) for s, doc in pairs if s.split == "train"]
    held = [(s, doc) for s, doc in pairs if s.split == "dev"]
    parser = train(
        parsing,
        [doc for _, doc in learned],
        [s.frames for s, _ in learned],
        seed=given.seed,
        epochs=given.epochs,
    )
    lines = score.report(parser, [s for s, _ in held], [doc for _, doc in held])
    print("\n".join(["on the dev part:", *lines]))
    about = {
        "pipeline": f"{parsing.meta['lang']}_{parsing.meta['name']} {parsing.meta['version']}",
        "trained_on": {"file": given.propbank.name, "sha256": sha256(given.propbank)},
        "seed": given.seed,
        "epochs": given.epochs,
        "dev": lines,
    }
    parser.save(given.out, about)
    print(f"written to {given.out}")


if __name__ == "__main__":
    main()

"""Measure the PropBank parser on annotated sentences that it was not trained on.

python -m cloze.propbank.score propbank_ewt.jsonl.zst --split test

Tokens and sentence bounds are the treebank's; tags, lemmas and the parse are spaCy's own. Arguments
are scored at the treebank's predicates, on verbs, for ARG0 and ARG1 (no R- and C- parts), once by
exact bounds and once by the head word: the first token of a span whose governor in spaCy's parse
lies outside it, not counting punctuation.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cloze.propbank import rules, treebank
from cloze.propbank.frame import Argument, Frame
from cloze.propbank.parser import SHIPPED, Parser
from cloze.propbank.treebank import Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc

AUXILIARIES = ("be.03", "have.01", "do.01")  # rolesets of auxiliary verbs, which have no arguments


class Score(NamedTuple):
    right: int
    said: int
    true: int

    def __str__(self) -> str:
        precision = self.right / max(self.said, 1)
        recall = self.right / max(self.true, 1)
        f = 2 * precision * recall / max(precision + recall, 1e-9)
        return f"P {precision:.4f}  R {recall:.4f}  F {f:.4f}"


def compare(pairs: Iterable[tuple[set[object], set[object]]]) -> Score:
    """Add up what was found, compared with what is true."""
    counts = [(len(said & true), len(said), len(true)) for said, true in pairs]
    return Score(*(sum(column) for column in zip(*counts, strict=True)))


def exactly(doc: "Doc", argument: Argument) -> object:
    return argument


def by_head(doc: "Doc", argument: Argument) -> object:
    span = range(argument.start, argument.end)
    tops = [i for i in span if doc[i].head.i == i or doc[i].head.i not in span]
    return argument.label, next((i for i in tops if not doc[i].is_punct), tops[0])


def core(
    doc: "Doc", arguments: Iterable[Argument], view: Callable[["Doc", Argument], object]
) -> set[object]:
    return {view(doc, a) for a in arguments if a.label in ("ARG0", "ARG1")}


def report(parser: Parser, sentences: Sequence[Sentence], docs: Sequence["Doc"]) -> list[str]:
    """Lines to print."""
    found = parser.parse(docs)
    given = [[frame.predicate for frame in s.frames] for s in sentences]
    frames = parser.parse_given(docs, given)
    at_verbs = [
        (doc, true, said)
        for doc, s, own in zip(docs, sentences, frames, strict=True)
        for true, said in zip(s.frames, own, strict=True)
        if true.predicate in s.verbs
    ]
    every = [
        (true.roleset, said.roleset)
        for s, own in zip(sentences, frames, strict=True)
        for true, said in zip(s.frames, own, strict=True)
    ]
    lexical = [pair for pair in every if pair[0] not in AUXILIARIES]
    lines = [
        f"{len(sentences):,} sentences, {len(every):,} predicates, {len(at_verbs):,} of them verbs",
        f"predicates found          {compare(_predicates(sentences, found))}",
        f"sense, all predicates     {_accuracy(every):.4f}",
        f"sense, no auxiliaries     {_accuracy(lexical):.4f}",
    ]
    for name, view in (("exact bounds", exactly), ("head word", by_head)):
        plain = compare(
            (core(d, rules.arguments(d, true.predicate), view), core(d, true.arguments, view))
            for d, true, _ in at_verbs
        )
        ours = compare(
            (core(d, said.arguments, view), core(d, true.arguments, view))
            for d, true, said in at_verbs
        )
        lines.append(f"ARG0/ARG1, {name:12s}   {ours}   (plain rules {plain})")
    lines.append(f"all labels, exact bounds  {compare(_whole(frames, sentences))}")
    return lines


def _predicates(
    sentences: Sequence[Sentence], found: Sequence[Sequence[Frame]]
) -> Iterable[tuple[set[object], set[object]]]:
    for sentence, own in zip(sentences, found, strict=True):
        yield {f.predicate for f in own}, {f.predicate for f in sentence.frames}


def _whole(
    frames: Sequence[Sequence[Frame]], sentences: Sequence[Sentence]
) -> Iterable[tuple[set[object], set[object]]]:
    for sentence, own in zip(sentences, frames, strict=True):
        for true, said in zip(sentence.frames, own, strict=True):
            yield set(said.arguments), set(true.arguments)


def _accuracy(pairs: Sequence[tuple[str, str]]) -> float:
    return sum(true == said for true, said in pairs) / max(len(pairs), 1)


def main() -> None:
    from cloze.propbank.pipeline import load_pipeline

    options = argparse.ArgumentParser(prog="python -m cloze.propbank.score")
    options.add_argument("propbank", type=Path, help="annotated sentences as JSON lines")
    options.add_argument("--split", default="test")
    options.add_argument("--model", type=Path, default=SHIPPED)
    given = options.parse_args()
    sentences = [s for s in treebank.read(given.propbank) if s.split == given.split]
    docs = list(treebank.as_docs(load_pipeline(), sentences))
    parser = Parser.load(given.model)
    started = time.perf_counter()
    print("\n".join(report(parser, sentences, docs)))
    print(f"{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()

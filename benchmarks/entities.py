"""Score entity detection: our mentions against those of the bare pipeline, on annotated text.

    python benchmarks/entities.py en_ewt-ud-dev.iob2 en_ewt-ud-test.iob2 wikigold.conll.txt
    python benchmarks/entities.py wikigold.conll.txt --pipeline encoder --rules 2

A mention counts as found if its words are exactly those of the annotation, whatever its type (an
article before it is ignored on both sides). Types that an annotation scheme does not have (peoples
in a scheme of persons, organisations and places) are left out on both sides. Documents are those
that the files mark; a name found once in a document is a name throughout it.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cloze.finding import pipeline_called
from cloze.names.detection import annotate
from cloze.names.language import RULES, Language, load_language
from cloze.names.mentions import find_mentions
from cloze.names.name import TYPES
from cloze.names.tokens import Tokens, tokenise
from cloze.stories import Story

ENGLISH = load_language("en")  # for reading the gold, whatever the rules


class Annotated(NamedTuple):
    """A document's text and its gold entities as character ranges with a type."""

    text: str
    gold: list[tuple[int, int, str]]


def read(path: Path) -> Iterator[Annotated]:
    """CoNLL (word, tag) or IOB2 with numbered columns; documents by `# newdoc` or -DOCSTART-."""
    sentences: list[list[tuple[str, str]]] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# newdoc") or line.startswith("-DOCSTART-"):
            yield from _document(sentences)
            sentences = [[]]
        elif not line.strip():
            sentences.append([])
        elif not line.startswith("#"):
            parts = line.split("\t") if "\t" in line else line.split(" ")
            word, tag = (parts[1], parts[2]) if parts[0].isdigit() and len(parts) > 3 else parts[:2]
            sentences[-1].append((word, tag))
    yield from _document(sentences)


def _document(sentences: list[list[tuple[str, str]]]) -> Iterator[Annotated]:
    text = ""
    gold: list[tuple[int, int, str]] = []
    for sentence in filter(None, sentences):
        kind = None
        for word, tag in sentence:
            start = len(text)
            text += word + " "
            if tag == "O":
                kind = None
                continue
            if tag.startswith("I-") and kind == tag[2:]:
                gold[-1] = (gold[-1][0], len(text) - 1, kind)
            else:
                kind = tag[2:]
                gold.append((start, len(text) - 1, kind))
        text = text.rstrip(" ") + "\n\n"
    if text:
        yield Annotated(text, gold)


def without_article(text: str, start: int, end: int) -> tuple[int, int]:
    first, _, rest = text[start:end].partition(" ")
    return (end - len(rest), end) if rest and first in ENGLISH.articles else (start, end)


def ours(
    text: str, spans: list[tuple[int, int, str]], language: Language
) -> list[tuple[int, int, str]]:
    tokens: Tokens = tokenise(text, language)
    names, mentions = find_mentions([tokens], [spans], language)
    return [
        (tokens.starts[m.first], tokens.starts[m.last - 1] + len(tokens.words[m.last - 1]),
         names[m.name].type)
        for m in mentions[0]
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--rules", type=int, default=RULES)
    arguments = parser.parse_args()
    pipeline = pipeline_called(arguments.pipeline)
    language = load_language("en", arguments.rules)
    print(f"{'':32}{'precision':>10}{'recall':>8}{'F1':>8}")
    for path in arguments.files:
        documents = list(read(path))
        has_others = any(kind == "MISC" for document in documents for *_, kind in document.gold)
        kept = TYPES if has_others else {"PERSON", "ORG", "GPE", "LOC", "FAC"}
        scores: dict[str, Counter[str]] = {"bare pipeline": Counter(), "cloze": Counter()}
        stories = [Story(str(number), each.text, ()) for number, each in enumerate(documents)]
        for document, found in zip(documents, annotate(stories, pipeline), strict=True):
            (spans,) = found.texts
            gold = {without_article(document.text, *g[:2]) for g in document.gold}
            systems = {"bare pipeline": spans, "cloze": ours(document.text, spans, language)}
            for system, own in systems.items():
                said = {without_article(document.text, *f[:2]) for f in own if f[2] in kept}
                scores[system].update(right=len(said & gold), said=len(said), gold=len(gold))
        for system, count in scores.items():
            precision = 100 * count["right"] / max(count["said"], 1)
            recall = 100 * count["right"] / max(count["gold"], 1)
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            print(f"{path.name[:18]:18} {system:13}{precision:10.1f}{recall:8.1f}{f1:8.1f}")


if __name__ == "__main__":
    main()

"""Sentences with PropBank frames, to train on and to score against.

One JSON record per line, compressed or not:

    {"split": "train", "tokens": ["Kim", "slept"],
     "frames": [{"i": 1, "roleset": "sleep.01", "args": [[0, 1, "ARG0"]]}]}
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze.compressed import lines
from cloze.errors import UserError
from cloze.propbank.frame import Argument, Frame

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

NOTHING_BEFORE = frozenset((*".,;:?!)]}%", "''", "'", "'s", "'S", "n't", "N'T", "'m", "'re", "'ve"))
NOTHING_AFTER = frozenset((*"([{$#", "``"))


@dataclass(frozen=True, slots=True)
class Sentence:
    split: str
    tokens: list[str]
    verbs: frozenset[int]  # tokens that the treebank itself tags as verbs
    frames: tuple[Frame, ...]


def read(path: Path) -> Iterator[Sentence]:
    for number, line in enumerate(lines(path), 1):
        try:
            yield _sentence(json.loads(line))
        except (KeyError, TypeError, ValueError, IndexError) as problem:
            raise UserError(
                f"is not a PropBank record ({type(problem).__name__}: {problem})",
                where=f"{path}, line {number}",
                fix="each line needs split, tokens, xpos and frames",
            ) from None


def _sentence(record: dict[str, Any]) -> Sentence:
    tokens = [str(token) for token in record["tokens"]]
    frames = []
    for frame in record["frames"]:
        arguments = tuple(Argument(label, start, end) for start, end, label in frame["args"])
        if not 0 <= frame["i"] < len(tokens):
            raise IndexError(f"predicate {frame['i']} in a sentence of {len(tokens)} tokens")
        frames.append(Frame(frame["i"], frame["roleset"], arguments))
    verbs = frozenset(i for i, tag in enumerate(record["xpos"]) if str(tag).startswith("V"))
    return Sentence(str(record["split"]), tokens, verbs, tuple(frames))


def as_docs(nlp: "Language", sentences: Sequence[Sentence]) -> Iterator["Doc"]:
    """The sentences as the pipeline itself analyses them: its tags, lemmas and parse.

    Words and sentence bounds are given; the spacing is restored, since the pipeline looks at it.
    """
    from spacy.tokens import Doc

    docs = (
        Doc(
            nlp.vocab,
            words=sentence.tokens,
            spaces=_spaces(sentence.tokens),
            sent_starts=[i == 0 for i in range(len(sentence.tokens))],
        )
        for sentence in sentences
    )
    return nlp.pipe(docs, batch_size=256)


def _spaces(tokens: Sequence[str]) -> list[bool]:
    """Whether a space stands after each token, guessed from the marks on either side.

    >>> _spaces(["He", "did", "n't", "(", "yet", ")", "."])
    [True, False, True, False, False, False, False]
    """
    after = [True] * len(tokens)
    opened = False
    for i, token in enumerate(tokens):
        if token == '"':
            opened = not opened
        if i and (token in NOTHING_BEFORE or (token == '"' and not opened)):
            after[i - 1] = False
        if token in NOTHING_AFTER or (token == '"' and opened):
            after[i] = False
    after[-1] = False
    return after

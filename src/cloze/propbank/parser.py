"""The PropBank parser: spaCy's dependency parse and, on top, small models of our own.

    parser = Parser.load()
    for doc, frames in zip(docs, parser.parse(docs)):
        for frame in frames:
            print(frame.roleset, [(a.label, doc[a.start : a.end].text) for a in frame.arguments])

The models are trained by `python -m cloze.propbank.train` and measured by
`python -m cloze.propbank.score`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from cloze.eight_bits import packed, unpacked
from cloze.errors import UserError
from cloze.files import read_json, whole_file, write_text
from cloze.propbank.analysis import Analysis, Labels, analyse
from cloze.propbank.features import signs
from cloze.propbank.frame import Argument, Frame
from cloze.propbank.inputs import Vocabulary
from cloze.propbank.linear import Hashed
from cloze.propbank.senses import Choice, evoking
from cloze.propbank.tagger import Tagger
from cloze.propbank.words import Words

if TYPE_CHECKING:
    from spacy.tokens import Doc

SHIPPED = Path(__file__).parent / "model"
PARTS = ("V", "N", "J")  # the first letters of the tags of words that evoke frames
COMMAS = (",", ":", ".")
ROW = 256  # a long vector is stored in rows, each rounded on its own


@dataclass(frozen=True)
class Parser:
    labels: Labels
    words: Words
    evokes: Hashed
    choice: Choice
    tagger: Tagger

    def parse(self, docs: Sequence["Doc"]) -> list[list[Frame]]:
        """The frames of each document; tokens are numbered as in the document."""
        text = analyse(docs, self.labels)
        part = np.array(["", *(tag[:1] for tag in self.labels.tags)])[text.tag]
        able = np.flatnonzero(np.isin(part, PARTS))
        seen = signs(able, text, self.clusters(text), self.prep)
        chosen = evoking(self.evokes, seen, text.lemma[able])
        return self.frames(docs, text, able[chosen], seen[chosen])

    def parse_given(
        self, docs: Sequence["Doc"], predicates: Sequence[Sequence[int]]
    ) -> list[list[Frame]]:
        """The same if the predicates of each document are known."""
        text = analyse(docs, self.labels)
        given = [start + p for start, of in zip(text.docs, predicates, strict=False) for p in of]
        at = np.array(given, np.int64)
        return self.frames(docs, text, at, signs(at, text, self.clusters(text), self.prep))

    def frames(
        self, docs: Sequence["Doc"], text: Analysis, predicates: np.ndarray, seen: np.ndarray
    ) -> list[list[Frame]]:
        lemmas, parts = spell(docs, text, predicates)
        rolesets = self.choice.choose(seen, lemmas, parts)
        arguments = self.tagger.arguments(predicates, rolesets, text)
        frames: list[list[Frame]] = [[] for _ in docs]
        owners = np.searchsorted(text.docs, predicates, side="right") - 1
        for p, owner, roleset, own in zip(predicates, owners, rolesets, arguments, strict=True):
            start = int(text.docs[owner])
            moved = tuple(Argument(a.label, a.start - start, a.end - start) for a in own)
            frames[owner].append(Frame(int(p) - start, roleset, moved))
        return frames

    def clusters(self, text: Analysis) -> np.ndarray:
        return np.asarray(self.words.cluster[self.words.rows_of(text.lower)])

    @property
    def prep(self) -> int:
        return self.labels.deps.index("prep") + 1

    def save(self, directory: Path, about: dict[str, object]) -> None:
        vocabulary = self.tagger.vocabulary
        arrays = {
            "words.keys": self.words.keys,
            "words.rows": self.words.rows,
            "words.table": self.words.table,
            "words.cluster": self.words.cluster,
            "words.scale": np.array([self.words.scale], np.float32),
            "vocabulary.words": vocabulary.words,
            "vocabulary.lemmas": vocabulary.lemmas,
            "vocabulary.groups": vocabulary.groups,
        }
        learnt = {f"tagger.{name}": w for name, w in self.tagger.w.items()}
        learnt["evokes"] = self.evokes.weights.reshape(-1, ROW)
        learnt["choice"] = self.choice.model.weights.reshape(-1, ROW)
        arrays |= packed(learnt)
        with whole_file(directory / "weights.safetensors") as temporary:
            save_file({k: np.ascontiguousarray(a) for k, a in arrays.items()}, temporary)
        names: dict[str, object] = {
            "about": about,
            "tags": self.labels.tags,
            "deps": self.labels.deps,
            "arguments": vocabulary.labels,
            "tagger_rolesets": vocabulary.rolesets,
            "rolesets": self.choice.rolesets,
            "offered": self.choice.offered,
            "rules": self.choice.rules,
        }
        write_text(directory / "names.json", _one_name_a_line(names))

    @classmethod
    def load(cls, directory: Path = SHIPPED) -> "Parser":
        names = read_json(directory / "names.json")
        try:
            a = unpacked(load_file(directory / "weights.safetensors"))
            labels = Labels(tuple(names["tags"]), tuple(names["deps"]))
            words = Words(
                a["words.keys"],
                a["words.rows"],
                a["words.table"],
                a["words.cluster"],
                float(a["words.scale"][0]),
            )
            vocabulary = Vocabulary(
                a["vocabulary.words"],
                a["vocabulary.lemmas"],
                a["vocabulary.groups"],
                tuple(names["tagger_rolesets"]),
                tuple(names["arguments"]),
            )
            chosen = Hashed(a["choice"].reshape(-1))
            choice = Choice(tuple(names["rolesets"]), names["offered"], names["rules"], chosen)
            weights = {k.removeprefix("tagger."): v for k, v in a.items() if k[:7] == "tagger."}
            evokes = Hashed(a["evokes"].reshape(-1))
        except (KeyError, TypeError, ValueError, OSError, SafetensorError) as problem:
            raise UserError(
                f"is not a PropBank model ({problem})",
                where=directory,
                fix="train one with python -m cloze.propbank.train",
            ) from None
        return cls(labels, words, evokes, choice, tagger(weights, vocabulary, words, labels))


@lru_cache(maxsize=1)
def shipped() -> Parser:
    """The parser that comes with the package, loaded once."""
    return Parser.load()


def tagger(
    weights: dict[str, np.ndarray], vocabulary: Vocabulary, words: Words, labels: Labels
) -> Tagger:
    commas = frozenset(k for k, tag in enumerate(labels.tags, 1) if tag in COMMAS)
    return Tagger(weights, vocabulary, words, commas)


def spell(docs: Sequence["Doc"], text: Analysis, tokens: np.ndarray) -> tuple[list[str], list[str]]:
    """The lemmas of some tokens and the first letters of their tags."""
    owners = np.searchsorted(text.docs, tokens, side="right") - 1
    lemmas, parts = [], []
    for token, owner in zip(tokens, owners, strict=True):
        word = docs[owner][int(token - text.docs[owner])]
        lemmas.append(word.lemma_.lower())
        parts.append(word.tag_[:1])
    return lemmas, parts


def _one_name_a_line(names: dict[str, object]) -> str:
    lines = (f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in names.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"

"""Hand-labelled texts that anyone may use, also for weights that are sold.

    UNER English-PUD   CC BY-SA 3.0   UniversalNER/UNER_English-PUD
    CrossNER           MIT            zliucr/CrossNER: five domains of Wikipedia; not its CoNLL part
    LitBank            CC BY 4.0      dbamman/litbank: a hundred novels
    GUM                CC BY, BY-SA   amir-zeldes/gum: only the six kinds of text so licensed

Each is read from a bare copy of its repository. None of their text is kept.
"""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from labels import (
    ENGLISH,
    OTHERS,
    PLACES,
    Labelled,
    Range,
    apart,
    edges_as_ours,
    labelled,
    tokens_of,
    words_of,
)  # fmt: skip

from cloze.names.tokens import Tokens

Word = tuple[str, str]  # and its tag: B-PER


class Repository:
    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> str:
        return self._git("show", f"HEAD:{name}")

    def list(self, folder: str) -> list[str]:
        return self._git("ls-tree", "-r", "--name-only", "HEAD", folder).splitlines()

    def _git(self, *words: str) -> str:
        command = ["git", "-C", str(self.path), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def joined(sentences: Iterable[list[Word]]) -> tuple[Tokens, list[tuple[int, int, str]]]:
    """Tagged sentences as one text, with its names by characters."""
    text, spans = "", []
    for sentence in sentences:
        kind = None
        for word, tag in sentence:
            start, text = len(text), text + word + " "
            if tag in ("O", "B-O"):
                kind = None
            elif tag.startswith("I-") and kind == tag[2:]:
                spans[-1] = (spans[-1][0], len(text) - 1, kind)
            else:
                kind = tag[2:]
                spans.append((start, len(text) - 1, kind))
    return tokens_of(text), spans


def columns(block: str, word: int, tag: int) -> list[Word]:
    rows = (line.split("\t") for line in block.splitlines() if line[:1] != "#")
    return [(row[word], row[tag]) for row in rows if len(row) > tag]


_UNER = {"PER": ("PERSON",), "LOC": PLACES, "ORG": ("ORG",), "OTH": OTHERS}


def uner(content: str) -> Iterator[Labelled]:
    """Texts of Universal NER, which knows persons, organisations and places."""
    for document in re.split(r"(?=# newdoc)", content):
        sentences = [columns(block, 1, 2) for block in document.split("\n\n")]
        tokens, spans = joined(filter(None, sentences))
        names = [(*r[:2], kind) for *s, kind in spans for r in _ours(tokens, s, _UNER[kind])]
        if tokens.words:
            yield _made(tokens, names, _UNER, lacking=OTHERS)


def _ours(tokens: Tokens, span: list[int], types: tuple[str, ...]) -> list[Range]:
    return edges_as_ours(tokens, (span[0], span[1], types[0]))


def _made(
    tokens: Tokens,
    names: Iterable[Range],
    types: dict[str, tuple[str, ...]],
    unknown: Iterable[int] = (),
    lacking: tuple[str, ...] = (),
) -> Labelled:
    return labelled(
        tokens.words, tokens.spacing, apart(names), types.__getitem__,
        unknown=set(unknown), lacking=lacking,
    )  # fmt: skip


_CROSS = {
    kind: types
    for kinds, types in (
        ("politicalparty organisation university band", ("ORG",)),
        ("politician person writer researcher scientist musicalartist", ("PERSON",)),
        ("country", ("GPE",)),
        ("location", PLACES),
        ("event conference", ("EVENT",)),
        ("book poem album song", ("WORK_OF_ART",)),
        ("magazine academicjournal", ("WORK_OF_ART", "ORG")),
        ("award", ("WORK_OF_ART", "EVENT", "PRODUCT")),
        ("product programlang", ("PRODUCT", "LANGUAGE")),
        ("astronomicalobject", ("LOC",)),
    )
    for kind in kinds.split()
}


def crossner(repository: Repository) -> Iterator[Labelled]:
    """Algorithms, fields and genres are no names of ours, and some are written as names."""
    for domain in ("ai", "literature", "music", "politics", "science"):
        for part in ("train", "dev", "test"):
            for block in repository.read(f"ner_data/{domain}/{part}.txt").split("\n\n"):
                if sentence := columns(block, 0, 1):
                    yield _crossner(*joined([sentence]))


def _crossner(tokens: Tokens, spans: list[tuple[int, int, str]]) -> Labelled:
    names, unknown = [], set[int]()
    for start, end, kind in spans:
        first, last = words_of(tokens, start, end)
        if kind not in _CROSS or tokens.words[first][0].islower():
            unknown |= set(range(first, last))
        else:
            names += [(*r[:2], kind) for r in _ours(tokens, [start, end], _CROSS[kind])]
    return _made(tokens, names, _CROSS, unknown, ("NORP", "LANGUAGE"))


_LITBANK = {
    "PER": ("PERSON",), "GPE": ("GPE",), "LOC": ("LOC", "GPE"), "FAC": ("FAC",), "ORG": ("ORG",),
    "VEH": ("PRODUCT",),
}  # fmt: skip
_SMALL = ENGLISH.particles | {"of", "the", "and", "de", "la", "in", "'s", "-", "’s", ",", "for"}


def litbank(repository: Repository) -> Iterator[Labelled]:
    for path in repository.list("coref/brat/"):
        if path.endswith(".txt"):
            tokens = tokens_of(repository.read(path))
            names, unknown = [], set[int]()
            for kind, start, end in _proper(repository.read(f"{path[:-3]}ann")):
                for first, last, _ in _ours(tokens, [start, end], _LITBANK[kind]):
                    if _is_phrase(tokens.words[first:last]):
                        unknown |= set(range(first, last))
                    else:
                        names.append((first, last, kind))
            yield _made(tokens, names, _LITBANK, unknown, OTHERS)


def _proper(annotations: str) -> Iterator[tuple[str, int, int]]:
    for line in annotations.splitlines():
        number, what, *_ = line.split("\t")
        if number.startswith("T") and what.startswith("PROP_"):
            kind, start, end = what.split()[:3]
            yield kind.removeprefix("PROP_"), int(start), int(end)


def _is_phrase(words: list[str]) -> bool:
    """ "Mr. Bennet of Longbourn, father of five": a name with words around it."""
    lower = (word for word in words if word[0].islower() and word not in _SMALL)
    return len(words) > 6 or any(lower) or not words[0][0].isupper()


_GUM = {
    "person": ("PERSON",), "organization": ("ORG",), "place": PLACES, "event": ("EVENT",),
    "object": ("PRODUCT", "WORK_OF_ART", "FAC"),
    "abstract": ("WORK_OF_ART", "LAW", "EVENT", "LANGUAGE", "PRODUCT"),
}  # fmt: skip
_GUM_FREE = ("academic", "bio", "court", "voyage", "news", "interview")  # see its LICENSE.txt
_IN_NAMES = {"NNP", "NNPS", "IN", "DT", "CC", "CD", "HYPH", "POS", "JJ", "NN"}


def gum(repository: Repository) -> Iterator[Labelled]:
    """Mentions whose head is a proper noun, cut to the head's own words."""
    for path in repository.list("dep/"):
        if path.startswith(tuple(f"dep/GUM_{kind}_" for kind in _GUM_FREE)):
            yield _gum(repository.read(path))


def _gum(content: str) -> Labelled:
    words, tags, opens, mentions = _conllu(content)
    text, starts = "", []
    for word, is_new in zip(words, opens, strict=True):
        text = text.rstrip() + "\n\n" if is_new and text else text
        starts.append(len(text))
        text += word + " "
    tokens = tokens_of(text)
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    names = [
        (*found[:2], kind)
        for first, last, kind in _named(tags, mentions)
        for found in _ours(tokens, [starts[first], ends[last - 1]], _GUM[kind])
    ]
    never = ENGLISH.titles | ENGLISH.honorifics | ENGLISH.days_and_months
    unknown = {
        at
        for word, tag, start, end in zip(words, tags, starts, ends, strict=True)
        if tag in ("NNP", "NNPS") and word[0].isupper() and word not in never
        for at in range(*words_of(tokens, start, end))
    }
    return _without_doubtful(tokens, apart(names), unknown)


def _without_doubtful(tokens: Tokens, names: list[Range], unknown: set[int]) -> Labelled:
    """A name beside other proper nouns may be part of a longer one."""
    unknown = unknown - {at for first, last, _ in names for at in range(first, last)}
    sure = [name for name in names if name[0] - 1 not in unknown and name[1] not in unknown]
    for first, last, _ in set(names) - set(sure):
        unknown |= set(range(first, last))
    for _, last, _ in sure:
        if tokens.words[last : last + 1] and tokens.words[last] in ("of", "for", "and", "&"):
            unknown |= set(range(last, min(last + 3, len(tokens.words))))
    unknown -= {at for first, last, _ in sure for at in range(first, last)}
    return _made(tokens, sure, _GUM, unknown, ("NORP", "LANGUAGE"))


def _named(tags: list[str], mentions: list[tuple[int, int, list[str]]]) -> Iterator[Range]:
    for start, _, fields in mentions:
        if fields[1] in _GUM and re.fullmatch(r"\d+(,\d+)*", "".join(fields[5:6])):
            head = [start + int(number) - 1 for number in fields[5].split(",")]
            first, last = min(head), max(head) + 1
            proper = {tags[head[0]], tags[head[-1]]} <= {"NNP", "NNPS"}
            if proper and set(tags[first:last]) <= _IN_NAMES:
                yield first, last, fields[1]


def _conllu(
    content: str,
) -> tuple[list[str], list[str], list[bool], list[tuple[int, int, list[str]]]]:
    """Words, their tags, which of them open a paragraph, and the mentions with their fields."""
    words: list[str] = []
    tags: list[str] = []
    opens: list[bool] = []
    mentions = []
    opened = defaultdict(list)
    is_new = False
    for line in content.splitlines():
        is_new = is_new or line.startswith("# newpar")
        row = line.split("\t")
        if not row[0].isdigit():
            continue
        at = len(words)
        words.append(row[1])
        tags.append(row[4])
        opens.append(is_new)
        is_new = False
        for part in _brackets(row[9]):
            fields = part.strip("()").split("-")
            if part[0] == "(":
                opened[fields[0]].append((at, fields))
            if part[-1] == ")" and opened[fields[0]]:
                start, own = opened[fields[0]].pop()
                mentions.append((start, at + 1, own))
    return words, tags, opens, mentions


def _brackets(column: str) -> list[str]:
    found = re.search(r"(?:^|\|)Entity=([^|]+)", column)
    return re.findall(r"\([^()]+\)?|[^()]+\)", found[1]) if found else []

"""Finding what answers by one word.

find("word-distance")          a baseline
find("runs/attentive")         a trained reader: its model folder, or the folder of its run
find("small")                  a reader that ships with the package
find("somebody/reader")        a reader on the Hugging Face Hub
find("my.module:FirstName")    any class that implements `cloze.answering.Answerer`
"""

import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from cloze.answering import Answerer
from cloze.baselines import BASELINES
from cloze.errors import UserError
from cloze.names.detection import Pipeline

CONFIG = "config.json"  # what a reader's folder has


def find(
    word: str | Path,
    *,
    device: str = "auto",
    batch_size: int = 32,
    encoded: Path | None = None,
    exact: bool = False,
) -> Answerer:
    """The answerer that a word stands for; the options are for readers.

    `encoded` is the folder of an encoded split; every question is then answered from its arrays.
    `exact` has everything computed in 32 bits, where an Encoder Reader would multiply in 8.
    """
    word = str(word)
    if word.lower().replace("_", "-") in BASELINES:
        return BASELINES[word.lower().replace("_", "-")]()
    if os.path.isdir(word):
        return _reader(Path(word), device, batch_size, encoded, exact)
    if ":" in word:
        return _class(word)
    from cloze.readers.shipped_models import shipped_model

    if (folder := shipped_model(word)) is not None:
        return _reader(folder, device, batch_size, encoded, exact)
    from cloze.readers.hub import may_be_on_the_hub

    if may_be_on_the_hub(word):
        return _reader(Path(word), device, batch_size, encoded, exact)
    raise UserError(
        f"'{word}' is neither a reader's folder nor a baseline",
        fix=f"give a folder that cloze train made, module:Class, or one of {', '.join(BASELINES)}",
    )


def pipeline_called(word: str | None, language: str = "en") -> Pipeline:
    """What finds names: a spaCy pipeline, the best that is installed if there is no word, or the
    tagger of the Encoder Reader (`encoder`, with options after colons)."""
    from cloze.readers.tagging.tagger import WORD, shipped_tagger

    name, *options = (word or "").split(":")
    if name != WORD:
        return word
    if language != "en":
        raise UserError("the tagger reads English only", fix="choose another --pipeline")
    return shipped_tagger(options)


def pipeline_to_ask_with(word: str | None, language: str = "en") -> Pipeline:
    """As `pipeline_called`, but without a word English is read by the Encoder Reader's tagger: it
    finds more names than spaCy's pipelines (docs/names.md), and one article is soon read."""
    from cloze.readers.eight_bits import why_not
    from cloze.readers.tagging.tagger import WORD

    if word is None and language == "en":
        word = WORD if why_not() else f"{WORD}:int8"
    return pipeline_called(word, language)


def find_all(
    words: Iterable[str | Path],
    *,
    device: str = "auto",
    batch_size: int = 32,
    encoded: Path | None = None,
    exact: bool = False,
) -> dict[str, Answerer]:
    """Each answerer once, under the shortest name that distinguishes it from the others."""
    once = list(dict.fromkeys(map(str, words)))
    found = [
        find(word, device=device, batch_size=batch_size, encoded=encoded, exact=exact)
        for word in once
    ]
    return dict(zip(labels(once), found, strict=True))


def baselines_called(names: Sequence[str]) -> list[str]:
    """The baselines of these names; "all" means every one."""
    for name in names:
        if name != "all" and name.lower().replace("_", "-") not in BASELINES:
            choice = ", ".join(BASELINES)
            raise UserError(f"there is no baseline '{name}'", fix=f"choose from {choice} or all")
    return list(BASELINES) if "all" in names else list(names)


def labels(words: Sequence[str]) -> list[str]:
    """The shortest endings that tell the paths apart, leaving out a final `model`.

    >>> labels(["runs/small/model", "runs/large/model", "word-distance"])
    ['small', 'large', 'word-distance']
    >>> labels(["monday/attentive", "sunday/attentive"])
    ['monday/attentive', 'sunday/attentive']
    """
    parts = [_parts(Path(word)) for word in words]
    longest = max(map(len, parts), default=0)
    endings = (["/".join(own[-length:]) for own in parts] for length in range(1, longest + 1))
    return next((found for found in endings if len(set(found)) == len(found)), list(words))


def _parts(path: Path) -> tuple[str, ...]:
    parts = (path.resolve() if path.is_dir() else path).parts
    return parts[:-1] if parts[-1] == "model" and len(parts) > 1 else parts


def _reader(
    folder: Path, device: str, batch_size: int, encoded: Path | None, exact: bool
) -> Answerer:
    from cloze.readers.device import choose_device
    from cloze.readers.reader import Reader

    where = choose_device(device)
    place = model_in(folder) if folder.is_dir() else folder  # the Hub's are fetched by their name
    reader = Reader.from_pretrained(place, where, batch_size=batch_size, exact=exact)
    if encoded is not None:
        reader.use_encoded(encoded)
    return reader


def model_in(folder: Path) -> Path:
    """The folder of a reader, which may be the folder of its run."""
    for place in (folder, folder / "model"):
        if (place / CONFIG).is_file():
            return place
    raise UserError("this folder holds no reader", where=folder, fix="train one: cloze train")


def _class(word: str) -> Answerer:
    module, _, name = word.rpartition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # which Python has there, but not an installed command
    try:
        made = getattr(import_module(module), name)()
    except ModuleNotFoundError as problem:
        raise UserError(f"there is no module '{problem.name}'", where=word) from None
    except AttributeError:
        raise UserError(f"the module has no '{name}'", where=word) from None
    missing = [part for part in ("name", "kind", "settings", "answer") if not hasattr(made, part)]
    if missing:
        raise UserError(
            f"has no {' and no '.join(missing)}", where=word, fix="see cloze.answering.Answerer"
        )
    answerer: Answerer = made
    return answerer

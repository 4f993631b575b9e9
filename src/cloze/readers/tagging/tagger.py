"""A tagger of names that reads with the body of an Encoder Reader.

    EncoderTagger(folder).spans(["Cllr Clara Vennick took the chair."])   ->   [[(5, 18, "PERSON")]]

The network is in `cloze.readers.tagging.model` and loaded when the first text is read.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from cloze.errors import UserError
from cloze.files import sha256
from cloze.names.name import Span
from cloze.readers.shipped_models import shipped_models
from cloze.readers.tagging import FILE

WORD = "encoder"  # what --pipeline calls it
TEXTS = 16  # texts that are laid out at once
TEXTS_FOR_GPU = 128
_SAID = {32: "", 16: " bf16", 8: " int8"}
MOST_WORKERS = 12  # which lay texts out for a GPU


@dataclass(frozen=True)
class EncoderTagger:
    """In `folder` lie the reader and its tagger. A process loads each folder once."""

    folder: Path
    bits: int = 32  # 16: computes in bfloat16, 8: multiplies in integers
    device: str = "cpu"

    @property
    def name(self) -> str:
        """With the hash of its weights, so that a build by others is not continued."""
        return f"{WORD} {sha256(self.folder / FILE)[:12]}" + _SAID[self.bits]

    def spans(self, texts: Iterable[str]) -> Iterator[list[Span]]:
        """The names of each text, with their types."""
        # PyTorch, which spaCy does without
        from cloze.readers.tagging.laying import Laid, chunks, laid_by_workers
        from cloze.readers.tagging.model import load_model

        model = load_model(self.folder.resolve(), self.device)
        together = chunks(texts, TEXTS if self.device == "cpu" else TEXTS_FOR_GPU)
        first = list(islice(together, 2))
        laid: Iterable[list[Laid]] = map(model.lay, chain(first, together))
        if self.device != "cpu" and len(first) > 1:  # one thread is too slow for a GPU
            workers = max(1, min(MOST_WORKERS, (os.cpu_count() or 1) - 1))
            laid = laid_by_workers(chain(first, together), self.folder, workers)
        for found in model.spans_of(laid, self.bits):
            yield from found


def shipped_tagger(options: Collection[str] = ()) -> EncoderTagger:
    """That of the reader that ships; `options` are those of --pipeline encoder:bf16:cuda."""
    if unknown := set(options) - {"bf16", "int8", "cuda"}:
        fix = "give bf16, int8 or cuda"
        raise UserError(f"the tagger has no option '{unknown.pop()}'", fix=fix)
    if "int8" in options and len(options) > 1:
        raise UserError("int8 is for the CPU, and alone", fix="give bf16 on a GPU")
    folder = next((f for f in shipped_models() if (f / FILE).is_file()), None)
    if folder is None:
        fix = "leave out --pipeline encoder"
        raise UserError("no reader of this installation has a tagger", fix=fix)
    bits = 16 if "bf16" in options else 8 if "int8" in options else 32
    return EncoderTagger(folder, bits, "cuda" if "cuda" in options else "cpu")

"""The spaCy pipeline under the PropBank parser: tags, lemmas and dependencies."""

import importlib.util
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from cloze.errors import UserError
from cloze.names.detection import pipeline_name

if TYPE_CHECKING:
    from spacy.language import Language

NEEDED = {"tagger", "parser", "lemmatizer"}


@lru_cache(maxsize=1)
def load_pipeline(name: str | None = None) -> "Language":
    """The best English pipeline that is installed, or the one named, without its entities."""
    if importlib.util.find_spec("spacy") is None:
        raise UserError("spaCy is not installed", fix="run: pip install 'cloze-reader[nlp]'")
    import spacy

    chosen = pipeline_name(name)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[W095\]")  # a minor version apart
            nlp = spacy.load(chosen, exclude=["ner", "senter"])
    except OSError:
        raise UserError(
            f"there is no spaCy pipeline '{chosen}'",
            fix=f"run: python -m spacy download {chosen}, or see spacy.io/models",
        ) from None
    if missing := NEEDED - set(nlp.pipe_names):
        raise UserError(
            f"the spaCy pipeline '{chosen}' has no {', '.join(sorted(missing))}",
            fix="choose one that parses, such as en_core_web_md",
        )
    return nlp

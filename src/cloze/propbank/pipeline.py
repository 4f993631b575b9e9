"""The spaCy pipeline under the PropBank parser: tags, lemmas and dependencies."""

from functools import lru_cache
from typing import TYPE_CHECKING

from cloze.errors import UserError
from cloze.names.detection import pipeline_name, read_pipeline

if TYPE_CHECKING:
    from spacy.language import Language

NEEDED = {"tagger", "parser", "lemmatizer"}


@lru_cache(maxsize=1)
def load_pipeline(name: str | None = None) -> "Language":
    """The best English pipeline that is installed, or the one named, without its entities."""
    chosen = pipeline_name(name)
    nlp: Language = read_pipeline(chosen, exclude=("ner", "senter"))
    if missing := NEEDED - set(nlp.pipe_names):
        raise UserError(
            f"the spaCy pipeline '{chosen}' has no {', '.join(sorted(missing))}",
            fix="choose one that parses, such as en_core_web_md",
        )
    return nlp

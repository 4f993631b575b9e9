"""Entity spans from a spaCy pipeline, or from a tagger of our own in its place.

Only named types are kept (people, peoples, buildings, organisations, places, products, events,
works, laws, languages), never dates or numbers. If a pipeline resolves coreference (it puts
clusters on the `Doc`), its clusters are kept beside the spans.
"""

import importlib.util
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, tee
from pathlib import Path
from typing import Any, Protocol

from cloze.errors import UserError
from cloze.extras import missing_package
from cloze.names.coreference.component import Place
from cloze.names.language import load_language
from cloze.names.name import TYPES, Span
from cloze.names.rules import rules_pipeline
from cloze.names.spans import StorySpans
from cloze.stories import Story

RULES = "rules:"  # followed by a language's code: its lists instead of a trained pipeline
BATCH = 8  # articles at once: more is no faster, and 64 takes 300 MB more in each process
_BETWEEN = "\n\n"  # between the texts of a data point, so that no entity spans two of them
# What components for coreference are called (spacy-experimental, fastcoref, coreferee and others).
COREFERENCE = ("experimental_coref", "coref", "fastcoref", "coreferee", "xx_coref")

# Other annotation schemes use other type names (PER in WikiNER pipelines of other languages).
_SAME = {
    "PER": "PERSON", "PRS": "PERSON", "persName": "PERSON", "ORGANIZATION": "ORG", "orgName": "ORG",
    "GPE_ORG": "ORG", "LOCATION": "LOC", "geogName": "LOC", "placeName": "GPE", "GPE_LOC": "GPE",
    "FACILITY": "FAC", "EVN": "EVENT", "EVT": "EVENT", "PROD": "PRODUCT", "WRK": "WORK_OF_ART",
    "DRV": "NORP",
}  # fmt: skip


class Tagger(Protocol):
    """What can find names in spaCy's place. Workers get it by pickling."""

    @property
    def name(self) -> str: ...

    def spans(self, texts: Iterable[str]) -> Iterator[list[Span]]: ...


Pipeline = str | Tagger | None  # a spaCy pipeline's name, a tagger, or the best that is installed


def pipeline_name(name: Pipeline, language: str = "en") -> str:
    """The pipeline asked for, or the best installed one for the language; not loaded yet."""
    if name is not None and not isinstance(name, str):
        return name.name
    if importlib.util.find_spec("spacy") is None:
        raise missing_package("spacy", "nlp")
    if name is not None:
        is_here = name.startswith(RULES) or Path(name).is_dir()
        if not is_here and not _is_installed(name):
            raise UserError(
                f"there is no spaCy pipeline '{name}'",
                fix=f"run: python -m spacy download {name}, or see spacy.io/models",
            )
        return name
    if (found := installed_pipeline(language)) is not None:
        return found
    if load_language(language).places:
        return RULES + language
    raise UserError(
        f"no spaCy pipeline for the language '{language}' is installed",
        fix=f"run: {load_language(language).install}",
    )


def installed_pipeline(language: str) -> str | None:
    """The best of spaCy's pipelines for a language that is installed, if there is one."""
    if importlib.util.find_spec("spacy") is None:
        return None
    return next(filter(_is_installed, load_language(language).pipelines), None)


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):  # "a.b" where there is no a, or "."
        return False


def read_pipeline(chosen: str, *, exclude: Sequence[str] = ()) -> Any:
    """The spaCy `Language` that `pipeline_name` chose, without some of its components."""
    import spacy

    try:
        with warnings.catch_warnings():
            # It was trained for another minor version of spaCy, which makes no difference to us.
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            return spacy.load(chosen, exclude=list(exclude))
    except OSError as problem:
        raise UserError(f"is not a spaCy pipeline ({problem})", where=chosen) from None


@lru_cache(maxsize=1)
def load_pipeline(name: str | None = None, language: str = "en") -> Any:
    """A spaCy `Language` with only the components for entities (and coreference, if it has any)."""
    chosen = pipeline_name(name, language)
    if chosen.startswith(RULES):
        return rules_pipeline(load_language(chosen.removeprefix(RULES)))
    nlp = read_pipeline(chosen)
    if not {"ner", "entity_ruler"} & set(nlp.pipe_names) and not _coreference(nlp):
        raise UserError(
            f"the spaCy pipeline '{chosen}' finds no entities",
            fix="choose one with the component ner",
        )
    nlp.select_pipes(enable=_needed(nlp))
    return nlp


def _coreference(nlp: Any) -> list[str]:
    return [pipe for pipe in nlp.pipe_names if pipe in COREFERENCE]


def _needed(nlp: Any) -> list[str]:
    if _coreference(nlp):
        return list(nlp.pipe_names)
    wanted = {"ner", "entity_ruler"}
    for shared in ("tok2vec", "transformer"):
        if shared in nlp.pipe_names:
            listeners = getattr(nlp.get_pipe(shared), "listening_components", ["ner"])
            if "ner" in listeners:
                wanted.add(shared)
    return [pipe for pipe in nlp.pipe_names if pipe in wanted]


def annotate(
    stories: Iterable[Story], pipeline: Pipeline = None, language: str = "en"
) -> Iterator[StorySpans]:
    """The spans of each story, whose article and highlights are read as one text."""
    if pipeline is not None and not isinstance(pipeline, str):
        read, kept = tee(stories)
        for story, found in zip(kept, pipeline.spans(map(_joined, read)), strict=True):
            yield _by_text(story, found, [])
        return
    nlp = load_pipeline(pipeline, language)
    pairs = ((_joined(story), story) for story in stories)
    for doc, story in nlp.pipe(pairs, as_tuples=True, batch_size=BATCH):
        yield spans_of(doc, story)


def _joined(story: Story) -> str:
    return _BETWEEN.join((story.article, *story.highlights))


def spans_of(doc: Any, story: Story) -> StorySpans:
    """The entities of a `Doc` over a whole data point, as offsets into each of its texts."""
    labels = ((e.start_char, e.end_char, _SAME.get(e.label_, e.label_)) for e in doc.ents)
    return _by_text(story, labels, clusters_of(doc))


def _by_text(
    story: Story, spans: Iterable[Span], clusters: Iterable[Iterable[tuple[int, int]]]
) -> StorySpans:
    lengths = [len(text) + len(_BETWEEN) for text in (story.article, *story.highlights)]
    begins = [0, *accumulate(lengths)]
    texts: list[list[Span]] = [[] for _ in lengths]
    for start, end, label in spans:
        place = _place(begins, start, end)
        if label in TYPES and place is not None:
            texts[place[0]].append((*place[1:], label))
    placed = [
        [place for start, end in cluster if (place := _place(begins, start, end)) is not None]
        for cluster in clusters
    ]
    return StorySpans(story.id, texts, placed)


def _place(begins: list[int], start: int, end: int) -> Place | None:
    """The text that holds the characters, and where; nothing if they reach into the next text."""
    text = bisect_right(begins, start) - 1
    if end > begins[text + 1] - len(_BETWEEN):
        return None
    return text, start - begins[text], end - begins[text]


def clusters_of(doc: Any) -> list[list[tuple[int, int]]]:
    """Coreference clusters on a `Doc`, as character offsets, from whichever component made them.

    Known: span groups whose key begins with "coref_clusters" (spacy-experimental), and the
    extension `doc._.coref_clusters` holding lists of (start, end) (fastcoref).
    """
    found = [
        [(span.start_char, span.end_char) for span in group]
        for key, group in doc.spans.items()
        if key.startswith("coref_clusters")
    ]
    if doc.has_extension("coref_clusters"):
        found += [[(start, end) for start, end in c] for c in doc._.coref_clusters or ()]
    return [cluster for cluster in found if len(cluster) > 1]

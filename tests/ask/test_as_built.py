"""An article that is asked about has the names that it has in a corpus built from it."""

import asyncio
import json
from itertools import cycle
from pathlib import Path

import pytest

from cloze.ask.examples import examples
from cloze.ask.messages import ReadRequest, ReadResponse
from cloze.ask.service import Service
from cloze.ask.tagging import tagger
from cloze.builder.build import build
from cloze.builder.build_input import Source
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.names.detection import pipeline_name
from cloze.readers.reader import Reader

try:
    pipeline_name(None)
except UserError as absent:
    pytest.skip(str(absent), allow_module_level=True)

# What may precede a first sentence without being part of it, and a zero-width space.
FURNITURE = (
    "",
    "LONDON (Reuters) - ",
    "(CNN) -- ",
    "By\nMara Venn\n\n",
    "Orkney, Scotland (AP)\u200b ",
)

Named = list[tuple[int, str, str, list[str]]]


def read(service: Service, article: str, highlights: list[str], question: str | None) -> Named:
    request = ReadRequest(article=article, highlights=highlights, question=question)
    response: ReadResponse = asyncio.run(service.read(request))
    return [(e.id, e.name, e.type, e.names) for e in response.entities]


def test_the_same_stories_built_and_asked_have_the_same_entities(
    tmp_path: Path, readers: dict[str, Reader]
) -> None:
    stories = [
        (f"{before}{example.article}", example.highlights)
        for example, before in zip(examples(), cycle(FURNITURE), strict=False)
    ]
    records = [
        {"id": str(number), "article": article, "highlights": highlights}
        for number, (article, highlights) in enumerate(stories)
    ]
    path = tmp_path / "stories.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    build([Source(path, "train")], tmp_path / "corpus", name="n", workers=1)
    built = [
        [(e.marker, e.name, e.type, list(e.surfaces)) for e in document.entities]
        for document, _ in Corpus.open(tmp_path / "corpus").read("train")
    ]
    service = Service({"patient": readers["patient"]}, tagger(pipeline_name(None)), batch=8)
    try:
        assert [read(service, *story, None) for story in stories] == built
        asked = [read(service, *story, "Nothing was heard of ___ again") for story in stories]
        assert asked == built
    finally:
        service.close()
    names = {name for own in built for _, name, _, _ in own}
    assert names.isdisjoint({"Reuters", "LONDON", "CNN", "AP", "Orkney", "Mara Venn"})

"""The model card: what a reader is, how it was trained, how to use it, where it fails."""

import json
from collections.abc import Mapping
from typing import Any

from cloze.readers.config import ReaderConfig
from cloze.readers.vocabulary import Vocabulary

_HEAD = """---
library_name: cloze-reader
pipeline_tag: question-answering
tags: [cloze, reading-comprehension, {kind}]
---
"""

_USE = """
## Use
```python
from cloze.readers.reader import Reader

reader = Reader.from_pretrained("path/of/this/folder")
ranking = reader.answer(document, question)  # a Document and a Question or Text of cloze.corpus
print(document.name_of(ranking.answer), ranking.scores[0])
```
"""

_LIMITS = """
## Limits
- It answers with an entity of the document, or not at all: it cannot say that there is no answer.
- It sees anonymised text. How well names were found and joined in the document bounds what it can
  answer; what it has learnt about the world is, by design, little.
- Its scores are the probabilities of the softmax among the candidates and were not calibrated.
- News summaries were its teachers; elsewhere expect less.
"""


def card(
    config: ReaderConfig,
    vocabulary: Vocabulary,
    about: Mapping[str, Any],
    *,
    weights: Mapping[str, Any],
    sections: Mapping[str, str],
) -> str:
    corpus = about.get("corpus")
    title = config.name + (f", {corpus}" if corpus else "")
    softmax = {
        "vocabulary": "every word and marker of the vocabulary",
        "candidates": "the markers in the document",
    }[config.output]
    lines = [
        _HEAD.format(kind=config.kind),
        f"# {title}",
        f"The {config.name} of Hermann et al. (2015), *Teaching Machines to Read and Comprehend*. "
        f"Its softmax runs over {softmax}.",
        f"{weights['count']:,} weights in {weights['dtype']}; a vocabulary of "
        f"{len(vocabulary.words):,} words and {vocabulary.pool:,} markers.",
        _USE.rstrip(),
        _table("Training", about),
        *(f"\n## {heading}\n{text.strip()}" for heading, text in sections.items()),
        _table("Config", config.to_dict()),
        _LIMITS.rstrip(),
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _table(heading: str, values: Mapping[str, Any]) -> str:
    if not values:
        return ""
    rows = [f"| {key} | {_cell(value)} |" for key, value in values.items()]
    return "\n".join([f"\n## {heading}", "| | |", "|---|---|", *rows])


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("|", "\\|").replace("\n", " ")

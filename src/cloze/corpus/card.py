"""The dataset card: a README.md that says what a corpus holds and how to read it without us."""

from pathlib import Path

from cloze.corpus.statistics import measure
from cloze.corpus.statistics_table import as_markdown, tables
from cloze.corpus.store import Corpus
from cloze.files import write_text

_CARD = """---
pretty_name: {name}
task_categories:
- question-answering
tags:
- cloze
- reading-comprehension
configs:
{configs}---

# {name}

Anonymised cloze questions over news articles, as in "Teaching Machines to Read and Comprehend"
(Hermann et al., 2015). Made by {made_by}.

{size}

{hardness}

Table 2 counts how often the answer is among the N most frequent entities of its document.
{rejects}
## What is in it

`documents/SPLIT-*.parquet`, a row a document:

| column | what |
| --- | --- |
| `id`, `url`, `date` | where it came from |
| `tokens` | the anonymised, lower-cased text, tokens one space apart; `@entityN` is an entity |
| `surfaces` | the original words, parallel to the tokens; for an entity, its name as written |
| `spacing` | what follows each token in the original: 0 nothing, 1 a space, 2 a paragraph break |
| `entities` | marker number, name, type and surface forms of each cluster |

`questions/SPLIT-*.parquet`, a row a question, in the order of the documents: `id`, `document_id`,
`tokens` (with one `@placeholder`), `surfaces`, `spacing`, and `answer`, the marker number.

The markers are numbered as stored; permute them whenever a data point is loaded
(`cloze.readers.markers`), or a model can learn them by heart.

## Reading it

```python
import pandas as pd
documents = pd.read_parquet("documents/{split}-00000.parquet")
questions = pd.read_parquet("questions/{split}-00000.parquet")
```

```sql
-- DuckDB
SELECT q.tokens AS question, 'entity' || q.answer AS answer, d.tokens AS context
FROM 'questions/{split}-*.parquet' q JOIN 'documents/{split}-*.parquet' d ON d.id = q.document_id;
```

```python
from datasets import load_dataset
load_dataset("path/to/this/folder", "questions", split="{split}")
```

```python
from cloze.corpus.store import Corpus
for document, questions in Corpus.open("path/to/this/folder").read("{split}"):
    print(document.context.original, [question.query.anonymised for question in questions])
```
"""


def write_card(directory: Path) -> None:
    """Write README.md into a corpus directory whose manifest is written."""
    corpus = Corpus.open(directory)
    size, hardness = tables(measure(corpus))
    configs = ""
    for kind in ("questions", "documents"):
        configs += f"- config_name: {kind}\n  data_files:\n"
        for split in corpus.splits:
            configs += f"  - split: {split}\n    path: {kind}/{split}-*.parquet\n"
    text = _CARD.format(
        name=corpus.name,
        made_by=corpus.manifest["made_by"],
        configs=configs,
        size=as_markdown(size),
        hardness=as_markdown(hardness),
        rejects=_rejects(corpus),
        split=corpus.splits[-1] if corpus.splits else "train",
    )
    write_text(directory / "README.md", text)


def _rejects(corpus: Corpus) -> str:
    lines = [
        f"| {split} | {reason} | {count:,} |"
        for split, reasons in corpus.manifest["rejects"].items()
        for reason, count in sorted(reasons.items())
    ]
    if not lines:
        return ""
    return "\n".join(["\nLeft out:\n", "| split | reason | count |", "|---|---|---:|", *lines, ""])

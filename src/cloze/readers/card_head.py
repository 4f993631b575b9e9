"""The YAML head of a model card, which the Hugging Face Hub reads: licence, language, metrics."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from cloze.errors import UserError

_HEAD = re.compile(r"---\n(.*?)^---\n", re.S | re.M)


def head_of(card: str) -> dict[str, Any]:
    """
    >>> head_of("---\\nlicense: mit\\n---\\n# Reader\\n")
    {'license': 'mit'}
    """
    written = _HEAD.match(card)
    try:
        found = yaml.safe_load(written[1]) if written else {}
    except (yaml.YAMLError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UserError("the head of the model's README.md is not YAML", fix="mend or remove it")
    return found


def with_head(card: str, values: Mapping[str, Any]) -> str:
    """The card with these values in its head, in the place of earlier ones.

    >>> print(with_head("---\\nlicense: unknown\\n---\\n# Reader", {"license": "mit"}))
    ---
    license: mit
    ---
    # Reader
    """
    made = yaml.safe_dump(head_of(card) | dict(values), sort_keys=False, allow_unicode=True)
    return f"---\n{made}---\n{_HEAD.sub('', card, count=1) if _HEAD.match(card) else card}"


def metrics(name: str, results: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    """Accuracies by corpus and split, as the Hub wants them.

    >>> metrics("Reader", {("cnn", "valid"): 0.631})["model-index"][0]["results"][0]["metrics"]
    [{'type': 'accuracy', 'value': 0.631}]
    """
    rows = [
        {
            "task": {"type": "question-answering"},
            "dataset": {"name": f"{corpus} {split}", "type": corpus, "split": split},
            "metrics": [{"type": "accuracy", "value": round(float(share), 4)}],
        }
        for (corpus, split), share in results.items()
    ]
    return {"model-index": [{"name": name, "results": rows}]}

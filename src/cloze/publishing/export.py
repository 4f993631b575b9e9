"""Write a test that others can run: its data, its prompts, a card, and the files of a harness.

    OUT/README.md             a dataset card: what it is, how to run it, its canary
    OUT/eval.yaml             what the Hugging Face Hub wants of a benchmark
    OUT/data/markers.jsonl    the questions in one form; examples beside them
    OUT/prompts/              the templates that `cloze evaluate` asks with
    OUT/cloze_task.py         what both harnesses call: loading, prompts, reading replies
    OUT/NAME_markers.yaml …   for lm-evaluation-harness: two tasks for each form
    OUT/NAME.py               for Inspect: a task for each form

The folder can be moved: nothing in it is a path outside it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from cloze.errors import UserError
from cloze.files import check_apart, whole_directory, whole_file, with_a_name
from cloze.language_models.forms import Form
from cloze.language_models.prompts import Prompt
from cloze.language_models.request import Interface, estimated_tokens
from cloze.publishing.questions import Selection, records
from cloze.templating import render

ANSWERS = "answers.jsonl"
SHORT = 2048  # tokens that completions models read unless told otherwise; more is cut on the left


@dataclass(frozen=True)
class Test:
    name: str
    harness: str  # "lm-eval" or "inspect"
    forms: Sequence[Form]
    prompts: dict[Interface, Prompt]
    without_answers: bool = False
    seed: int = 0


def export_test(selection: Selection, test: Test, out: Path, *, overwrite: bool) -> Counter[str]:
    """Write the folder, and beside it the answers if they are to be kept apart."""
    out = with_a_name(out)
    apart = out.with_name(f"{out.name}-{ANSWERS}")
    check_apart(out, selection.corpus.path)
    counts: Counter[str] = Counter()
    answers: dict[str, str] = {}
    with whole_directory(out, overwrite=overwrite) as folder:
        for form in test.forms:
            found = records(selection.test(), form, test.prompts, selection.canary, test.seed)
            counts |= Counter(_write(folder / f"data/{form}.jsonl", found, test, answers))
            shown = records(selection.examples(), form, test.prompts, selection.canary, test.seed)
            _write(folder / f"data/{form}-examples.jsonl", shown, None, {})
        if not counts["questions"]:
            raise UserError("no question is left to export", where=selection.corpus.path)
        _write_prompts(folder, test, selection.canary)
        _write_harness(folder, test, selection, counts)
        if test.without_answers:
            _write_answers(apart, answers, selection.canary)
    return counts


def task_name(name: str) -> str:
    """A name that both harnesses and Python take.

    >>> task_name("My news, Nov. 2026")
    'my_news_nov_2026'
    """
    made = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "cloze"
    return made if made[0].isalpha() else f"cloze_{made}"


def _write(
    path: Path, found: Iterable[dict[str, Any]], test: Test | None, answers: dict[str, str]
) -> dict[str, int]:
    """test: None for examples, which keep their answers."""
    count = longest = 0
    documents = set()
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record in found:
            if test is not None and test.without_answers:
                place = record.pop("answer_index")
                answers[f"{path.stem} {record['id']}"] = record.pop("answer")
                assert record["candidates"][place] == answers[f"{path.stem} {record['id']}"]
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count += 1
            documents.add(record["document"])
            longest = max(longest, estimated_tokens(record["article"] + record["question"]))
    return {"questions": count, "documents": len(documents), "longest": longest}


def _write_answers(path: Path, answers: dict[str, str], canary: str) -> None:
    with whole_file(path) as temporary:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            for key, answer in answers.items():
                form, _, name = key.partition(" ")
                line = {"form": form, "id": name, "answer": answer, "canary": canary}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _write_prompts(folder: Path, test: Test, canary: str) -> None:
    (folder / "prompts").mkdir()
    for interface, prompt in test.prompts.items():
        text = f"{{# {canary} #}}\n{prompt.text}"
        (folder / "prompts" / f"{interface}.txt").write_text(text, encoding="utf-8", newline="\n")


def _write_harness(folder: Path, test: Test, selection: Selection, counts: Counter[str]) -> None:
    values: dict[str, Any] = {
        "name": test.name,
        "forms": [str(form) for form in test.forms],
        "canary": selection.canary,
        "corpus": selection.corpus,
        "split": selection.split,
        "after": selection.after,
        "counts": counts,
        "short": SHORT,
        "harness": test.harness,
        "without_answers": test.without_answers,
        "answers": ANSWERS,
    }
    made = {"README.md": "README.md", "eval.yaml": "eval.yaml"}
    if test.harness == "inspect":
        made[f"{test.name}.py"] = "inspect_task.py.txt"
    else:
        made[f"{test.name}.yaml"] = "group.yaml"
        for form in values["forms"]:
            for sort in ("choice", "chat"):
                one = values | {"form": form, "task": f"{test.name}_{form.replace('-', '_')}"}
                text = render("publishing", f"{sort}.yaml", **one)
                suffix = "" if sort == "choice" else "_chat"
                _put(folder / f"{one['task']}{suffix}.yaml", text)
    for path, template in made.items():
        _put(folder / path, render("publishing", template, **values))
    helper = (files("cloze.publishing") / "templates" / "cloze_task.py.txt").read_text("utf-8")
    _put(folder / "cloze_task.py", f"# {selection.canary}\n{helper}")


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")

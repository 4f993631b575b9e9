"""Attention heat maps as a page of their own: the words of the article, darker where looked at.

The Attentive Reader has one map; the Impatient Reader one for each token of the question, shown
as a film with a slider. Right and wrong answers stand side by side, wrong ones with a likely
cause (`cloze.evaluation.causes`). Names can be switched to the markers that the reader saw.
"""

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.evaluation.metrics import Comparison
from cloze.files import write_text
from cloze.report.packing import json_for_page
from cloze.report.page_data import Map, page_data
from cloze.report.reading import Texts, read_texts
from cloze.report.selection import choose, with_attention

_TEMPLATES = files("cloze.report") / "templates"


def template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def fill(page: str, slots: dict[str, str]) -> str:
    """Put texts into the `{{slots}}` of a template; nothing inside a text is filled again.

    >>> fill("<h1>{{title}}</h1>{{body}}", {"title": "{{body}}", "body": "x"})
    '<h1>{{body}}</h1>x'
    """
    head, *parts = page.split("{{")
    pieces = [head]
    for part in parts:
        name, _, rest = part.partition("}}")
        pieces += [slots[name], rest]
    return "".join(pieces)


def chosen_maps(
    comparison: Comparison, texts: Texts, questions: Sequence[str], pairs: int
) -> tuple[list[Map], list[list[int]]]:
    """The maps of the questions asked for, or a choice of right and wrong ones side by side."""
    looking = {k: with_attention(m.path) for k, m in enumerate(comparison.models)}
    if not any(looking.values()):
        raise UserError(
            "these predictions hold no attention",
            where=comparison.models[0].path,
            fix="evaluate an attention reader with --attention",
        )
    if not questions:
        maps, _ = choose(comparison, texts, 2 * pairs * sum(map(bool, looking.values())))
        right, wrong = ([], []) if not maps else _by_verdict(comparison, maps)
        return maps, [[m for m in pair if m is not None] for pair in _side_by_side(right, wrong)]
    maps = [(k, q) for q in questions for k, has in looking.items() if q in has]
    missing = [q for q in questions if all(q not in has for has in looking.values())]
    if missing:
        raise UserError(
            f"there is no attention for the question {missing[0]}", fix="see cloze report for ids"
        )
    return maps, [[k] for k in range(len(maps))]


def _by_verdict(comparison: Comparison, maps: list[Map]) -> tuple[list[int], list[int]]:
    verdicts = [
        {str(q): bool(right) for q, right in zip(m.question_ids, m.correct, strict=True)}
        for m in comparison.models
    ]
    right = [k for k, (model, question) in enumerate(maps) if verdicts[model][question]]
    return right, [k for k in range(len(maps)) if k not in set(right)]


def _side_by_side(right: list[int], wrong: list[int]) -> list[tuple[int | None, int | None]]:
    longest = max(len(right), len(wrong))
    filled = (
        side + [None] * (longest - len(side))
        for side in (list[int | None](right), list[int | None](wrong))
    )
    return list(zip(*filled, strict=True))


def write_heatmaps(
    comparison: Comparison,
    corpus: Corpus,
    path: Path,
    *,
    questions: Sequence[str] = (),
    pairs: int = 4,
    names: bool = True,
) -> list[Map]:
    """Write one standalone HTML page; returns which heat maps are on it."""
    texts = read_texts(comparison, corpus, most_questions=len(comparison.models[0]))
    maps, gallery = chosen_maps(comparison, texts, questions, pairs)
    shown = {question for _, question in maps}
    texts.questions = {q: text for q, text in texts.questions.items() if q in shown}
    data = page_data(comparison, texts, maps, most_texts=len(texts.documents))
    models = sorted({comparison.models[k].name for k, _ in maps})
    title = f"What the {' and the '.join(models)} looked at"
    says = (
        f"Questions about articles of {comparison.title}. The darker a word, the more attention "
        "it got; the right answer is underlined, a wrong answer given is underlined with dots."
    )
    slots = {
        "title": escape(title),
        "says": escape(says),
        "style": template("base.css") + template("heatmap.css") + template("gallery.css"),
        "script": template("heatmap.js") + template("dataset.js") + template("heatmaps.js"),
        "data": json_for_page(data | {"gallery": gallery}),
        "show": "names" if names else "markers",
        "names_pressed": str(names).lower(),
        "markers_pressed": str(not names).lower(),
    }
    write_text(path, fill(template("heatmaps.html"), slots))
    return maps

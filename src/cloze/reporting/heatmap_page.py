"""Attention heat maps as a page of their own: the words of the article, darker where looked at.

The Attentive Reader has one map; the Impatient Reader has one for each token of the question, shown
as a film with a slider. Right and wrong answers are side by side, wrong ones with a likely cause
(`cloze.evaluation.causes`). A switch shows the markers that the reader saw instead of the names.
"""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from cloze.corpus.store import Corpus
from cloze.evaluation.metrics import Comparison
from cloze.files import write_text
from cloze.reporting.heatmap_choice import Map, chosen_maps
from cloze.reporting.packing import json_for_page
from cloze.reporting.page_data import page_data
from cloze.reporting.texts import read_texts
from cloze.templating import as_it_is, render


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
    page = render(
        "reporting",
        "heatmaps.html",
        title=f"What the {' and the '.join(models)} looked at",
        corpus=comparison.title,
        names=names,
        style=as_it_is("reporting", "base.css", "heatmap.css", "gallery.css"),
        script=as_it_is("reporting", "heatmap.js", "dataset.js", "heatmaps.js"),
        data=Markup(json_for_page(data | {"gallery": gallery})),
    )
    write_text(path, page)
    return maps

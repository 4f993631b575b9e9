"""What an answer looks like in a notebook.

`answer_html` is a table with bars over the article, shaded where the reader looked. It needs no
script, so it is also there in pages made from notebooks. `heatmap_widget` is the heat map of the
reports (templates/heatmap.js), with its slider and switch, through the package anywidget.
"""

from functools import cache
from typing import Any

from cloze.answering import Ranking
from cloze.document import Document
from cloze.extras import needs
from cloze.reporting.levels import quantise
from cloze.reporting.packing import pack_levels, pack_text
from cloze.templating import as_it_is, render
from cloze.text import Text

SHOWN = 5  # candidates
HEAT = "240 140 40"  # as in templates/base.css


def answer_html(document: Document, query: Text, ranking: Ranking) -> str:
    shares = ranking.scores if ranking.probabilities is None else ranking.probabilities
    most = max(float(shares.max(initial=0)), 1e-9)
    rows = [
        {
            "name": document.name_of(int(marker)),
            "width": round(max(0.0, 100 * float(share) / most)),
            "share": f"{share:.1%}" if ranking.probabilities is not None else f"{share:.3g}",
        }
        for marker, share in zip(ranking.candidates[:SHOWN], shares, strict=False)
    ]
    steps = 0 if ranking.attention is None else len(quantise(ranking.attention).levels)
    return render(
        "reporting",
        "answer.html",
        question=query,
        rows=rows,
        more=len(ranking.candidates) - len(rows),
        steps=steps,
        context=shaded(document.context, ranking),
    )


def shaded(text: Text, ranking: Ranking) -> str:
    """The article with the attention behind its words; of a film, the last step."""
    if ranking.attention is None:
        return text.as_html()
    levels = quantise(ranking.attention).levels[-1]
    styles = [
        f"background: rgb({HEAT} / {0.9 * level / 255:.2f})" if level > 3 else ""
        for level in levels.tolist()
    ]
    return text.as_html(styles)


def heatmap_widget(
    document: Document, query: Text, ranking: Ranking, right: int | None = None
) -> Any:
    """right: the marker of the right answer, if it is known."""
    best = int(ranking.candidates[0]) if len(ranking.candidates) else None
    attention = ranking.attention
    return _widget()(
        map={
            "context": pack_text(document.context),
            "query": pack_text(query),
            "answer": right,
            "predicted": best,
            "attention": None if attention is None else pack_levels(quantise(attention)),
        }
    )


@cache
def _widget() -> Any:
    with needs("notebook"):
        import anywidget
        import traitlets

    class HeatMapWidget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = str(as_it_is("reporting", "heatmap.js", "notebook.js"))
        _css = str(as_it_is("reporting", "heatmap.css", "notebook.css"))
        map = traitlets.Dict().tag(sync=True)

    return HeatMapWidget

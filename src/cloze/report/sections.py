"""The page's sections about results: the accuracy table, the curves, attention, the questions."""

from collections.abc import Sequence
from html import escape

import numpy as np

from cloze.evaluation.causes import CAUSES
from cloze.evaluation.metrics import Comparison
from cloze.report.figures import PLOTS, looks
from cloze.report.packing import data_link
from cloze.report.tables import (
    AccuracyTable,
    Cell,
    Neighbours,
    as_csv,
    as_latex,
    as_markdown,
    corpus_title,
    percent,
)

Drawn = dict[str, tuple[str, str]]  # slug of a plot -> (SVG, CSV)

_AXIS = (
    '<th class="plot hide-narrow" aria-hidden="true"><span class="axis">'
    + "".join(f'<span style="left:{x}%">{x}</span>' for x in (0, 25, 50, 75, 100))
    + "</span></th>"
)
NAMES_SWITCH = (
    '<p class="switch names" role="group" aria-label="Show entities as">'
    '<button type="button" data-names="1" aria-pressed="true">names</button>'
    '<button type="button" data-names="0" aria-pressed="false">markers</button></p>'
)


def per_dataset(parts: Sequence[str]) -> str:
    """One part a split; the page shows one at a time."""
    hidden = ("", *[" hidden"] * (len(parts) - 1))
    return "".join(
        f'<div data-dataset="{k}"{hidden[k]}>{part}</div>' for k, part in enumerate(parts)
    )


def dataset_switch(comparisons: Sequence[Comparison]) -> str:
    if len(comparisons) == 1:
        return ""
    buttons = "".join(
        f'<button type="button" data-show-dataset="{k}" aria-pressed="{str(k == 0).lower()}">'
        f"{escape(title_of(comparison))}</button>"
        for k, comparison in enumerate(comparisons)
    )
    return f'<span class="switch" role="group" aria-label="Split">{buttons}</span>'


def title_of(comparison: Comparison) -> str:
    return f"{corpus_title(comparison.corpus)} {comparison.split}"


def lead(comparisons: Sequence[Comparison]) -> str:
    parts = []
    for comparison in comparisons:
        best, first = comparison.best, comparison.models[0]
        many, documents = len(comparison.models), len(np.unique(first.documents))
        parts.append(
            f"{_number(many, 'model')} answered {len(first):,} questions about {documents:,} "
            f"articles of {escape(title_of(comparison))}. "
            f"The {escape(best.name)} was right most often, {percent(best.accuracy)} % of the "
            "time; picking any entity of the article would be right "
            f"{percent(first.chance)} % of the time."
        )
    return " ".join(parts)


def _number(count: int, noun: str) -> str:
    words = "no one two three four five six seven eight nine ten eleven twelve".split()
    spelt = words[count] if count < len(words) else f"{count:,}"
    return f"{spelt.capitalize()} {noun}{'' if count == 1 else 's'}"


def accuracy(
    table: AccuracyTable,
    comparisons: Sequence[Comparison],
    neighbours: Sequence[Sequence[Neighbours]],
) -> str:
    says = (
        "The share of questions answered rightly, in percent, with a 95 % interval below it: "
        "articles were drawn again and again with all their questions, since questions about one "
        "article are not independent. The layout is that of Table 5."
    )
    if table.has_paper:
        says += " Figures the paper found stand in grey, and as a diamond on the scale."
    left_out = "".join(
        f'<p class="small">{escape(c.title)}: {c.left_out:,} questions were left out because not '
        "every model answered them.</p>"
        for c in comparisons
        if c.left_out
    )
    links = ", ".join(
        data_link(f"accuracy.{ending}", text, label)
        for ending, label, text in (
            ("csv", "CSV", as_csv(table)),
            ("md", "Markdown", as_markdown(table)),
            ("tex", "LaTeX", as_latex(table)),
        )
    )
    return (
        f"<p>{says}</p>{left_out}{_accuracy_rows(table, comparisons)}"
        f'<p class="small">The table as {links}.</p>'
        + per_dataset([_neighbours(found) for found in neighbours])
    )


def _accuracy_rows(table: AccuracyTable, comparisons: Sequence[Comparison]) -> str:
    colours = {
        model.name: look[0]
        for comparison in comparisons
        for model, look in zip(comparison.models, looks(comparison.models), strict=True)
    }
    wide = len(table.columns) == 1
    heads = []
    for corpus, split in table.columns:
        heads.append(f"<th>{escape(corpus_title(corpus))} {escape(split)}</th>")
        heads += ['<th class="theirs">paper</th>'] if table.has_paper else []
        heads += [_AXIS] if wide else []
    bodies: dict[bool, list[str]] = {}
    for row in table.rows:
        cells = "".join(
            _cell(cell, table.has_paper, colours[row.model], wide) for cell in row.cells
        )
        line = f"<tr><td>{escape(row.model)}</td>{cells}</tr>"
        bodies.setdefault(row.kind == "baseline", []).append(line)
    body = "".join(f"<tbody>{''.join(lines)}</tbody>" for lines in bodies.values())
    return (
        f'<div class="scroll"><table class="accuracy"><thead><tr><th></th>{"".join(heads)}</tr>'
        f"</thead>{body}</table></div>"
    )


def _cell(cell: Cell | None, with_paper: bool, colour: str, wide: bool) -> str:
    if cell is None:
        return "<td></td>" * (1 + with_paper + wide)
    ours = cell.ours
    html = (
        f'<td class="{"best" if cell.best else ""}"><span class="figure">{percent(ours.share)}'
        f'</span><span class="interval">{percent(ours.low)} – {percent(ours.high)}</span></td>'
    )
    if with_paper:
        theirs = "" if cell.paper is None else f"{cell.paper:.1f}"
        html += f'<td class="theirs">{theirs}</td>'
    if not wide:
        return html
    mark = ""
    if cell.paper is not None:
        mark = f'<span class="paper" style="left:{cell.paper}%"></span>'
    return html + (
        '<td class="plot hide-narrow" aria-hidden="true">'
        f'<div class="track" style="color:{_var(colour)}">'
        f'<span class="range" style="left:{100 * ours.low:.2f}%;'
        f'width:{100 * (ours.high - ours.low):.2f}%"></span>'
        f'<span class="dot" style="left:{100 * ours.share:.2f}%"></span>{mark}</div></td>'
    )


def _var(colour: str) -> str:
    """A colour that the page may replace in the dark."""
    return f"var(--c{colour[1:]}, {colour})"


def _neighbours(found: Sequence[Neighbours]) -> str:
    if not found:
        return ""
    rows = []
    for pair in found:
        clear, apart = pair.apart.p < 0.05, pair.apart
        rows.append(
            f'<tr><td>{escape(pair.better)} <span class="soft">over {escape(pair.worse)}</span>'
            f'</td><td>{_points(apart.share)}<span class="interval">{_points(apart.low)} to '
            f'{_points(apart.high)}</span></td><td class="{"" if clear else "weak"}">'
            f"{_p_value(apart.p)}<span class=interval>{'clear' if clear else 'not clear'}</span>"
            "</td></tr>"
        )
    return (
        "<h3>Is the better one really better?</h3><p>Each model against the next best, on the same "
        "questions. The p-value says how often a difference this large would come about if, for "
        "each article, a coin decided which of the two results belongs to which model; below 0.05 "
        'we call the difference clear.</p><div class="scroll"><table class="pairs"><thead><tr>'
        f"<th></th><th>points</th><th>p</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def _p_value(p: float) -> str:
    return "&lt; 0.001" if p < 0.001 else f"{p:.3f}"


def curves(comparison: Comparison, drawn: Drawn) -> str:
    shapes = {"-": "none", "--": "5 3", "-.": "7 3 1 3", ":": "1.5 3"}
    buttons = "".join(
        f'<li><button type="button" data-model="{k}" aria-pressed="false"><svg class="key" '
        f'viewBox="0 0 24 10" aria-hidden="true"><line x1="0" x2="24" y1="5" y2="5" '
        f'stroke-width="2.4" stroke="{_var(colour)}" stroke-dasharray="{shapes[line]}"/></svg>'
        f"{escape(model.name)}</button></li>"
        for k, (model, (colour, line, _)) in enumerate(
            zip(comparison.models, looks(comparison.models), strict=True)
        )
    )
    figures = "".join(
        f"<figure>{drawn[plot.slug][0]}<figcaption><h3>{plot.title}</h3>"
        f"<p>{plot.says}</p><p class='small'>{plot.source} · "
        f"{data_link(f'{plot.slug}.csv', drawn[plot.slug][1], 'the data as CSV')}</p>"
        "</figcaption></figure>"
        for plot in PLOTS
    )
    return f'<ul class="legend">{buttons}</ul><div class="figures">{figures}</div>'


def attention(
    comparisons: Sequence[Comparison], cause_counts: Sequence[np.ndarray], any_maps: bool
) -> str:
    says = (
        "The darker a word, the more attention the reader paid to it while answering (Figure 3 and "
        "appendix C). The right answer is underlined, a wrong answer given is underlined with "
        "dots. Right answers stand on the left, wrong ones on the right with a likely cause. For a "
        "reader that rereads the text at every word of the question there is a film: move the "
        "slider, press play, or use the arrow keys."
    )
    if any_maps:
        gallery = f'<div class="tools">{NAMES_SWITCH}</div><div class="gallery" id="gallery"></div>'
    else:
        says = (
            "None of these predictions holds attention, so there are no heat maps here. "
            "<code>cloze evaluate … --attention</code> keeps it for readers that have it."
        )
        gallery = ""
    rules = "".join(
        f"<div><dt>{cause.label.capitalize()}</dt><dd>{cause.rule}</dd></div>" for cause in CAUSES
    )
    tables = per_dataset(
        [_causes(c, counts) for c, counts in zip(comparisons, cause_counts, strict=True)]
    )
    return (
        f"<p>{says}</p>{gallery}<h3>Why wrong answers are wrong</h3><p>Every wrong answer gets the "
        "first label whose rule holds. The rules look at the text alone: they point at likely "
        f"causes and prove nothing.</p>{tables}<dl class='rules'>{rules}</dl>"
    )


def _causes(comparison: Comparison, counts: np.ndarray) -> str:
    heads = "".join(f"<th>{cause.label}</th>" for cause in CAUSES)
    rows = []
    for model, row in zip(comparison.models, counts, strict=True):
        total = max(int(row.sum()), 1)
        shares = "".join(f"<td>{100 * count / total:.0f}</td>" for count in row)
        rows.append(f"<tr><td>{escape(model.name)}</td><td>{int(row.sum()):,}</td>{shares}</tr>")
    return (
        '<p class="caption">The percentage of each model’s wrong answers with each cause</p>'
        '<div class="scroll"><table class="causes">'
        f"<thead><tr><th></th><th>wrong</th>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def questions(shown: Sequence[int], comparisons: Sequence[Comparison]) -> str:
    thinned = "".join(
        f'<p class="small">{escape(c.title)}: {count:,} of {len(c.models[0]):,} questions are in '
        "this page, those of evenly spaced articles.</p>"
        for count, c in zip(shown, comparisons, strict=True)
        if count < len(c.models[0])
    )
    return (
        "<p>Choose a question to read its article and to see what each model answered. A full dot "
        "is a right answer, an open one a wrong answer, in the order and colours of the models "
        f"above.</p>{thinned}"
        '<div class="filters"><label class="wide">search <input type="search" id="search" '
        'placeholder="a word, a name, an id"></label>'
        '<label>tokens from <input type="number" id="least" min="0" step="50"></label>'
        '<label>to <input type="number" id="most" min="0" step="50"></label>'
        '<label>order <select id="sort"><option value="">as in the corpus</option>'
        '<option value="short">shortest first</option><option value="long">longest first</option>'
        '<option value="hard">hardest first</option></select></label>'
        '<div class="verdicts" id="verdicts" role="group" aria-label="Right or wrong"></div></div>'
        '<div class="tools"><span class="small" id="found" aria-live="polite"></span>'
        f'{NAMES_SWITCH}</div><div class="browser"><ol class="list" id="list"></ol>'
        '<article class="detail" id="detail"></article></div>'
    )

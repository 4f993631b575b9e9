"""Attention heat maps as PNG files, for papers and slides.

The Attentive Reader gives one picture of the whole text; the Impatient Reader small multiples,
one for each token of the question, over the sentences that were looked at most (appendix C).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont

from cloze.corpus.store import Corpus
from cloze.document import Document, Question
from cloze.evaluation.causes import CAUSES
from cloze.evaluation.metrics import Comparison, slug
from cloze.files import whole_file
from cloze.reporting.heatmap_choice import Map, chosen_maps
from cloze.reporting.levels import excerpt, quantise
from cloze.reporting.texts import RIGHT, read_texts
from cloze.text import A_WORD, THE_GAP, Spacing, Text

PAPER, INK, SOFT = (255, 255, 255), (34, 33, 31), (110, 105, 98)
HEAT, RIGHT_COLOUR, WRONG_COLOUR = (240, 140, 40), (0, 117, 90), (176, 67, 0)
MARGIN, GUTTER = 48, 36
WIDE, PANEL = 1500, 760  # pixels of text: one map, and each of several
MOST_IN_PANEL = 160  # tokens; a panel with more would be unreadable

Font = ImageFont.FreeTypeFont


@dataclass(frozen=True)
class Marked:
    """A heat map with its caption."""

    document: Document
    question: Question
    levels: np.ndarray  # uint8 [steps, tokens]
    predicted: int
    model: str
    cause: str  # "" if the answer is right
    names: bool


def write_pictures(
    comparison: Comparison,
    corpus: Corpus,
    folder: Path,
    *,
    questions: Sequence[str] = (),
    pairs: int = 4,
    names: bool = True,
) -> list[Map]:
    """Write a PNG for each heat map into the folder; returns which they are."""
    texts = read_texts(comparison, corpus, most_questions=len(comparison.models[0]))
    maps, _ = chosen_maps(comparison, texts, questions, pairs)
    for k, model in enumerate(comparison.models):
        wanted = {question for other, question in maps if other == k}
        row_of = {str(question): row for row, question in enumerate(model.question_ids)}
        for name, weights in model.source.attention(wanted):
            question, row = texts.questions[name], row_of[name]
            cause = int(texts.causes[k, row])
            marked = Marked(
                texts.documents[question.document_id],
                question,
                quantise(weights).levels,
                int(model.predicted[row]),
                model.name,
                "" if cause == RIGHT else CAUSES[cause].label,
                names,
            )
            with whole_file(Path(folder) / f"{slug(model.name)}-{slug(name)}.png") as temporary:
                draw(marked).save(temporary, format="PNG")
    return maps


def draw(marked: Marked) -> Image.Image:
    """The head (model, verdict, question), then the text once or once for each step."""
    steps = len(marked.levels)
    film = steps > 1
    context = marked.document.context
    places = excerpt(context, marked.levels, MOST_IN_PANEL) if film else list(range(len(context)))
    columns = 3 if film and steps > 2 else min(steps, 2)
    width = PANEL if film else WIDE
    total = columns * width + (columns - 1) * GUTTER
    font = _font(22 if film else 26)
    head = _head(marked, total)
    panels = [_panel(marked, step, places, width, font) for step in range(steps)]
    rows = [panels[k : k + columns] for k in range(0, steps, columns)]
    heights = [max(panel.height for panel in row) for row in rows]
    height = 2 * MARGIN + head.height + sum(heights) + GUTTER * len(rows)
    page = Image.new("RGB", (total + 2 * MARGIN, height), PAPER)
    page.paste(head, (MARGIN, MARGIN))
    top = MARGIN + head.height + GUTTER
    for row, tall in zip(rows, heights, strict=True):
        for column, panel in enumerate(row):
            page.paste(panel, (MARGIN + column * (width + GUTTER), top))
        top += tall + GUTTER
    return page


def _head(marked: Marked, width: int) -> Image.Image:
    right, given = marked.question.answer, marked.predicted
    shown = marked.document.name_of if marked.names else "ent{}".format
    said = shown(given) if given >= 0 else "a word that is not a candidate"
    verdict = f"right: {said}" if given == right else f"wrong: {said}, not {shown(right)}"
    line = f"{marked.model} · {verdict}" + (f" ({marked.cause})" if marked.cause else "")
    query = marked.question.query
    words = [_word(query, place, marked.names) for place in range(len(query))]
    font, small = _font(32), _font(24)
    said_words = line.split(" ")
    verdict_spots, top = _flow(said_words, [1] * len(said_words), small, width, names=True)
    spots, height = _flow(words, query.spacing, font, width, marked.names, top=top + 8)
    image = Image.new("RGB", (width, height + 14), PAPER)
    pen = ImageDraw.Draw(image)
    colour = RIGHT_COLOUR if given == right else WRONG_COLOUR
    for word, (x, y, _) in zip(said_words, verdict_spots, strict=True):
        pen.text((x, y), word, font=small, fill=colour)
    for place, (x, y, wide) in enumerate(spots):
        pen.text((x, y), words[place], font=font, fill=INK)
        if place == query.gap:
            pen.line((x, y + 38, x + wide, y + 38), fill=INK, width=3)
    return image


def _panel(marked: Marked, step: int, places: list[int], width: int, font: Font) -> Image.Image:
    text, query = marked.document.context, marked.question.query
    words = [_word(text, place, marked.names) for place in places]
    spacing = [text.spacing[place] for place in places]
    for k in range(len(places) - 1):
        if places[k + 1] != places[k] + 1:  # sentences were left out here
            words[k] += " …"
    film = len(marked.levels) > 1
    top = 44 if film else 0
    spots, height = _flow(words, spacing, font, width, marked.names, top=top)
    image = Image.new("RGB", (width, height + 12), PAPER)
    pen = ImageDraw.Draw(image)
    if film:
        pen.line((0, 0, width, 0), fill=(210, 205, 196), width=2)
        now = _word(query, step, marked.names).strip() or "the gap"
        pen.text((0, 8), f"{step + 1}   {now}", font=_font(22, bold=True), fill=SOFT)
    line = _line_height(font)
    for place, word, (x, y, wide) in zip(places, words, spots, strict=True):
        share = 0.9 * int(marked.levels[step, place]) / 255
        if share > 0.012:
            mixed = (round(p + share * (h - p)) for p, h in zip(PAPER, HEAT, strict=True))
            pen.rectangle((x - 2, y, x + wide + 2, y + line - 8), fill=tuple(mixed))
        pen.text((x, y), word, font=font, fill=INK)
        marker = text.markers[place]
        if marker >= 0 and marker in (marked.question.answer, marked.predicted):
            is_right = marker == marked.question.answer
            base = y + line - 7
            if is_right:
                pen.line((x, base, x + wide, base), fill=RIGHT_COLOUR, width=3)
            for dot in range(0 if is_right else x, 0 if is_right else x + wide, 7):
                pen.line((dot, base, dot + 3, base), fill=WRONG_COLOUR, width=3)
    return image


def _word(text: Text, place: int, names: bool) -> str:
    marker = text.markers[place]
    if marker == THE_GAP:
        return "        " if names else "X"
    if names:
        return text.surfaces[place]
    return text.tokens[place] if marker == A_WORD else f"ent{marker}"


def _flow(
    words: Sequence[str],
    spacing: Sequence[int],
    font: Font,
    width: int,
    names: bool,
    top: int = 0,
) -> tuple[list[tuple[int, int, int]], int]:
    """Where each word goes, as (left, top, width), and the height of all lines."""
    space, line = round(font.getlength(" ")), _line_height(font)
    x, y, spots = 0, top, []
    known: dict[str, int] = {}
    for word, after in zip(words, spacing, strict=True):
        if word not in known:
            known[word] = round(font.getlength(word))
        wide = known[word]
        if x and x + wide > width:
            x, y = 0, y + line
        spots.append((x, y, min(wide, width)))
        x += wide + (space if after or not names else 0)
        if after == Spacing.PARAGRAPH:
            x, y = 0, y + line + line // 3
    return spots, y + line


def _line_height(font: Font) -> int:
    return round(font.size * 1.5)


def _font(size: int, bold: bool = False) -> Font:
    """DejaVu, which comes with Matplotlib, so that every machine draws the same picture."""
    name = font_manager.FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    return ImageFont.truetype(font_manager.findfont(name), size)

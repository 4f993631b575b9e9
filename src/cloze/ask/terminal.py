"""Asking in the terminal: the ranked names, and the article under its attention."""

import re
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text as Shown

from cloze.answering import Answerer, Ranking, answers
from cloze.ask.article import Asked, Prepared, check_article, prepare_asked
from cloze.ask.gap import GAP
from cloze.ask.tagging import Remembering, Tagger
from cloze.document import Document, Question
from cloze.errors import UserError
from cloze.names.language import NEWEST_RULES
from cloze.reporting.levels import quantise
from cloze.text import THE_GAP, Text

SHOWN_CANDIDATES = 5
IN_WINDOWS = "The article is longer than it reads at once: it read {} overlapping windows."
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # a text must not control the terminal
_FROM = {
    "highlight": "From the highlights:",
    "lead": "From the first sentences, which the article has word for word: easier than any other"
    " question.",
}
_PALE, _FULL = (255, 238, 214), (240, 140, 40)


class Conversation:
    """One article, and the questions that are asked about it."""

    def __init__(
        self,
        answerer: Answerer,
        tag: Tagger,
        article: str,
        highlights: Sequence[str] = (),
        console: Console | None = None,
        language: str = "en",
        rules: int = NEWEST_RULES,
    ) -> None:
        check_article(article, language)
        self._language, self._rules = language, rules
        self.answerer = answerer
        self.article = article
        self.highlights = highlights
        self.console = console or Console()
        self._tag = Remembering(tag).tag

    def ask(self, question: str) -> None:
        """Answer a question: the candidates, then the article with what was looked at."""
        prepared = self._prepare(question)
        assert prepared.question is not None
        document, asked = prepared.document, prepared.question
        self._print(Shown.assemble(("Question  ", "bold"), plain(asked.query)), "")
        if not document.candidates():
            self._print("No names were found in this article, so there is nothing to choose from.")
            return
        ((_, _, (ranking,)),) = answers(self.answerer, [(document, [asked])], attention=True)
        self._print(candidates_table(document, ranking), "")
        if ranking.meaning is not None:
            self._print(Shown(sentence(ranking.meaning), style="" if ranking.sure else "bold"), "")
        left = len(document.candidates()) - len(ranking.candidates)
        if left:
            known = len(ranking.candidates)
            self._print(f"(It can tell {known} names apart; the {left} named least were left out.)")
        if ranking.windows > 1:
            self._print(f"({IN_WINDOWS.format(ranking.windows)})", "")
        if ranking.outside:
            self._print("(Some other word seemed likelier than any name.)", "")
        if ranking.attention is None:
            self._print(f"The {self.answerer.name} has no attention to show.")
            return
        rows = np.atleast_2d(ranking.attention)
        self._print(heated(document.context, rows[-1]), "")
        self._print(most_looked_at(document.context, rows[-1]))
        if len(rows) > 1:
            self._print("", film_table(document.context, asked.query, rows))

    def propose(self) -> list[str]:
        """Offer a question for every name in the highlights or first sentences, with its answer;
        returns the questions."""
        prepared = self._prepare(None)
        document = prepared.document
        offered = [q for sentence in prepared.sentences for q in sentence.questions]
        if not offered:
            self._print(
                "No names were found to leave out; write a question with X in place of a name."
            )
            return []
        source = prepared.sentences[0].source
        self._print(_FROM[source], "")
        table = Table(box=None, show_header=False, padding=(0, 1))
        table.add_column(justify="right", style="dim")
        table.add_column(ratio=3)
        table.add_column(ratio=1)
        table.add_column(justify="right")
        table.add_column()
        ((_, _, rankings),) = answers(self.answerer, [(document, offered)])
        right = 0
        for number, (question, ranking) in enumerate(zip(offered, rankings, strict=True), 1):
            is_right = ranking.answer == question.answer
            right += is_right
            name = document.name_of(ranking.answer)
            sign = ("✓ ", "green") if is_right else ("✗ ", "red")
            table.add_row(
                str(number),
                plain(question.query),
                Shown.assemble(sign, (_safe(name), "bold")),
                sure(ranking, 0),
                Shown("not sure" if ranking.sure is False else "", style="dim"),
            )
        self._print(table, "", f"{right} of {len(offered)} right")
        return [_written(question) for question in offered]

    def converse(self) -> None:
        """Keep asking: a question, or the number of one that was offered; an empty line ends it."""
        offered = self.propose()
        while True:
            self._print("", "Type a question with X in place of a name, or a number; Enter ends.")
            try:
                line = self.console.input("> ").strip()
            except EOFError:
                return
            if not line:
                return
            if line.isdecimal() and 1 <= int(line) <= len(offered):
                line = offered[int(line) - 1]
            self._print("")
            try:
                self.ask(line)
            except UserError as mistake:
                self._print(Shown(f"{mistake}", style="red"))

    def _prepare(self, question: str | None) -> Prepared:
        asked = Asked.of(self.article, self.highlights, question, self._language, self._rules)
        return prepare_asked(asked, self._tag(asked.to_tag))

    def _print(self, *lines: object) -> None:
        for line in lines:
            self.console.print(line, markup=False, highlight=False)


def candidates_table(document: Document, ranking: Ranking) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column()
    table.add_column()
    table.add_column(justify="right")
    shares = ranking.probabilities
    for place, marker in enumerate(ranking.candidates[:SHOWN_CANDIDATES]):
        bar = "" if shares is None else "█" * round(24 * float(shares[place])) or "▏"
        name = Shown(_safe(document.name_of(int(marker))), style="" if table.row_count else "bold")
        table.add_row(name, Shown(bar, style="rgb(240,140,40)"), sure(ranking, place))
    rest = len(ranking.candidates) - SHOWN_CANDIDATES
    if rest > 0:
        table.add_row(Shown(f"and {rest} more", style="dim"))
    return table


def heated(text: Text, weights: np.ndarray) -> Shown:
    """The text on a warm background, warmer where a word got more attention."""
    levels = quantise(weights).levels[0] / 255
    shown = Shown()
    for (surface, marker, after), level in zip(text.words(), levels, strict=True):
        style = "underline" if marker >= 0 else ""
        if level > 0.25:  # fainter ones would colour the whole page
            mixed = [round(a + (b - a) * float(level)) for a, b in zip(_PALE, _FULL, strict=True)]
            style += f" black on rgb({mixed[0]},{mixed[1]},{mixed[2]})"
        shown.append(_safe(surface), style=style.strip() or None)
        shown.append(after)
    return shown


def most_looked_at(text: Text, weights: np.ndarray, how_many: int = 6) -> Shown:
    """The same without colours: the words that got most. A transformer rests on full stops and
    commas when it looks at nothing, which tells nobody anything."""
    order = np.argsort(-weights, kind="stable")
    best = [k for k in order if any(map(str.isalnum, text.surfaces[k]))][:how_many]
    words = (f"{_safe(text.surfaces[k])} {percent(float(weights[k]))}" for k in best)
    return Shown("Looked at most: " + ", ".join(words), style="dim")


def film_table(context: Text, query: Text, rows: np.ndarray) -> Table:
    """What the Impatient Reader looked at after each word of the question."""
    table = Table(box=None, header_style="dim", padding=(0, 1))
    table.add_column("after reading")
    table.add_column("it looked at")
    for (surface, marker, _), weights in zip(query.words(), rows, strict=True):
        best = np.argsort(-weights, kind="stable")[:3]
        words = ", ".join(_safe(context.surfaces[k]) for k in best)
        table.add_row(GAP if marker == THE_GAP else _safe(surface), words)
    return table


def plain(text: Text) -> Shown:
    """A question as people read it, its gap kept open."""
    shown = Shown()
    for surface, marker, after in text.words():
        is_gap = marker == THE_GAP
        shown.append(GAP if is_gap else _safe(surface), style="bold" if is_gap else None)
        shown.append(after and " ")
    return shown


def sure(ranking: Ranking, place: int) -> str:
    """A probability, or the score of a model that counts or measures."""
    if ranking.probabilities is None:
        return f"{ranking.scores[place]:g}"
    return percent(float(ranking.probabilities[place]))


def sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _written(question: Question) -> str:
    return plain(question.query).plain.strip()


def _safe(text: str) -> str:
    return _CONTROL.sub("�", text)

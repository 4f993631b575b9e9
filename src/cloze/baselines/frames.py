"""The frame-semantic model looks the question's predicate-argument structure up in the context.

There are six rules; the first that proposes an entity answers (p is the gap, x the answer):

       rule                question       context
    1  exact match         (p, V, y)      (x, V, y)       X loves Suse / Kim loves Suse
    2  be.01 match         (p, be.01, y)  (x, be.01, y)   X is president / Mike is president
    3  correct frame       (p, V, y)      (x, V, z)       X won Oscar / Tom won Academy Award
    4  permuted frame      (p, V, y)      (y, V, x)       X met Suse / Suse met Tom
    5  matching entity     (p, V, y)      (x, Z, y)       X likes candy / Tom loves candy
    6  back-off            exclusive frequency

Arguments must match in kind: x must have the same label as p, and y the same in both, except under
rule 4. If a rule proposes several entities, one is chosen at random, but always the same one. An
entity that the question names is never proposed.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from cloze.answering import Ranking, ranked
from cloze.baselines.baseline import Baseline
from cloze.baselines.frequency import frequencies
from cloze.baselines.triples import Fact, Filler, facts, passages
from cloze.document import Document, Question
from cloze.randomness import generator, key_of
from cloze.text import THE_GAP

if TYPE_CHECKING:
    from spacy.language import Language

    from cloze.propbank.parser import Parser

BE = "be.01"


class Triple(NamedTuple):
    """(e1, V, e2) with the numbers of the arguments that the two fill."""

    first: Filler
    first_label: str
    roleset: str
    second: Filler
    second_label: str


def triples(found: Sequence[Fact]) -> Iterator[Triple]:
    """Every ordered pair of fillers of every fact."""
    for fact in found:
        for first_label, firsts in fact.fillers.items():
            for second_label, seconds in fact.fillers.items():
                if first_label != second_label:
                    for first in firsts:
                        for second in seconds:
                            yield Triple(first, first_label, fact.roleset, second, second_label)


def exact_match(q: Triple, d: Triple) -> bool:
    return q.roleset != BE and q.roleset == d.roleset and _same_second(q, d) and _same_place(q, d)


def be_match(q: Triple, d: Triple) -> bool:
    return q.roleset == BE == d.roleset and _same_second(q, d) and _same_place(q, d)


def correct_frame(q: Triple, d: Triple) -> bool:
    return q.roleset == d.roleset and _same_place(q, d) and q.second_label == d.second_label


def permuted_frame(q: Triple, d: Triple) -> bool:
    return q.roleset == d.roleset and q.second == d.second


def matching_entity(q: Triple, d: Triple) -> bool:
    return _same_second(q, d) and _same_place(q, d)


def _same_place(q: Triple, d: Triple) -> bool:
    return q.first_label == d.first_label


def _same_second(q: Triple, d: Triple) -> bool:
    return q.second == d.second and q.second_label == d.second_label


RULES: dict[str, Callable[[Triple, Triple], bool]] = {
    "exact match": exact_match,
    "be.01 match": be_match,
    "correct frame": correct_frame,
    "permuted frame": permuted_frame,
    "matching entity": matching_entity,
}
BACK_OFF = "back-off"


def proposals(asked: Sequence[Triple], known: Sequence[Triple]) -> tuple[str, set[int]]:
    """The first rule that proposes entities, and those entities; the back-off proposes none."""
    entities = [d for d in known if isinstance(d.first, int)]
    for name, rule in RULES.items():
        found = {d.first for q in asked for d in entities if rule(q, d)}
        if found:
            return name, {marker for marker in found if isinstance(marker, int)}
    return BACK_OFF, set()


class FrameSemantic(Baseline):
    name = "Frame-semantic model"
    options = ("seed",)

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @cached_property
    def pipeline(self) -> "Language":
        from cloze.propbank.pipeline import load_pipeline

        return load_pipeline()

    @cached_property
    def parser(self) -> "Parser":
        from cloze.propbank.parser import shipped

        return shipped()

    def rank(self, document: Document, questions: Sequence[Question]) -> list[Ranking]:
        mentions = document.context.mentions()
        known, *asked = self._triples(document, questions)
        answers = []
        for question, own in zip(questions, asked, strict=True):
            named = question.query.mentions()
            about_gap = [q for q in own if q.first == THE_GAP]
            rule, found = proposals(about_gap, [d for d in known if d.first not in named])
            scores = frequencies(mentions, named)
            # In the order of first mention, so that the choice does not depend on the markers.
            proposed = [place for place, marker in enumerate(mentions) if marker in found]
            if proposed:
                random = generator(self.seed, key_of(question.id))
                chosen = proposed[int(random.integers(len(proposed)))]
                above = max(scores) + 1
                for place in proposed:
                    scores[place] += above * (2 if place == chosen else 1)
            answers.append(ranked(list(mentions), scores, rule))
        return answers

    def _triples(self, document: Document, questions: Sequence[Question]) -> list[list[Triple]]:
        """The triples of the context, then those of each question, parsed together."""
        of_each = [
            [passage for passage in passages(text) if passage.mentions]
            for text in (document.context, *(question.query for question in questions))
        ]
        texts = [passage.text for own in of_each for passage in own]
        docs = list(self.pipeline.pipe(texts, batch_size=64))
        parsed = iter(zip(docs, self.parser.parse(docs), strict=True))
        found = []
        for own in of_each:
            mine: list[Fact] = []
            for passage in own:
                doc, frames = next(parsed)
                mine += facts(doc, passage, frames)
            found.append(list(triples(mine)))
        return found

"""Why an answer is wrong: a likely cause for each, by a stated rule.

The paper reads its failures by hand and names an ambiguous place, two clusters that should be
one, and a short question with a misleading word (appendix C). Here every wrong answer gets the
first label whose rule applies. A rule is a pattern in the text, not a proof.
"""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from cloze.document import Document, Question
from cloze.names.language import Language
from cloze.text import A_WORD

SHORT_QUESTION = 2  # words that mean something, besides markers
_PLACES = {"GPE", "LOC", "FAC", "PLACE", "LOCATION", "CITY", "COUNTRY", "REGION", "TOWN"}


@dataclass(frozen=True)
class Cause:
    key: str
    label: str
    rule: str


CAUSES = (
    Cause(
        "one-entity",
        "clusters that should be one",
        "One name is part of the other or spells its initials, and both are of one type; or the "
        "two stand side by side in the text, one explaining the other, as in “X (Y)”.",
    ),
    Cause(
        "place",
        "ambiguous place",
        "A word such as “in” or “from” stands before the gap, and both the answer given and the "
        "right one are places, or each follows such a word somewhere in the document.",
    ),
    Cause(
        "asked",
        "answered with the question",
        "The answer given is already in the question.",
    ),
    Cause(
        "short",
        "short question",
        "Apart from names and common words, the question has fewer than two words.",
    ),
    Cause(
        "elsewhere",
        "answer out of the sentence",
        "The right answer is not in any of the sentences that share most words and entities with "
        "the question.",
    ),
    Cause(
        "neighbour",
        "wrong neighbour",
        "The answer given and the right one are both in a sentence that shares most words and "
        "entities with the question.",
    ),
    Cause(
        "frequent",
        "drawn to a frequent entity",
        "The answer given is mentioned at least twice as often as the right one.",
    ),
    Cause("unexplained", "no rule applies", "None of the rules above applies."),
)


class Article:
    """A document, prepared once for all its questions."""

    def __init__(self, document: Document, language: Language) -> None:
        self.language = language
        self.document = document
        self.tokens = document.context.tokens
        self.sentences = [
            (set(self.tokens[place]), set(document.context[place].mentions()))
            for place in document.context.sentences()
        ]
        self.names = {e.marker: list({e.name, *e.surfaces}) for e in document.entities}
        self.types = {e.marker: e.type.upper() for e in document.entities}
        self.places = document.context.mentions()

    def count(self, marker: int) -> int:
        return len(self.places.get(marker, ()))

    def follows_where(self, marker: int) -> bool:
        places = self.places.get(marker, ())
        return any(place and self.tokens[place - 1] in self.language.where for place in places)

    def side_by_side(self, one: int, other: int) -> bool:
        """Whether somewhere only brackets, "or", or "also known as" come between the two."""
        both = sorted((p, m) for m in (one, other) for p in self.places.get(m, ()))
        return any(
            m != n
            and 1 <= q - p - 1 <= 3
            and self.language.side_by_side.issuperset(self.tokens[p + 1 : q])
            for (p, m), (q, n) in pairwise(both)
        )


class Reading:
    """One question about an article, prepared for finding out why answers to it are wrong."""

    def __init__(self, article: Article, question: Question) -> None:
        self.article = article
        self.question = question

    def cause(self, given: int) -> str:
        """The key of the first cause whose rule applies to the wrong answer `given`."""
        right = self.question.answer
        rules: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("one-entity", lambda: self._one_entity(given, right)),
            ("place", lambda: self._ambiguous_place(given, right)),
            ("asked", lambda: given in self._asked),
            ("short", lambda: len(self._words) < SHORT_QUESTION),
            ("elsewhere", lambda: right not in self._nearest),
            ("neighbour", lambda: given in self._nearest),
            ("frequent", lambda: self.article.count(given) >= 2 * self.article.count(right) > 0),
        )
        return next((key for key, holds in rules if holds()), "unexplained")

    @cached_property
    def _asked(self) -> set[int]:
        return set(self.question.query.mentions())

    @cached_property
    def _words(self) -> set[str]:
        """Words of the question that mean something."""
        query = self.question.query
        pairs = zip(query.tokens, query.markers, strict=True)
        return {token for token, m in pairs if m == A_WORD and self._means_something(token)}

    @cached_property
    def _nearest(self) -> set[int]:
        """The entities in the sentences nearest to the question."""
        shared = [
            (len(self._words & words) + len(self._asked & markers), markers)
            for words, markers in self.article.sentences
        ]
        most = max((count for count, _ in shared), default=0)
        return {m for count, markers in shared if count == most for m in markers}

    def _means_something(self, token: str) -> bool:
        is_common = token in self.article.language.common
        return not is_common and any(letter.isalnum() for letter in token)

    def _one_entity(self, given: int, right: int) -> bool:
        names, types = self.article.names, self.article.types
        fillers = self.article.language.name_fillers
        one, other = names.get(given, []), names.get(right, [])
        if types.get(given) == types.get(right) and (
            _is_part(one, other, fillers)
            or _is_part(other, one, fillers)
            or _is_initials(one, other, fillers)
            or _is_initials(other, one, fillers)
        ):
            return True
        return self.article.side_by_side(given, right)

    def _ambiguous_place(self, given: int, right: int) -> bool:
        query = self.question.query
        if query.gap <= 0 or query.tokens[query.gap - 1] not in self.article.language.where:
            return False
        types = (self.article.types.get(given), self.article.types.get(right))
        if all(types):
            return types[0] in _PLACES and types[1] in _PLACES
        return self.article.follows_where(given) and self.article.follows_where(right)


def _is_part(short: Sequence[str], long: Sequence[str], fillers: Set[str]) -> bool:
    """Whether one has a name that is part of a name of the other: "Venn" of "Mara Venn"."""
    others = [_name_words(name, fillers) for name in long]
    return any(
        own <= other for name in short if (own := _name_words(name, fillers)) for other in others
    )


def _name_words(name: str, fillers: Set[str]) -> set[str]:
    words = re.findall(r"\w+", name.lower())
    return {word for word in words if len(word) > 2 and word not in fillers}


def _is_initials(short: Sequence[str], long: Sequence[str], fillers: Set[str]) -> bool:
    """Whether a name such as "U.N." or "BBC" spells the initials of the other."""
    spelt = {re.sub(r"[^a-z]", "", name.lower()) for name in short if name.upper() == name}
    initials = set()
    for name in long:
        words = re.findall(r"\w+", name.lower())
        initials.add("".join(w[0] for w in words))
        initials.add("".join(w[0] for w in words if w not in fillers))
    return any(len(letters) > 1 for letters in spelt & initials)

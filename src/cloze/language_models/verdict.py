"""What a reply says: a candidate, or the reason why it names none.

A reply names a candidate by its marker, its name or, if the prompt shows letters, its letter. If
it names several, what counts is what it says after "the answer is …"; otherwise those that the
question itself names do not count, since many models repeat the question with the gap filled. If
that leaves more than one, the reply is ambiguous.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from cloze.language_models.forms import Candidate, Item
from cloze.language_models.replies import Reply
from cloze.text import MARKER

NOBODY = -1  # in the place of a marker


class Outcome(StrEnum):
    ANSWERED = "answered"
    UNPARSABLE = "unparsable"
    EMPTY = "empty"
    REFUSED = "refused"
    CUT_OFF = "cut off"
    FAILED = "failed"  # the server gave no reply


@dataclass(frozen=True, slots=True)
class Verdict:
    outcome: Outcome
    marker: int = NOBODY
    how: str = ""  # "marker", "name", "letter"; or the failure

    @property
    def why(self) -> str:
        """As it stands in a file of predictions."""
        if self.outcome is Outcome.ANSWERED:
            return f"by {self.how}"
        return f"{self.outcome}: {self.how}" if self.how else str(self.outcome)


def outcome_of(why: str) -> Outcome:
    """The outcome of which `Verdict.why` was written."""
    if why.startswith("by "):
        return Outcome.ANSWERED
    return Outcome(why.partition(": ")[0])


_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.S)
_SAYS = re.compile(r"\b(?:answer|placeholder)\b\W*(?:\bis\b|:|=|stands for)[\s:]*", re.I)
_MARKER = re.compile(re.escape(MARKER) + r"\s?0*(\d+)(?!\d)", re.I)
_LETTER = re.compile(r"\W*(?:option |candidate )?([A-Z]{1,3})\b(?:[).:,]|\s*$)")
_REFUSAL = re.compile(
    r"\W*(?:i(?:'|’)?m (?:very |so )?sorry|sorry\b|i apologi[sz]e|i can(?:'|’|no)t\b|i can not\b"
    r"|i(?:'|’)?m (?:not able|unable)|i am (?:sorry|not able|unable)|as an ai\b|i won(?:'|’)t\b)",
    re.I,
)


def verdict(reply: Reply, item: Item, *, letters: bool = False) -> Verdict:
    if reply.failure is not None:
        return Verdict(Outcome.FAILED, how=reply.failure)
    if reply.refused or reply.finish == "content_filter":
        return Verdict(Outcome.REFUSED)
    text = _THOUGHT.sub(" ", reply.text).strip()
    found = _meant(text, item, letters)
    if found is not None:
        return Verdict(Outcome.ANSWERED, *found)
    if reply.finish == "length":
        return Verdict(Outcome.CUT_OFF)
    if not text:
        return Verdict(Outcome.EMPTY)
    return Verdict(Outcome.REFUSED if _REFUSAL.match(text) else Outcome.UNPARSABLE)


def _meant(text: str, item: Item, letters: bool) -> tuple[int, str] | None:
    """The candidate and how it was named; what is said outright counts before the rest."""
    said = [
        text[found.end() :].splitlines()[0]
        for found in _SAYS.finditer(text)
        if text[found.end() :].strip()
    ]
    for part in (text, *reversed(said)):
        if (whole := _exactly(part, item, letters)) is not None:
            return whole
    how = "marker" if item.form.has_markers else "name"
    for part in (*reversed(said), text):
        named = _markers_in(part, item) if item.form.has_markers else _names_in(part, item)
        if (only := _only(named, item.named)) is not None:
            return only, how
    return None


def _only(found: Iterable[int], named: frozenset[int]) -> int | None:
    """The one candidate, or the one that the question does not name itself."""
    distinct = set(found)
    left = distinct if len(distinct) == 1 else distinct - named
    return left.pop() if len(left) == 1 and left != {NOBODY} else None


def _exactly(text: str, item: Item, letters: bool) -> tuple[int, str] | None:
    """A reply that is a label and nothing else, but for quotation marks and a full stop."""
    bare = _bare(text)
    for candidate in item.candidates:
        if bare == _bare(candidate.label):
            return candidate.marker, "marker" if item.form.has_markers else "name"
    if letters and (found := _LETTER.match(text)):
        for candidate in item.candidates:
            if candidate.letter == found[1]:
                return candidate.marker, "letter"
    return None


def _bare(text: str) -> str:
    return text.strip(" \t\r\n\"'`*_.,:;“”‘’[]<>").casefold()


def _markers_in(text: str, item: Item) -> list[int]:
    """Also markers that do not exist, as nobody's: a reply that names one is not to be trusted."""
    numbers = {int(c.label.removeprefix(MARKER)): c.marker for c in item.candidates}
    return [numbers.get(int(found[1][:9]), NOBODY) for found in _MARKER.finditer(text)]


def _names_in(text: str, item: Item) -> list[int]:
    """The candidates whose names stand in the text, each place taken by the longest name."""
    spellings: dict[str, list[Candidate]] = {}
    for candidate in item.candidates:
        for name in {candidate.label, *candidate.spellings}:
            own = spellings.setdefault(name.casefold(), [])
            own += [candidate] if candidate not in own else []
    if not spellings:
        return []
    longest = sorted(map(re.escape, spellings), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)")
    found = (spellings[match[0]] for match in pattern.finditer(text.casefold()))
    return [candidate.marker for owners in found for candidate in owners]

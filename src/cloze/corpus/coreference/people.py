"""Sieves for people: full names, surnames, given names, titles.

"David Crosby", "Crosby" and "David" are one person as long as the data point holds no other whom
the shorter name fits. Where it does ("Bill Clinton", "Hillary Clinton", "Clinton"), two people are
never joined; the bare surname goes, mention by mention, to the one whom a title before it fits, or
else to the one the story speaks of most.
"""

from collections.abc import Sequence

from cloze.corpus.coreference.clusters import Clusters
from cloze.corpus.mentions import Name

TITLES = frozenset(
    "Mr. Mr Mrs. Mrs Ms. Ms Miss Dr. Dr Prof. Professor Sir Lady Lord Dame President Senator Sen. "
    "Rep. Gov. Governor Mayor Judge Justice Gen. General Lt. Col. Capt. Captain Sgt. Maj. Pope "
    "Prince Princess King Queen Duchess Duke Rev. Sheikh Imam Chancellor Minister Secretary".split()
)
MEN = frozenset("Mr. Mr Sir Lord Prince King Duke Pope".split())
WOMEN = frozenset("Mrs. Mrs Ms. Ms Miss Lady Dame Princess Queen Duchess".split())
_SUFFIXES = frozenset("Jr Jr. Sr Sr. II III IV".split())
_PARTICLES = frozenset("al Al el El bin ibn".split())


def bare(words: Sequence[str]) -> tuple[str, ...]:
    """A person's name without titles in front and "Jr." behind.

    >>> bare(["President", "John", "F.", "Kennedy", "Jr."])
    ('John', 'F.', 'Kennedy')
    """
    first, last = 0, len(words)
    while first < last - 1 and words[first] in TITLES:
        first += 1
    while first < last - 1 and words[last - 1] in _SUFFIXES:
        last -= 1
        if last - 1 > first and words[last - 1] == ",":
            last -= 1
    return tuple(words[first:last])


def full_names(names: Sequence[Name], clusters: Clusters) -> None:
    """ "John Kennedy", "John F. Kennedy" and "President John Fitzgerald Kennedy"."""
    people: dict[tuple[str, str], list[int]] = {}
    for number, name in enumerate(names):
        words = bare(name.words)
        if name.type == "PERSON" and len(words) > 1:
            people.setdefault((words[0].lower(), words[-1].lower()), []).append(number)
    for namesakes in people.values():
        for position, number in enumerate(namesakes):
            for other in namesakes[:position]:
                if _middles_agree(names[number].words, names[other].words):
                    clusters.join(number, other, "full name")


def _middles_agree(a: Sequence[str], b: Sequence[str]) -> bool:
    """A middle name may be missing or shortened to its initial; "Jr." must not meet "Sr."."""
    if {w.rstrip(".") for w in a} & {"Jr"} and {w.rstrip(".") for w in b} & {"Sr"}:
        return False
    if {w.rstrip(".") for w in a} & {"Sr"} and {w.rstrip(".") for w in b} & {"Jr"}:
        return False
    middle_a, middle_b = bare(a)[1:-1], bare(b)[1:-1]
    if not middle_a or not middle_b:
        return True
    return middle_a[0][0].lower() == middle_b[0][0].lower()


def short_names(names: Sequence[Name], clusters: Clusters) -> dict[int, list[int]]:
    """Join surnames, then given names, to the one person they fit.

    Returns the names that fit several people, each with the clusters of those people.
    """
    ends: dict[tuple[str, ...], set[int]] = {}
    begins: dict[tuple[str, ...], set[int]] = {}
    for number, name in enumerate(names):
        words = bare(name.words)
        if name.type == "PERSON" and len(words) > 1:
            root = clusters.root(number)
            for cut in range(1, len(words)):
                if words[cut - 1] != "-" or words[cut - 2] in _PARTICLES:
                    ends.setdefault(words[cut:], set()).add(root)
                if words[cut] != "-" and words[cut - 1] != "-":
                    begins.setdefault(words[:cut], set()).add(root)
    open_names: dict[int, list[int]] = {}
    for number, name in enumerate(names):
        if not may_be_person(name):
            continue
        words = bare(name.words)
        own = clusters.root(number)
        people = {clusters.root(r) for r in ends.get(words, ())} - {own}
        sieve = "surname"
        if not people and len(name.words) == len(words):
            people = {clusters.root(r) for r in begins.get(words, ())} - {own}
            sieve = "given name"
        if len(people) == 1:
            clusters.join(number, people.pop(), sieve)
        elif people:
            open_names[number] = sorted(people)
    return open_names


def may_be_person(name: Name) -> bool:
    """Taggers take a bare surname for a firm or a town; a town tagged so each time stays one."""
    if name.type == "PERSON":
        return True
    person = name.votes["PERSON"]
    if name.type in ("GPE", "LOC", "NORP", "LANGUAGE"):
        return 2 * person >= name.votes[name.type]
    return len(name.words) == 1

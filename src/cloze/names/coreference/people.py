"""Sieves for people: full names, surnames, given names, titles.

"David Crosby", "Crosby" and "David" are one person as long as the shorter name fits nobody else in
the data point. If it does ("Bill Clinton", "Hillary Clinton", "Clinton"), two people are never
joined; each mention of the bare surname goes to the person whom a title before it fits, or else to
the one who is mentioned most.
"""

from collections import Counter
from collections.abc import Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.language import Language
from cloze.names.name import Name

_NICKNAME = 3  # letters at least
_LONGER = 2  # letters of the given name behind it: Ann is not Anna


def bare(words: Sequence[str], language: Language) -> tuple[str, ...]:
    """A person's name without titles before it and "Jr." after it.

    >>> from cloze.names.language import load_language
    >>> bare(["President", "John", "F.", "Kennedy", "Jr."], load_language("en"))
    ('John', 'F.', 'Kennedy')
    """
    first, last = 0, len(words)
    if last == 1:
        return tuple(words)
    while first < last - 1 and words[first] in language.titles:
        first += 1
    while first < last - 1 and words[last - 1] in language.suffixes:
        last -= 1
        if last - 1 > first and words[last - 1] == ",":
            last -= 1
    return tuple(words[first:last])


def titles(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "Prince Charles" and "Charles", "Pope Benedict XVI" and "Benedict"."""
    seen: dict[tuple[str, ...], int] = {}
    for number, name in enumerate(names):
        if name.type == "PERSON":
            same = seen.setdefault(bare(name.words, language), number)
            clusters.join(number, same, "title")


def full_names(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "John Kennedy", "John F. Kennedy" and "President John Fitzgerald Kennedy"."""
    people: dict[tuple[str, str], list[int]] = {}
    for number, name in enumerate(names):
        words = bare(name.words, language)
        if name.type == "PERSON" and len(words) > 1:
            people.setdefault((words[0].lower(), words[-1].lower()), []).append(number)
    for namesakes in people.values():
        for position, number in enumerate(namesakes):
            for other in namesakes[:position]:
                if _middles_agree(names[number].words, names[other].words, language):
                    clusters.join(number, other, "full name")


def initials_of_people(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "B. Okello" and "Beatrice Okello", where no other Okello begins with B."""
    short = [
        (number, words)
        for number, name in enumerate(names)
        if name.type == "PERSON"
        and name.words[0].endswith(".")
        and len(words := bare(name.words, language)) > 1
        and len(words[0]) == 2
    ]
    for number, (initial, *_, surname) in short:
        found = {
            clusters.root(other)
            for other, name in enumerate(names)
            if name.type == "PERSON"
            and name.words[-1] == surname
            and len(name.words) > 1
            and name.words[0][0] == initial[0]
            and not name.words[0].endswith(".")
        }
        if len(found) == 1:
            clusters.join(number, found.pop(), "initial")


def _middles_agree(a: Sequence[str], b: Sequence[str], language: Language) -> bool:
    """A middle name may be missing or shortened to its initial; "Jr." must not meet "Sr."."""
    generations = [{w.rstrip(".") for w in words if w in language.suffixes} for words in (a, b)]
    if all(generations) and generations[0] != generations[1]:
        return False
    middle_a, middle_b = bare(a, language)[1:-1], bare(b, language)[1:-1]
    if not middle_a or not middle_b:
        return True
    return middle_a[0][0].lower() == middle_b[0][0].lower()


def short_names(
    names: Sequence[Name], clusters: Clusters, language: Language
) -> dict[int, list[int]]:
    """Join surnames, then given names, to the one person they fit.

    Returns the names that fit several people, each with the clusters of those people.
    """
    ends: dict[tuple[str, ...], set[int]] = {}
    begins: dict[tuple[str, ...], set[int]] = {}
    for number, name in enumerate(names):
        words = bare(name.words, language)
        if name.type == "PERSON" and len(words) > 1:
            root = clusters.root(number)
            for cut in range(1, len(words)):
                if words[cut - 1] != "-" or words[cut - 2] in language.particles:
                    ends.setdefault(_key(words[cut:], language), set()).add(root)
                if words[cut] != "-" and words[cut - 1] != "-":
                    begins.setdefault(words[:cut], set()).add(root)
    open_names: dict[int, list[int]] = {}
    for number, name in enumerate(names):
        if not may_be_person(name, language):
            continue
        words = bare(name.words, language)
        own = clusters.root(number)
        people = {clusters.root(r) for r in ends.get(_key(words, language), ())} - {own}
        sieve = "surname"
        if not people and len(name.words) == len(words):
            people = {clusters.root(r) for r in begins.get(words, ())} - {own}
            sieve = "given name"
        if len(people) == 1:
            clusters.join(number, people.pop(), sieve)
        elif people:
            open_names[number] = sorted(people)
    return open_names


def nicknames(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "Ife" for Ifeoma Chukwu, if nobody else is called so, "Bill" for William “Bill” Probert."""
    people = [
        (number, bare(name.words, language))
        for number, name in enumerate(names)
        if name.type == "PERSON"
    ]
    full = [(number, words) for number, words in people if len(words) > 1]
    quoted = {
        words[at + 1]: number
        for number, words in full
        for at in range(1, len(words) - 2)
        if words[at] in language.around_titles and words[at + 2] in language.around_titles
    }
    known = {word for _, words in full for word in words}
    sizes = Counter(map(clusters.root, range(len(names))))
    for number, words in people:
        if len(words) == 1 and words[0] in quoted:
            clusters.join(number, quoted[words[0]], "nickname")
        elif (
            len(words) == 1
            and len(words[0]) >= _NICKNAME
            and words[0] not in known
            and sizes[clusters.root(number)] == 1
        ):
            found = {
                clusters.root(other)
                for other, (given, *_) in full
                if given.startswith(words[0]) and len(given) - len(words[0]) >= _LONGER
            }
            if len(found) == 1:
                clusters.join(number, found.pop(), "nickname")


def _key(words: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """A surname by which it is looked for: at the head of a sentence it is Van Aldering."""
    if language.rules >= 2 and words[0] in language.particles:
        return (words[0].lower(), *words[1:])
    return words


def may_be_person(name: Name, language: Language) -> bool:
    """Taggers mistake a bare surname for a firm or a town; it is a town if people are "in" it."""
    if name.type == "PERSON":
        return True
    one_word = len(name.words) == 1 or name.words[0] in language.particles
    if language.rules >= 2 and len(name.words) == 3 and name.words[1] == "-":
        one_word = True  # Quiambao-Lim
    if name.type in ("NORP", "LANGUAGE") or not one_word:
        return False
    return not name.located or 2 * name.votes["PERSON"] >= name.votes.total()


def gender_of_name(name: Name, language: Language) -> str:
    """ "m" or "f" by the given name, if it tells."""
    given = bare(name.words, language)[0] if len(name.words) > 1 else ""
    if given in language.given_names_of_men:
        return "m"
    return "f" if given in language.given_names_of_women else ""

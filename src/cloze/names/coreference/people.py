"""Sieves for people: full names, surnames, given names, titles.

"David Crosby", "Crosby" and "David" are one person as long as the shorter name fits nobody else in
the data point. If it does ("Bill Clinton", "Hillary Clinton", "Clinton"), two people are never
joined; each mention of the bare surname goes to the person whom a title before it fits, or else to
the one who is mentioned most.
"""

from collections.abc import Iterator, Sequence

from cloze.names.coreference.clusters import Clusters
from cloze.names.language import Language
from cloze.names.name import Name

_NO_FRIENDS = frozenset(["GPE", "LOC", "ORG"])  # Little Orlen is another village than Orlen


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


def adjectives(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "Old Barnaby" and "Barnaby", "MV Lady Orlen" and "Lady Orlen"."""
    leads = language.fond_words | language.ships
    long = [number for number, name in enumerate(names) if name.words[0] in leads]
    if not long:
        return
    seen: dict[tuple[str, ...], int] = {name.words: number for number, name in enumerate(names)}
    for number in long:
        name = names[number]
        other = seen.get(name.words[1:])
        if other is not None and (
            name.words[0] in language.ships  # MV Lady Orlen
            or (name.type == names[other].type and name.type not in _NO_FRIENDS)
        ):
            clusters.join(number, other, "adjective")


def full_names(names: Sequence[Name], clusters: Clusters, language: Language) -> None:
    """ "John Kennedy", "John F. Kennedy" and "President John Fitzgerald Kennedy"."""
    people: dict[tuple[str, str], list[int]] = {}
    for number, name in enumerate(names):
        words = bare(name.words, language)
        if name.type == "PERSON" and len(words) > 1:
            people.setdefault((words[0].lower(), words[-1].lower()), []).append(number)
            if language.rules >= 2 and (nickname := quoted_in(words, language)):
                # Randall "Skip" Pomeroy … Skip Pomeroy
                people.setdefault((nickname[0].lower(), words[-1].lower()), []).append(number)
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
    if language.rules >= 2:
        if quoted_in(a, language):
            middle_a = ()
        if quoted_in(b, language):
            middle_b = ()
    if not middle_a or not middle_b:
        return True
    return middle_a[0][0].lower() == middle_b[0][0].lower()


def quoted_in(words: Sequence[str], language: Language) -> tuple[str, ...]:
    """The nickname inside a name, or nothing.

    >>> from cloze.names.language import load_language
    >>> quoted_in(["Randall", '"', "Skip", '"', "Pomeroy"], load_language("en", 2))
    ('Skip',)
    """
    marks = [at for at, word in enumerate(words) if word in language.around_titles]
    if len(marks) == 2 and 0 < marks[0] < marks[1] - 1 and marks[1] < len(words) - 1:
        return tuple(words[marks[0] + 1 : marks[1]])
    return ()


def short_names(
    names: Sequence[Name], clusters: Clusters, language: Language
) -> dict[int, list[int]]:
    """Join surnames, then given names, to the one person they fit.

    Returns the names that fit several people, each with the clusters of those people.
    """
    ends: dict[tuple[str, ...], set[int]] = {}
    begins: dict[tuple[str, ...], set[int]] = {}
    parts: dict[str, set[int]] = {}
    for number, name in enumerate(names):
        words = bare(name.words, language)
        if name.type == "PERSON" and len(words) > 1:
            root = clusters.root(number)
            for cut in range(1, len(words)):
                if words[cut - 1] != "-" or words[cut - 2] in language.particles:
                    ends.setdefault(_key(words[cut:], language), set()).add(root)
                if words[cut] != "-" and words[cut - 1] != "-":
                    begins.setdefault(words[:cut], set()).add(root)
            if language.rules >= 2 and len(words) > 2:
                for part in _parts_of_names(words, language):
                    parts.setdefault(part, set()).add(number)
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
        if not people and len(words) == 1 and name.type == "PERSON" and words[0] in parts:
            # Who was called Boyle before anybody was called Boyle-Nash is somebody else.
            people = {clusters.root(r) for r in parts[words[0]] if r < number} - {own}
            sieve = "part of a name"
        if len(people) == 1:
            clusters.join(number, people.pop(), sieve)
        elif people:
            open_names[number] = sorted(people)
    if language.rules >= 2 and open_names:
        _open_in_headings(open_names, names)
    return open_names


def _open_in_headings(open_names: dict[int, list[int]], names: Sequence[Name]) -> None:
    """What fits several people fits them in capitals too: RAFFERTY."""
    people = {names[number].words[0].upper(): own for number, own in open_names.items()}
    for number, name in enumerate(names):
        if len(name.words) == 1 and number not in open_names and name.words[0] in people:
            open_names[number] = people[name.words[0]]


def _parts_of_names(words: tuple[str, ...], language: Language) -> Iterator[str]:
    """Words of a full name that may stand for the whole if nobody else has them: one of two
    surnames or of two given names.

    >>> from cloze.names.language import load_language
    >>> english = load_language("en", 2)
    >>> list(_parts_of_names(("Rafe", "Orlen", "-", "Bligh"), english))
    ['Orlen', 'Bligh']
    >>> list(_parts_of_names(("Esther", "Orlen", "Kamau"), english))
    ['Orlen']
    """
    if words[-1] in language.sites:  # the Edmund Orlen Bridge
        return
    for place in range(1, len(words) - 1):
        if words[place] == "-":
            if words[place - 1].istitle() and words[place + 1].istitle():
                yield words[place - 1]
                if place > 1:
                    yield words[place + 1]
        elif words[place] in language.between_surnames:
            continue
        elif (
            "-" not in (words[place - 1], words[place + 1])
            and words[place][0].isupper()
            and len(words[place]) > 2
            and words[place] not in language.given_names
            and words[place] not in language.particles
            and words[place] not in language.around_titles
            and words[place - 1] not in language.around_titles
        ):
            yield words[place]


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

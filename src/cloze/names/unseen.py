"""Names that no tagger saw: surnames and given names alone, other forms, runs of capitals."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from cloze.names.bridges import PEOPLES, bridged
from cloze.names.capitals import PERSON, runs_of_capitals
from cloze.names.inflection import inflected
from cloze.names.language import Language
from cloze.names.name import OTHER, Mention, Name, Names, is_name, vote
from cloze.names.scan import index_of, scan
from cloze.names.tokens import Tokens
from cloze.names.whole_document import Headings
from cloze.text import Spacing

_MARKS = {"PERSON": PERSON, "NORP": PEOPLES, "LANGUAGE": PEOPLES}  # of words that names cover
_HOLDING = frozenset("& , ' ’ - of and".split())  # these hold a name's first words together
_NEVER_ONE = frozenset(["NORP", "LANGUAGE", "WORK_OF_ART", "LAW", "EVENT"])


def add_surnames(names: Names, vocabulary: set[str], language: Language) -> None:
    """A person named in full is often named by the surname alone, where no tagger saw it."""
    for name in list(names.values()):
        if len(name.words) < 2 or name.type != "PERSON":
            continue
        surname = name.words[-2] if name.words[-1] in language.suffixes else name.words[-1]
        if (
            surname in vocabulary
            and (surname,) not in names
            and is_name((surname,), language)
            and surname[0].isupper()
            and surname.lower() not in vocabulary
            and not (language.rules >= 2 and name.words[-2] in language.articles)  # Otto the Great
        ):
            names[(surname,)] = Name((surname,), Counter(PERSON=1))


def add_firms(names: Names, vocabulary: set[str], language: Language) -> None:
    """So is a firm by its first word: Orlen Robotics A/S … Orlen brings us an engine."""
    for words, name in list(names.items()):
        first = words[:1]
        if (
            len(words) > 1
            and first not in names
            and first[0] in vocabulary
            and (
                words[-1] in language.firms
                or words[-1] in language.trades
                or words[-1] in language.companies
            )
            and words[1] not in _HOLDING
            and name.type != "PERSON"
            and first[0].istitle()
            and first[0].lower() not in language.ordinary
            and first[0].lower() not in vocabulary
            and first[0] not in language.known_places
            and first[0] not in language.given_names
            and not first[0].endswith(language.people_endings)
            and is_name(first, language)
        ):
            names[first] = Name(first, Counter(ORG=1))


def add_inflected(names: Names, texts: Sequence[Tokens], language: Language) -> None:
    """The other forms of a name that stand there: who is called Merkel is meant by Merkels too."""
    spelt = "  ".join(f" {' '.join(tokens.words)} " for tokens in texts)
    for name in list(names.values()):
        for form in inflected(name.words, name.type == "PERSON", language):
            if form not in names and f" {' '.join(form)} " in spelt and is_name(form, language):
                names[form] = Name(form, Counter({name.type: 1}))


def add_runs(
    names: Names,
    texts: Sequence[Tokens],
    capitals: Sequence[Sequence[int]],
    titled: Sequence[Headings],
    vocabulary: set[str],
    language: Language,
) -> None:
    """Whatever has capitals and stands in no known name, or goes on with one. `capitals` are the
    places of capitalised words."""
    known = list(names.values())
    index = index_of(known)
    mentions = [scan(tokens, index, language) for tokens in texts]
    covered = [_marks(*both, known) for both in zip(texts, mentions, titled, strict=True)]
    if language.rules >= 2:
        _add_given_names(names, texts, capitals, covered, vocabulary, language)
        for tokens, found in zip(texts, mentions, strict=True):
            _add_neighbours(names, known, tokens, found, language)
        for tokens, places, marks in zip(texts, capitals, covered, strict=True):
            for first, last in bridged(tokens, places, marks, language):
                words = tuple(tokens.words[first:last])
                if not is_name(words, language):
                    continue
                is_person = marks[first] == PERSON[0] and not (
                    language.between_surnames.isdisjoint(words)
                    and language.inside_foreign.isdisjoint(words)
                )
                vote(names, words, "PERSON" if is_person else OTHER)
                marks[first:last] = b"\1" * (last - first)
    by_text = runs_of_capitals(texts, capitals, covered, vocabulary, language)
    for tokens, found, runs in zip(texts, mentions, by_text, strict=True):
        types = {mention.last: known[mention.name].type for mention in found}
        for first, last in runs:
            words = tuple(tokens.words[first:last])
            if is_name(words, language):
                label = "PERSON" if types.get(last) == "PERSON" else OTHER
                vote(names, words, label)


def _marks(
    tokens: Tokens, found: Sequence[Mention], apart: Headings, known: Sequence[Name]
) -> bytearray:
    """For each word of a text what covers it, 0 for nothing."""
    marks = bytearray(len(tokens.words))
    for first, last in apart:
        marks[first:last] = b"\1" * (last - first)
    for first, last, number in found:
        marks[first:last] = _MARKS.get(known[number].type, b"\1") * (last - first)
    return marks


def _add_given_names(
    names: Names,
    texts: Sequence[Tokens],
    capitals: Sequence[Sequence[int]],
    covered: Sequence[bytearray],
    vocabulary: set[str],
    language: Language,
) -> None:
    given = _given_names(names, vocabulary, language)
    for tokens, places, marks in zip(texts, capitals, covered, strict=True):
        for place in places:
            word = tokens.words[place]
            if word in given and not marks[place]:
                marks[place] = 1
                names.setdefault((word,), Name((word,), Counter(PERSON=1)))


def _given_names(names: Names, vocabulary: set[str], language: Language) -> set[str]:
    """The first words of people's names: a biography or a tabloid uses them alone."""
    return {
        given
        for given in {words[0] for words, name in names.items() if name.type == "PERSON"}
        if len(given) > 2
        and given[0].isupper()
        and (given,) not in names
        and given not in language.particles
        and is_name((given,), language)
        and given.lower() not in vocabulary
    }


def _add_neighbours(
    names: Names,
    known: Sequence[Name],
    tokens: Tokens,
    found: Sequence[Mention],
    language: Language,
) -> None:
    """Two names that stand side by side are one that a tagger cut in two: [Mohd.] [Arshad]. So are
    two surnames with "&" between them, a firm's: [Colman] & [Frith]."""
    for left, right in pairwise(found):
        if left.last + 1 == right.first and tokens.words[left.last] == "&":
            one, other = known[left.name], known[right.name]
            if len(one.words) == len(other.words) == 1 and language.given_names.isdisjoint(
                one.words + other.words
            ):
                vote(names, (*one.words, "&", *other.words), "ORG", 2)
        if left.last == right.first and tokens.spacing[left.last - 1] == Spacing.SPACE:
            one, other = known[left.name], known[right.name]
            if _are_one(one, other):
                words = one.words + other.words
                label = "PERSON" if "PERSON" in (one.type, other.type) else other.type
                vote(names, words, label)


def _are_one(left: Name, right: Name) -> bool:
    if left.type in _NEVER_ONE or right.type in _NEVER_ONE:
        return False
    if "GPE" in (left.type, right.type) and left.type != right.type:
        return False
    return len(left.words) == len(right.words) == 1 and not (
        left.words[0].isupper() or right.words[0].isupper()
    )

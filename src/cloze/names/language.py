"""What a language is to the builder: a file of lists, read into one value that is passed along.

`languages/en.toml` holds English; another language is another file beside it. A list that a file
leaves out is empty, and whatever uses it then does nothing.

Names are found by numbered sets of rules, so that a corpus which was built by an older set can be
built again. What a set adds to a language's lists stands in a file such as `languages/en.2.toml`,
and how words are mostly written in `languages/en.2.words.toml`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from cloze.errors import UserError

NEWEST_RULES = 2
RULES = 1  # the set that makes corpora unless another is asked for; whoever asks has the newest
Words = frozenset[str]
_NONE: Words = frozenset()
_FOLDER = files("cloze.names") / "languages"


@dataclass(frozen=True, eq=False)
class Language:
    code: str
    rules: int = 1  # which set of rules finds and resolves its names

    # finding names
    pipelines: tuple[str, ...] = ()  # spaCy's, the best first
    install: str = ""  # a command that installs one
    capitals_are_names: bool = False  # a capital in mid-sentence means a name

    # splitting text into tokens
    abbreviations: tuple[str, ...] = ()  # a full stop after one of these belongs to it
    spaced_abbreviations: tuple[str, ...] = ()  # "z. B.", where every full stop belongs to it
    ordinals: tuple[str, ...] = ()  # numbers with their full stop, as regular expressions
    clitics: tuple[str, ...] = ()  # stand alone behind an apostrophe
    split_words: tuple[str, ...] = ()  # that a pattern makes two tokens of
    patterns: tuple[str, ...] = ()  # further tokens, as regular expressions; {word}: a character

    # quotation marks, and where sentences begin
    opening: Words = _NONE
    closing: Words = _NONE
    opening_single: Words = _NONE
    closing_single: Words = _NONE
    around_titles: Words = _NONE  # of films and books
    opens_after: Words = _NONE  # tokens after which a capital says nothing

    # words that are not names
    articles: Words = _NONE
    titled_articles: Words = _NONE  # of these, those that begin names: The Willows
    openers: Words = _NONE  # words that open a sentence or a headline
    plain: Words = _NONE  # others that are capitalised without being names
    plain_phrases: tuple[str, ...] = ()  # of several words, that name nothing: Board of Directors
    days_and_months: Words = _NONE
    numerals: Words = _NONE
    common_abbreviations: Words = _NONE
    locatives: Words = _NONE  # what follows is a place
    held_in: Words = _NONE  # before "in": the name after it is no place
    numbered: Words = _NONE  # words whose number makes no name: Class 12
    numbered_in_words: Words = _NONE  # of these, those with "Two" or "II": Act Two
    determiners: Words = _NONE  # before common nouns
    lower_case: Words = _NONE  # words that hardly ever have a capital in mid-sentence
    either_case: Words = _NONE  # plain words that are parts of names too

    # people
    men_titles: Words = _NONE
    women_titles: Words = _NONE
    offices: Words = _NONE  # and trades: they stand before a name
    honorifics: Words = _NONE  # before people alone, so that they tell a person
    posts: Words = _NONE  # that people hold: "the Second Respondent" is no name
    titles_of_people: Words = _NONE  # offices that tell a person, whatever taggers say
    after_names: Words = _NONE  # letters behind a person's name
    millions: Words = _NONE  # end amounts of money
    suffixes: Words = _NONE  # Jr. and the like
    particles: Words = _NONE  # begin a surname
    given_names_of_men: Words = _NONE
    given_names_of_women: Words = _NONE
    more_given_names: Words = _NONE  # of either
    pet_names: tuple[str, ...] = ()  # a given name and what its owners are called
    fond_endings: tuple[str, ...] = ()  # of what friends make of a name: Simmo, Jonesy
    fond_words: Words = _NONE  # before the names of people, ships and clocks
    men_of_family: Words = _NONE  # before a man's name: her husband Owen
    women_of_family: Words = _NONE

    # the edges of names
    possessives: Words = _NONE  # tokens behind a name
    hanging: Words = _NONE  # no name ends in one of these
    compounded: Words = _NONE  # after a hyphen not part of the name before it
    prefixes: Words = _NONE  # before a hyphen not part of the name after it
    after_comma: Words = _NONE  # belong to the name before the comma
    linking: Words = _NONE  # may stand inside a name
    bridges: Words = _NONE  # small words that hold names together
    between_surnames: Words = _NONE  # of these, those between somebody's two
    others: Words = _NONE  # behind "and", part of the name before it: Orlen and Sons
    small_in_titles: Words = _NONE  # not capitalised there
    one_with_a_hyphen: tuple[str, ...] = ()  # beginnings of words that a hyphen joins into one name

    # organisations, and names of one thing
    designators: Words = _NONE  # what a name ends in and can do without
    firms: Words = _NONE  # of these, those of companies alone
    shops: Words = _NONE  # what is called after its owner: Chico's Bar, Quill's Folly
    companies: Words = _NONE  # words for a company behind what it is: Slate Railway Company
    trades: Words = _NONE  # what firms do, at the end of their names: Orlen Accountants
    bodies_abroad: Words = _NONE  # first words of names in other languages: the Instituto
    sites_abroad: Words = _NONE  # of these, those of places: Posada del Molino, the Molino
    houses: Words = _NONE  # of these are heads only before "of": the House of Assembly
    not_in_acronyms: Words = _NONE
    too_plain: Words = _NONE  # not short for a longer name
    no_heads: Words = _NONE  # nor are these, though they stand at its end
    bodies: Words = _NONE  # last words of names that are organisations, whatever taggers say
    bodies_of: Words = _NONE  # of these, those whose names go on with "of"
    sites: Words = _NONE  # and of buildings, rivers and the like
    occasions: Words = _NONE  # and of festivals and races
    known_places: Words = _NONE  # which taggers are right about
    kinds_of_places: Words = _NONE  # stand before a place's name and are part of it
    parts_of_places: Words = _NONE  # stand before it too, and it may do without: Upper Lode
    divisions: Words = _NONE  # stand behind a place's name: Kuramo State
    sports: Words = _NONE  # before "Club"
    clubs: Words = _NONE  # of these, those that stand behind a club's name too: Alderby Town
    places_of: Words = _NONE  # Isle of Mor
    inside_foreign: Words = _NONE  # small words of other languages, inside names alone
    inside_places: Words = _NONE  # small words behind which a place's name goes on: Orlen on Sea
    named_twice: Words = _NONE  # places that are others than those with one of these words
    people_endings: tuple[str, ...] = ()  # of the names of peoples, parties and religions
    saints: Words = _NONE  # whose churches are called after them: St Anne's
    acts: Words = _NONE  # laws, to whose names a year belongs
    flights: Words = _NONE
    roads: Words = _NONE  # with numbers: Route 9
    regiments: Words = _NONE  # last words of names that may begin with a number: 41st Fusiliers
    ordinal_endings: tuple[str, ...] = ()  # of numbers: 41st
    ships: Words = _NONE  # letters before a ship's name
    aliases: tuple[str, ...] = ()  # between two names of one thing
    twins: tuple[str, ...] = ()  # spellings of one name, as letters and digits

    # names by rules, if no pipeline is installed
    organisation_endings: tuple[str, ...] = ()  # endings of the noun after a capitalised adjective
    places: Words = _NONE

    # inflection
    genitive: tuple[str, ...] = ()  # endings
    adjectives: tuple[str, ...] = ()  # endings

    # questions and answers
    where: Words = _NONE  # words before a place
    side_by_side: Words = _NONE  # between two names of one thing
    name_fillers: Words = _NONE
    common: Words = _NONE  # words that mean little

    # the gap of a question that has none
    asks_for_name: Words = _NONE  # first words that stand for the name themselves
    asks_for_place: Words = _NONE  # the same for places
    before_place: str = ""  # where a statement has the place
    asks_for_owner: Words = _NONE
    owner_ending: str = ""  # of the name that "whose" asks for
    asks_which: Words = _NONE  # and the noun after it
    no_nouns: Words = _NONE  # after "which" and "where"
    empty_verbs: Words = _NONE  # that questions have and statements do not

    cleaning: Mapping[str, Any] = field(default_factory=dict)  # rules of builder/cleaning.py

    @cached_property
    def titles(self) -> Words:
        return self.offices | self.men_titles | self.women_titles | self.honorifics

    @cached_property
    def given_names(self) -> Words:
        return self.given_names_of_men | self.given_names_of_women | self.more_given_names

    @cached_property
    def family(self) -> Words:
        return self.men_of_family | self.women_of_family

    @cached_property
    def pet_names_of(self) -> dict[str, Words]:
        """For each given name the others that its owner may be called by, but not the reverse: what
        somebody is christened is seldom short for what he is called."""
        groups = [group.split() for group in self.pet_names]
        return {group[0]: frozenset(group[1:]) for group in groups}

    @cached_property
    def inflects(self) -> bool:
        return bool(self.genitive or self.adjectives)

    @cached_property
    def alone(self) -> Words:
        """Capitalised words that are part of no name of several words."""
        others = self.days_and_months | self.common_abbreviations | self.after_names
        return self.offices | self.honorifics | others

    @cached_property
    def capitalised(self) -> Words:
        """Words that are no names by themselves, capital or not."""
        posts = self.posts - self.given_names
        return self.titles | self.openers | self.plain | self.alone | posts

    @cached_property
    def phrases(self) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(phrase.split()) for phrase in self.plain_phrases)

    @cached_property
    def ordinary(self) -> Words:
        """Plain words in lower case, whether or not names hold them too."""
        return self.lower_case | self.either_case

    @cached_property
    def links(self) -> Words:
        """Small words inside names, of this language or another."""
        return self.bridges | self.inside_foreign

    @cached_property
    def goes_on(self) -> Words:
        """Tokens behind which a name may go on (edges.extend)."""
        return self.inside_foreign | self.possessives | {"of", "-", "the"}

    @cached_property
    def leads(self) -> Words:
        """Words that say something about the name behind them, or belong to it."""
        return self.honorifics | self.ships | self.kinds_of_places

    @cached_property
    def lower_designators(self) -> Words:
        return frozenset(word.lower() for word in self.designators)

    @cached_property
    def lower_trades(self) -> Words:
        return frozenset(word.lower() for word in self.trades)

    @cached_property
    def lower_articles(self) -> Words:
        return frozenset(article.lower() for article in self.articles)

    @cached_property
    def twin_of(self) -> dict[str, str]:
        """For each spelling of a name with twins, the one that represents them all."""
        groups = [group.split() for group in self.twins]
        return {spelling: group[0] for group in groups for spelling in group}


def known_languages() -> list[str]:
    """The codes of the languages that have a file."""
    names = (file.name.removesuffix(".toml") for file in _FOLDER.iterdir())
    return sorted(name for name in names if "." not in name)


@lru_cache
def load_language(code: str, rules: int = RULES) -> Language:
    """The language of a code such as "en", with the lists of a set of rules."""
    if code not in known_languages():
        known = ", ".join(known_languages())
        raise UserError(f"there is no language '{code}'", fix=f"there is {known}")
    if not 1 <= rules <= NEWEST_RULES:
        raise UserError(f"there are no rules {rules}", fix=f"choose from 1 to {NEWEST_RULES}")
    given = _lists(f"{code}.toml")
    for number in range(2, rules + 1):
        for file in (f"{code}.{number}.toml", f"{code}.{number}.words.toml"):
            for key, more in _lists(file).items():
                before = given.get(key)
                given[key] = more if before is None else _both(before, more)
    return Language(code, rules, **given)


def _both(before: Any, added: Any) -> Any:
    return before | added if isinstance(before, frozenset) else before + added


def _lists(name: str) -> dict[str, Any]:
    """What a file says, by the fields of a language; empty if a set of rules adds nothing."""
    if not (_FOLDER / name).is_file():
        return {}
    kinds = {each.name: each.type for each in fields(Language)}
    given: dict[str, Any] = {}
    for key, value in tomllib.loads((_FOLDER / name).read_text(encoding="utf-8")).items():
        in_section = isinstance(value, dict) and key not in kinds
        given |= value if in_section else {key: value}
    return {key: _read(kinds[key], value) for key, value in given.items()}


def _read(kind: Any, value: Any) -> Any:
    if kind is Words:
        return frozenset(value.split())
    if kind == tuple[str, ...]:
        return tuple(value.split() if isinstance(value, str) else value)
    return value

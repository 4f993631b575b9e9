"""A spaCy pipeline made only of rules, for a language without an installed trained one.

    Bundeskanzlerin [Angela Merkel]   [Jürgen Dorn]   [Siemens AG]   [Technisches Hilfswerk]   [THW]

It finds people who are introduced by a title or a known given name, organisations by the form of
their names, and places that the language's file lists. It misses names without such a sign, so a
trained pipeline is better if there is one.
"""

from typing import Any

from cloze.names.language import Language

_CAPITALISED = r"^[A-ZÄÖÜ][\w'’-]+$"
_ACRONYM = r"^[A-ZÄÖÜ]{2,6}$"
# Bounded: without an end, a page of capitalised words takes minutes.
_SOME, _ANY = "{1,8}", "{0,8}"


def rules_pipeline(language: Language) -> Any:
    """A blank pipeline with an entity ruler made of the language's lists."""
    import spacy

    nlp = spacy.blank(language.code)
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": tokens} for label, tokens in _rules(language)])
    return nlp


def _rules(language: Language) -> list[tuple[str, list[dict[str, Any]]]]:
    def one_of(words: Any, **more: Any) -> dict[str, Any]:
        return {"TEXT": {"IN": sorted(words)}, **more}

    def like(pattern: str, **more: Any) -> dict[str, Any]:
        other = language.capitalised | language.articles
        return {"TEXT": {"REGEX": pattern, "NOT_IN": sorted(other)}, **more}

    name = like(_CAPITALISED, OP="{1,2}")
    # "von der", but not "der" alone: "Chef der Bahn" is not a name.
    particles = [
        one_of(language.particles - language.articles, OP=_SOME),
        one_of(language.particles & language.articles, OP=_ANY),
    ]
    endings = "|".join(language.adjectives)
    nouns = "|".join(language.organisation_endings)
    genitive = "|".join(language.genitive)
    places = {place + ending for place in language.places for ending in ("", *language.genitive)}
    return [
        ("PERSON", [one_of(language.titles, OP=_SOME), name]),
        ("PERSON", [one_of(language.titles, OP=_SOME), *particles, name]),
        ("PERSON", [one_of(language.given_names, OP=_SOME), name]),
        ("PERSON", [one_of(language.given_names, OP=_SOME), *particles, name]),
        ("ORG", [like(_CAPITALISED, OP=_SOME), one_of(language.designators)]),
        (
            "ORG",
            [
                like(rf"^[A-ZÄÖÜ]\w+(?:{endings})$", OP=_SOME),
                like(rf"^(?=[A-ZÄÖÜ])(?i:[\w-]*(?:{nouns})(?:{genitive})?)$"),
            ],
        ),
        ("ORG", [like(_ACRONYM)]),
        ("GPE", [one_of(places)]),
    ]

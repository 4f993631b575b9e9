"""Other names of the same kind for a document's entities, put together from the newsroom's lists.

A person gets a person's name, of the same sex if pronouns nearby show it, and a place a place's;
"Vennick" alone becomes the new surname, "Clara" alone the new first name. No two entities
share a word, and no new name has a word of the old ones.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from cloze.document import Document, Entity
from cloze.newsroom.dice import Dice
from cloze.newsroom.names import Entity as Drawn
from cloze.newsroom.names import Namer
from cloze.randomness import key_of
from cloze.text import Text

_TRIES = 40  # after these, two names of a very long cast may share a word
_KINDS = {  # how the newsroom calls what the builder labels so
    "ORG": ("company", "institute", "publisher"),
    "GPE": ("city",),
    "LOC": ("coast", "wild"),
    "FAC": ("stadium", "building", "hall"),
    "EVENT": ("tournament", "festival"),
    "WORK_OF_ART": ("work",),
    "PRODUCT": ("gadget", "spacecraft"),
}
_SHE = frozenset("she her hers herself mrs ms miss lady madam".split())
_HE = frozenset("he him his himself mr sir lord".split())


@dataclass(frozen=True, slots=True)
class NewName:
    full: str
    forms: dict[str, str]  # each old way of writing it, with the new one

    def form(self, surface: str) -> str:
        new = self.forms.get(surface, self.full)
        return new.upper() if surface.isupper() and len(surface) > 1 else new


def other_names(document: Document, seed: int = 0) -> dict[int, NewName]:
    """For each marker of the document its new name, always the same for the same seed."""
    entities = {e.marker: e for e in document.entities}
    sentences = document.context.sentences()
    used = {word.casefold() for e in entities.values() for word in _words(e)}
    found = {}
    for marker in sorted({*entities, *document.candidates()}):
        entity = entities.get(marker, Entity(marker, document.name_of(marker)))
        woman = _is_woman(entity, document.context, sentences)
        drawn = _draw(entity, woman, f"{document.id} {marker}", seed, used)
        used |= {word.casefold() for word in drawn.full.text.split()} | {drawn.full.text.casefold()}
        spoken = {entity.name, *entity.surfaces}
        found[marker] = NewName(drawn.full.text, {old: _form(old, entity, drawn) for old in spoken})
    return found


def _words(entity: Entity) -> list[str]:
    return [word for spelling in (entity.name, *entity.surfaces) for word in spelling.split()]


def _draw(entity: Entity, woman: bool | None, key: str, seed: int, used: set[str]) -> Drawn:
    """A name without a used word; in a cast so large that there is none, one unlike all others."""
    for attempt in itertools.count():
        drawn = _name(entity.type, woman, Dice(seed, key_of(f"{key} {attempt}")))
        full = drawn.full.text.casefold()
        if full not in used and (attempt >= _TRIES or not used & set(full.split())):
            break
    return drawn


def _name(kind: str, woman: bool | None, dice: Dice) -> Drawn:
    namer = Namer(dice)
    country = namer.country()
    if kind == "PERSON":
        return namer.person(None, woman)
    if kind in ("NORP", "LANGUAGE"):
        return namer.nationality(country)
    return namer.thing(dice.pick(_KINDS.get(kind, _KINDS["ORG"])), None, country)


def _is_woman(entity: Entity, text: Text, sentences: Sequence[slice]) -> bool | None:
    """By the pronouns and titles in the sentences that mention the person; None: no telling."""
    women = men = 0
    for sentence in sentences if entity.type == "PERSON" else ():
        if (text.markers[sentence] == entity.marker).any():
            words = text.tokens[sentence]
            women += sum(word in _SHE for word in words)
            men += sum(word in _HE for word in words)
    return None if women == men else women > men


def _form(old: str, entity: Entity, drawn: Drawn) -> str:
    """The new name written as the old one was: whole, or in its short form."""
    words, whole = old.split(), entity.name.split()
    if entity.type == "PERSON" and len(words) == 1 and len(whole) > 1:
        first, last = drawn.full.text.split()
        return first if words[0] == whole[0] else last
    if len(words) < len(whole) and drawn.short is not None and entity.type != "PERSON":
        return drawn.short.text
    return drawn.full.text

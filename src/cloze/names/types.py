"""What a name stands for, corrected by what stands around it: the second rules.

Chief [Agbaru]    [Dee Marlowe], 31, weds    Mr [Rathod] … [Devendra Rathod]

The type decides which names may be one, and taggers often have it wrong for names that they have
never seen.
"""

from collections.abc import Sequence

from cloze.names.coreference.fitting import is_full_name
from cloze.names.language import Language
from cloze.names.name import OTHER, Mention, Name
from cloze.names.tokens import Tokens

_OLDEST = 110
_SURE = 10  # votes of a title or an age
_UNSURE = frozenset([OTHER, "GPE"])  # types that a given name alone corrects
_LIKELY = 2  # of an office, which things may have in their names too


def correct_types(
    names: Sequence[Name],
    texts: Sequence[Tokens],
    mentions: Sequence[Sequence[Mention]],
    language: Language,
) -> None:
    """Let what stands before and behind each mention vote, then short names for full names."""
    for tokens, found in zip(texts, mentions, strict=True):
        for mention in found:
            name = names[mention.name]
            before = tokens.words[mention.first - 1] if mention.first else ""
            if before in language.articles:
                name.articled = True
            elif before in language.locatives:
                held = mention.first > 1 and tokens.words[mention.first - 2] in language.held_in
                name.located = name.located or not held
            elif before in language.honorifics or (
                tokens.words[mention.last : mention.last + 1] == [","]
                and _has_age(tokens.words, mention.last)
            ):
                name.votes["PERSON"] += _SURE
                name.settle(language)
            elif before in language.titles_of_people and name.type not in ("GPE", "NORP"):
                name.votes["PERSON"] += _LIKELY
                name.settle(language)
    alone = {name.words[0] for name in names if name.type == "PERSON" and len(name.words) == 1}
    for name in names:
        if (
            len(name.words) > 1
            and name.type != "PERSON"
            and (name.words[-1] in alone or (name.words[0] in alone and name.type in _UNSURE))
            and not name.located
            and is_full_name(name, language)
        ):
            name.type = "PERSON"
    _of_two_surnames(names, language)


def _of_two_surnames(names: Sequence[Name], language: Language) -> None:
    """A full name with a hyphen or a particle is a person's too if one is called by its beginning
    or its end: Mrs [Pike] … [Nwando Orlen-Pike], [Van der Orlen] … [Lars van der Orlen]."""
    doubtful = [
        name
        for name in names
        if len(words := name.words) > 3
        and name.type not in ("PERSON", "NORP")
        and not name.located
        and any(word == "-" or word in language.particles for word in words[1:-1])
        and all(
            word == "-" or word in language.particles or word.lower() not in language.ordinary
            for word in words
        )
        and not any(word in language.bodies or word in language.sites for word in words)
        and words[0] not in language.known_places
    ]
    if not doubtful:
        return
    people = {_lower(name.words) for name in names if name.type == "PERSON"}
    for name in doubtful:
        lower = _lower(name.words)
        if any(lower[cut:] in people or lower[:cut] in people for cut in range(1, len(lower))):
            name.type = "PERSON"


def _lower(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _has_age(words: Sequence[str], place: int) -> bool:
    """ ", 31," behind the name"""
    return (
        words[place : place + 1] == [","]
        and words[place + 2 : place + 3] in ([","], ["."])
        and words[place + 1].isdigit()
        and int(words[place + 1]) < _OLDEST
    )

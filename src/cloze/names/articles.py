"""Articles that are part of a name: the second rules.

told [The Marchmont Lantern]      a nurse at [The Willows]      but: the [Lantern]'s editor

Inside a sentence, "The" has a capital only where a name begins with it. Names are compared without
it, so the article joins a mention only once the names are known.
"""

from collections.abc import Sequence

from cloze.names.heads import head_of
from cloze.names.language import Language
from cloze.names.name import Mention, Name
from cloze.names.sentences import opens_sentence
from cloze.names.tokens import Tokens
from cloze.text import Spacing

_WITHOUT = frozenset(["PERSON", "NORP", "LANGUAGE", "GPE", "LOC"])


def with_articles(
    tokens: Tokens, mentions: Sequence[Mention], names: Sequence[Name], language: Language
) -> list[Mention]:
    """The mentions, those that begin with an article from there on."""
    return [
        mention._replace(first=mention.first - 1)
        if mention.first
        and tokens.words[mention.first - 1] in language.titled_articles
        and _has_article(tokens, mention.first - 1, names[mention.name], language)
        else mention
        for mention in mentions
    ]


def _has_article(tokens: Tokens, place: int, name: Name, language: Language) -> bool:
    return (
        place > 0
        and tokens.spacing[place] == Spacing.SPACE
        and name.type not in _WITHOUT
        and not name.words[0].isupper()  # The BBC
        and not (len(name.words) == 1 and name.words[0].lower() in language.ordinary)  # The Board
        and head_of(name.words) not in language.bodies  # The University of Orlen
        and name.words[-1] not in language.designators
        and tokens.words[place - 1][0].islower()
        and not opens_sentence(tokens, place, language)
    )

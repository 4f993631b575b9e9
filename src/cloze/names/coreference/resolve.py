"""The sieves in order, the surest first, and the clusters of mentions that result."""

from collections import Counter
from collections.abc import Sequence

from cloze.names.coreference.aliases import aliases
from cloze.names.coreference.base_forms import with_base_forms
from cloze.names.coreference.clusters import Clusters
from cloze.names.coreference.component import Place, same_by_component
from cloze.names.coreference.nicknames import nicknames
from cloze.names.coreference.organisations import (
    acronyms,
    companies,
    contractions,
    designators,
    heads,
)
from cloze.names.coreference.people import (
    adjectives,
    full_names,
    gender_of_name,
    initials_of_people,
    short_names,
    titles,
)
from cloze.names.coreference.short_forms import short_forms
from cloze.names.coreference.spelling import flights, known_twins, same_spelling
from cloze.names.language import Language
from cloze.names.name import Mention, Name
from cloze.names.tokens import Tokens


def resolve(
    names: Sequence[Name],
    texts: Sequence[Tokens],
    mentions: Sequence[Sequence[Mention]],
    language: Language,
    places: Sequence[Sequence[Place]] = (),
) -> tuple[list[list[int]], Clusters]:
    """The cluster of each mention in each text (a number with no meaning of its own), and the
    clusters of names with the reasons for every join.

    `places` are the clusters of a coreference component, if the pipeline has one.
    """
    if language.inflects:
        names = with_base_forms(names, language)
    clusters = Clusters(names)
    for sieve in (same_spelling, known_twins, flights):
        sieve(names, clusters, language)
    if places:
        same_by_component(places, texts, mentions, clusters, language)
    titles(names, clusters, language)
    full_names(names, clusters, language)
    if language.rules >= 2:
        initials_of_people(names, clusters, language)
        adjectives(names, clusters, language)
    open_names = short_names(names, clusters, language)
    for sieve in (acronyms, designators, heads):
        sieve(names, clusters, language)
    if language.rules >= 2:
        companies(names, clusters, language)
        contractions(names, clusters)
        aliases(texts, mentions, clusters, language)
        short_forms(names, mentions, clusters, language, open_names)
        nicknames(names, clusters, language)
    root = [clusters.root(number) for number in range(len(names))]
    resolved = [[root[m.name] for m in found] for found in mentions]
    if open_names:
        _settle(open_names, names, root, texts, mentions, resolved, language)
    return resolved, clusters


def _settle(
    open_names: dict[int, list[int]],
    names: Sequence[Name],
    root: list[int],
    texts: Sequence[Tokens],
    mentions: Sequence[Sequence[Mention]],
    resolved: list[list[int]],
    language: Language,
) -> None:
    """Give each mention of a name that fits several people to one of them, by title or by count."""
    counts = Counter(root[m.name] for found in mentions for m in found if m.name not in open_names)
    genders: dict[int, set[str]] = {}
    for number, name in enumerate(names):
        genders.setdefault(root[number], set()).add(gender_of_name(name, language))
    for tokens, found in zip(texts, mentions, strict=True):
        for mention in found:
            if mention.name not in open_names:
                genders[root[mention.name]].add(gender_of_title(tokens, mention, language))
    for tokens, found, clusters in zip(texts, mentions, resolved, strict=True):
        for position, mention in enumerate(found):
            if mention.name in open_names:
                people = sorted({root[person] for person in open_names[mention.name]})
                gender = gender_of_title(tokens, mention, language)
                other = {"m": "f", "f": "m"}.get(gender, "?")
                fitting = [person for person in people if other not in genders[person]]
                clusters[position] = max(fitting or people, key=lambda person: counts[person])


def gender_of_title(tokens: Tokens, mention: Mention, language: Language) -> str:
    """ "m" or "f" from a title before a mention or at its beginning, if there is one."""
    word = tokens.words[mention.first]
    if word not in language.titles and mention.first:
        word = tokens.words[mention.first - 1]
        if word == "," and mention.first > 1:  # her husband, Owen
            before = tokens.words[mention.first - 2]
            word = before if before in language.family else word
    if word in language.men_titles or word in language.men_of_family:
        return "m"
    return "f" if word in language.women_titles or word in language.women_of_family else ""

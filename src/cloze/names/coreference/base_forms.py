"""Names in the form that the sieves compare, in a language that inflects them."""

from collections.abc import Sequence
from dataclasses import replace

from cloze.names.inflection import Words, stem_of, without
from cloze.names.language import Language
from cloze.names.name import Name


def with_base_forms(names: Sequence[Name], language: Language) -> list[Name]:
    """The names, each in its base form if another name of the data point shows what that is:
    "Merkels" beside "Angela Merkel" is "Merkel"; "Technische Hilfswerk" and "Technischen
    Hilfswerks" both become the first."""
    known = [name.words for name in names]
    base_of = {word: _base(word, known, language) for words in known for word in words[-1:]}
    first_form: dict[Words, Words] = {}
    based = []
    for name in names:
        words = (*name.words[:-1], base_of[name.words[-1]])
        if name.type != "PERSON" and len(words) > 1:
            stems = tuple(stem_of(word, language) or word for word in words[:-1])
            words = first_form.setdefault((*stems, words[-1]), words)
        based.append(name if words == name.words else replace(name, words=words))
    return based


def _base(word: str, known: Sequence[Words], language: Language) -> str:
    """The word without its genitive ending, if the rest is a word of some name. "Peters" stays if
    somebody is called that ("Ulla Peters"), even if there is a Peter too."""
    everywhere = {each for words in known for each in words}
    for ending in language.genitive:
        stem = without(word, ending)
        if stem in everywhere and not any(
            len(words) > 1
            and words[-1] == word
            and stem in language.given_names
            and (*words[:-1], stem) not in known
            for words in known
        ):
            return stem
    return word

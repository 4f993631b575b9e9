"""Forms of one name in a language that inflects names.

das Technische Hilfswerk, des Technischen Hilfswerks     Merkel, Merkels
"""

from collections.abc import Iterator

from cloze.names.language import Language

Words = tuple[str, ...]


def inflected(words: Words, is_person: bool, language: Language) -> Iterator[Words]:
    """The other forms that a name may take; many of them are not words.

    >>> from cloze.names.language import load_language
    >>> [" ".join(form) for form in inflected(("Merkels",), True, load_language("de"))]
    ['Merkelss', 'Merkelses', 'Merkel']
    """
    last = words[-1]
    lasts = [last, *(last + ending for ending in language.genitive)]
    lasts += [stem for ending in language.genitive if (stem := without(last, ending))]
    fronts = [words[:-1]]
    if len(words) > 1 and not is_person:
        # Several adjectives agree: der Freien Demokratischen Partei.
        stems = [stem_of(word, language) for word in words[:-1]]
        fronts += [
            tuple(
                stem + ending if stem else word
                for word, stem in zip(words[:-1], stems, strict=True)
            )
            for ending in language.adjectives
            if any(stems)
        ]
    for front in dict.fromkeys(fronts):
        for end in dict.fromkeys(lasts):
            if (form := (*front, end)) != words:
                yield form


def stem_of(word: str, language: Language) -> str:
    """An adjective without its ending; nothing if it has none."""
    return next((stem for ending in language.adjectives if (stem := without(word, ending))), "")


def without(word: str, ending: str) -> str:
    """The word without the ending, if three letters are left; otherwise nothing."""
    stem = word.removesuffix(ending)
    return stem if stem != word and len(stem) > 2 else ""

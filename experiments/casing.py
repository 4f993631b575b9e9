"""How words are written in the news: the lists of `names/languages/en.2.words.toml`.

    python experiments/casing.py STORIES SPANS [STORIES SPANS ...] --stories 30000 > WORDS.toml

A word counts where its capital, or the lack of one, says something: not where a sentence begins.
Four lists are printed: words that have no capital nine times in ten, words that have one more
often than that but are plain words too, words that begin the names of people, and places. Only
lists of single words come out of this, no text.
"""

import argparse
import sys
import textwrap
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from cloze.builder.sources import Columns, read_stories
from cloze.names.edges import word_range
from cloze.names.language import Language, load_language
from cloze.names.sentences import opens_sentence
from cloze.names.spans import StorySpans, read_spans
from cloze.names.tokens import tokenise
from cloze.progress import track
from cloze.stories import Story

_SEEN = 20  # times in lower case, below which a word is in no list
_LOWER = 0.9  # of its places: hardly ever a name
_EITHER = 0.25
_GIVEN = 6  # people, below which a word is no given name
_BEGINS = 0.3  # of a given name's places, at least
_PLACES = 10  # times, below which a place is not well known
_PLACE = 0.5  # of a place's places, at least


@dataclass
class Counts:
    lower: Counter[str] = field(default_factory=Counter)
    capital: Counter[str] = field(default_factory=Counter)  # in the middle of a sentence
    anywhere: Counter[str] = field(default_factory=Counter)  # in any form
    begins_person: Counter[str] = field(default_factory=Counter)
    place: Counter[str] = field(default_factory=Counter)

    def add(self, story: Story, spans: StorySpans, language: Language) -> None:
        tokens = tokenise(story.article, language)
        for place, word in enumerate(tokens.words):
            self.anywhere[word.lower()] += 1
            if word.islower():
                self.lower[word] += 1
            elif word[0].isupper() and not (
                word.isupper() or opens_sentence(tokens, place, language)
            ):
                self.capital[word.lower()] += 1
        for start, end, label in spans.texts[0]:
            first, last = word_range(tokens, start, end)
            if label == "PERSON" and last - first > 1:
                self.begins_person[tokens.words[first]] += 1
            elif label == "GPE" and last - first == 1:
                self.place[tokens.words[first]] += 1

    def share(self, word: str) -> float:
        return self.lower[word] / (self.lower[word] + self.capital[word])

    def between(self, least: float, most: float) -> list[str]:
        return sorted(
            word
            for word, count in self.lower.items()
            if count >= _SEEN and word.isalpha() and least <= self.share(word) < most
        )

    def given_names(self) -> list[str]:
        return sorted(
            word
            for word, count in self.begins_person.items()
            if count >= _GIVEN
            and len(word) > 2
            and word.isalpha()
            and word.istitle()
            and count >= _BEGINS * self.anywhere[word.lower()]
        )

    def places(self) -> list[str]:
        return sorted(
            word
            for word, count in self.place.items()
            if count >= _PLACES and word.istitle() and count >= _PLACE * self.anywhere[word.lower()]
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="stories and their spans, in pairs")
    parser.add_argument("--stories", type=int, default=30_000, help="read from each file")
    arguments = parser.parse_args()
    language, counts = load_language("en"), Counts()
    for path, spans in zip(arguments.files[::2], arguments.files[1::2], strict=True):
        pairs = zip(read_stories(path, Columns()), read_spans(spans), strict=False)
        for story, own in track(
            islice(pairs, arguments.stories), path.name, total=arguments.stories
        ):
            if isinstance(story, Story):
                counts.add(story, own, language)
    lists = {
        "lower_case": counts.between(_LOWER, 1.1),
        "either_case": counts.between(_EITHER, _LOWER),
        "more_given_names": counts.given_names(),
        "known_places": counts.places(),
    }
    print("# Single words of the news by how they are written: printed by experiments/casing.py.")
    for name, words in lists.items():
        print(f'{name} = """\n{textwrap.fill(" ".join(words), 100)}\n"""')
        print(f"{len(words)} words in {name}", file=sys.stderr)


if __name__ == "__main__":
    main()

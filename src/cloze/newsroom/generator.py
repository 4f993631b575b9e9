"""Stories as a pure function of (seed, index): any story of any corpus, in any order."""

import hashlib
from collections.abc import Iterator

from cloze.newsroom.article import write_article
from cloze.newsroom.dice import Dice
from cloze.newsroom.gold import Gold, Mention
from cloze.newsroom.names import Entity
from cloze.newsroom.paraphrase import write_highlights
from cloze.newsroom.teller import Teller
from cloze.stories import Story

WORDS = (60, 400)
ENTITIES = (5, 30)


def write_story(seed: int, index: int) -> tuple[Story, Gold]:
    dice = Dice(seed, index)
    while True:
        article = write_article(dice)
        highlights = write_highlights(dice, article)
        words, entities = article.teller.words(), len(article.teller.told)
        if (
            WORDS[0] <= words <= WORDS[1]
            and ENTITIES[0] <= entities <= ENTITIES[1]
            and len(highlights) >= 3
        ):
            break
    id = hashlib.sha1(f"newsroom:{seed}:{index}".encode()).hexdigest()
    numbers: dict[Entity, int] = {}
    story = Story(
        id=id,
        url=f"newsroom://{seed}/{index}",
        date=_date(index, dice),
        article=article.teller.text,
        highlights=tuple(highlight.text for highlight in highlights),
    )
    gold = Gold(
        id=id,
        article=_mentions(article.teller, numbers),
        highlights=tuple(_mentions(highlight, numbers) for highlight in highlights),
        names=tuple(entity.full.text for entity in numbers),
    )
    return story, gold


def stories(seed: int, count: int, start: int = 0) -> Iterator[tuple[Story, Gold]]:
    for index in range(start, start + count):
        yield write_story(seed, index)


def _mentions(teller: Teller, numbers: dict[Entity, int]) -> tuple[Mention, ...]:
    return tuple(
        Mention(start, end, entity.label, numbers.setdefault(entity, len(numbers)))
        for start, end, entity in teller.mentions
    )


def _date(index: int, dice: Dice) -> str:
    """A year of stories, May 2014 to April 2015, a twelfth of them in each month."""
    months_on = index % 12 + 4  # after January 2014
    return f"{2014 + months_on // 12}-{months_on % 12 + 1:02d}-{dice.between(1, 28):02d}"

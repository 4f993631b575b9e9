"""Stories of the newsroom that the page offers to try a reader on."""

from itertools import islice

from cloze.ask.messages import Example
from cloze.corpus.newsroom import stories

SEED = 2015  # no corpus of ours is made from it, so no reader has been trained on these
FEWEST_WORDS = 120  # a shorter story leaves little to look for


def examples(count: int = 6) -> list[Example]:
    found = (
        Example(article=story.article, highlights=list(story.highlights))
        for story, _ in stories(SEED, 50 * count)
        if len(story.article.split()) >= FEWEST_WORDS
    )
    return list(islice(found, count))

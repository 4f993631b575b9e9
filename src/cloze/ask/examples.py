"""Stories of the newsroom that the page offers to try a reader on."""

from cloze.ask.messages import Example
from cloze.corpus.newsroom import stories

SEED = 2015  # no corpus of ours is made from it, so no reader has been trained on these


def examples(count: int = 6) -> list[Example]:
    return [
        Example(article=story.article, highlights=list(story.highlights))
        for story, _ in stories(SEED, count)
    ]

"""The newsroom: synthetic news of our own, seeded and of any size.

    from cloze.newsroom import stories

    for story, gold in stories(seed=1, count=1000):
        story.article, story.highlights         # cased text, as a source would yield it
        gold.article[0], gold.names             # where the names stand and who is meant

``python -m cloze.newsroom`` prints a few to read.
"""

from cloze.newsroom.generator import stories, write_story
from cloze.newsroom.gold import Gold, Mention

__all__ = ["Gold", "Mention", "stories", "write_story"]

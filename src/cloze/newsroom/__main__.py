"""Print a few stories to read: ``python -m cloze.newsroom --stories 3 --seed 1``."""

import argparse
import textwrap

from cloze.newsroom import stories

parser = argparse.ArgumentParser(prog="python -m cloze.newsroom", description=__doc__)
parser.add_argument("--stories", type=int, default=3, help="how many")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--start", type=int, default=0, help="index of the first")
arguments = parser.parse_args()
for story, gold in stories(arguments.seed, arguments.stories, arguments.start):
    print(f"{story.url}  {story.date}  {len(gold.names)} entities\n")
    for paragraph in story.article.split("\n\n"):
        print(textwrap.fill(paragraph, 90), end="\n\n")
    for highlight in story.highlights:
        print(f"  * {highlight}")
    print("\n" + "-" * 90 + "\n")

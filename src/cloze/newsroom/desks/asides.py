"""Asides: sentences about anyone and anything, which no highlight repeats."""

TEXT = """
# report
paper = newspaper
- The news was first reported by {paper}.
- {paper} was the first to write about it.
- Details appeared in {paper} on its front page.

# passer-by
local = new person, *
place = city
- "People here talk about nothing else," said {local}, who lives in {place}.
- {local.plain}, a {local.job} from {place}, said nobody had expected it.
- "I could not believe my ears," said {local}.

# silence
aide = new person
body = newspaper
- {aide}, a spokes{aide.man}, declined to comment when asked by {body}.
- A spokes{aide.man}, {aide}, refused to say more.

# expert
expert = new person, analyst
school = university
- {expert} of {school} said such things were becoming more common.
- "We will see more of this," said {expert}, who teaches at {school}.
"""

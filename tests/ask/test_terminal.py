import numpy as np

from cloze.ask.terminal import most_looked_at
from cloze.text import Text


def test_what_was_looked_at_is_words() -> None:
    words = ["She", "left", ",", "in", "1999", "."]
    text = Text(words, words, [1] * 6)
    shown = most_looked_at(text, np.array([0.1, 0.2, 0.3, 0.05, 0.15, 0.2]), how_many=3)
    assert str(shown) == "Looked at most: left 20.0 %, 1999 15.0 %, She 10.0 %"

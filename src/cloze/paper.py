"""Table 5 of the paper: which rows it has, in which order, and what accuracy it found."""

import re

# row -> corpus -> (valid, test), in percent
TABLE_5: dict[str, dict[str, tuple[float, float]]] = {
    "Maximum frequency": {"cnn": (30.5, 33.2), "dailymail": (25.6, 25.5)},
    "Exclusive frequency": {"cnn": (36.6, 39.3), "dailymail": (32.7, 32.8)},
    "Frame-semantic model": {"cnn": (36.3, 40.2), "dailymail": (35.5, 35.5)},
    "Word distance model": {"cnn": (50.5, 50.9), "dailymail": (56.4, 55.5)},
    "Deep LSTM Reader": {"cnn": (55.0, 57.0), "dailymail": (63.3, 62.2)},
    "Uniform Reader": {"cnn": (39.0, 39.4), "dailymail": (34.6, 34.4)},
    "Attentive Reader": {"cnn": (61.6, 63.0), "dailymail": (70.5, 69.0)},
    "Impatient Reader": {"cnn": (61.8, 63.8), "dailymail": (69.0, 68.0)},
}
CORPORA = {"cnn": "CNN", "dailymail": "Daily Mail"}


def row_of(model: str) -> str | None:
    """The row of Table 5 that a model's name refers to, however it is spelt.

    >>> row_of("word_distance"), row_of("Deep LSTM Reader"), row_of("random")
    ('Word distance model', 'Deep LSTM Reader', None)
    """
    model = re.sub(r" \(.*\)$", "", model)  # without the suffix that tells two of a kind apart
    return next((row for row in TABLE_5 if _bare(row) == _bare(model)), None)


def corpus_of(name: str) -> str | None:
    """The paper's corpus that a corpus's name refers to.

    >>> corpus_of("CNN"), corpus_of("Daily Mail"), corpus_of("newsroom")
    ('cnn', 'dailymail', None)
    """
    bare = re.sub(r"[^a-z]", "", name.lower())
    return bare if bare in CORPORA else None


def corpus_title(corpus: str) -> str:
    """A corpus's name as people write it.

    >>> corpus_title("cnn"), corpus_title("newsroom")
    ('CNN', 'newsroom')
    """
    return CORPORA.get(corpus_of(corpus) or "", corpus)


def accuracy(model: str, corpus: str, split: str) -> float | None:
    """What the paper found, in percent, if its table has such a cell."""
    row, column = row_of(model), corpus_of(corpus)
    if row is None or column is None or split not in ("valid", "test"):
        return None
    return TABLE_5[row][column][split == "test"]


def place_in_table(model: str, kind: str) -> tuple[int, int, str]:
    """A sort key: baselines before readers, the paper's rows in its order, others after them."""
    row = row_of(model)
    rows = list(TABLE_5)
    return kind != "baseline", rows.index(row) if row else len(rows), model


def _bare(name: str) -> str:
    letters = re.sub(r"[^a-z]", "", name.lower())
    return re.sub(r"(model|reader|benchmark|baseline)$", "", letters)

"""Which words of a text a reader does not know: it reads all of them as one and the same word."""

import numpy as np

from cloze.readers.encoder import Encoder
from cloze.text import A_WORD, Text


def unknown_words(vocabulary: Encoder, text: Text) -> list[int]:
    """The positions of the words that the vocabulary lacks, wholly or in part."""
    words = sorted({t for t, m in zip(text.tokens, text.markers, strict=True) if m == A_WORD})
    ids, lengths = vocabulary.ids(words)
    is_unknown = np.isin(ids, list(vocabulary.unknown_ids))
    begins = np.cumsum(lengths) - lengths
    lacking = np.logical_or.reduceat(is_unknown, begins) if len(words) else is_unknown
    unknown = {word for word, lacks in zip(words, lacking.tolist(), strict=True) if lacks}
    return [k for k, token in enumerate(text.tokens) if token in unknown]

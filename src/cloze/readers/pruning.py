"""Make a trained reader small enough to pass on, by keeping fewer words.

Most rows of a reader's embeddings and of its softmax belong to words that were seen a handful of
times. Pruning keeps the most frequent words; every other word is then read as the unknown word,
whose embedding becomes the mean of theirs, each counted as often as it was seen.
"""

import torch

from cloze.errors import UserError
from cloze.readers.reader import Reader
from cloze.readers.registry import blank
from cloze.readers.vocabulary import UNKNOWN, Vocabulary


@torch.no_grad()
def prune(reader: Reader, words: int, *, names_only: bool = False) -> Reader:
    """The same reader with only its `words` most frequent words and all of its markers.

    A reader with no more words than that keeps them all. names_only: from now on the softmax runs
    only over the document's entities, so no word needs a row in it.
    """
    old = reader.vocabulary
    if not isinstance(old, Vocabulary):
        raise UserError(f"this reader knows {old.described}, not words; it cannot be pruned")
    if names_only:
        config = reader.config.model_copy(update={"output": "candidates"})
        network = blank(config, len(old))
        network.load_state_dict(reader.network.state_dict())
        network.to(reader.device)
        reader = Reader(config, old, network, about=reader.about)
    if words >= len(old.words):
        return reader
    counts = dict(zip(old.words, old.counts, strict=True))
    new = Vocabulary(counts, old.pool, maximum_words=words)
    network = blank(reader.config, len(new))
    kept = dict(reader.network.named_parameters())
    for name, weight in network.named_parameters():
        # Ids are ordered by count, words last: the rows to keep are the first ones.
        weight.copy_(kept[name][: len(weight)] if weight.ndim else kept[name])
    share = torch.tensor(old.counts[words:], device=reader.device, dtype=torch.float32)
    for before, after in zip(reader.network.read_rows(), network.read_rows(), strict=True):
        after[UNKNOWN] = (share / share.sum()) @ before[len(new) :].float()
    about = reader.about | {"pruned": f"to its {words:,} most frequent words"}
    return Reader(reader.config, new, network.to(reader.device), about=about)

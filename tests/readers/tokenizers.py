"""Small tokenizers of the usual kinds, learnt from a few words, for the tests of word pieces."""

from pathlib import Path
from typing import Any

import pytest

WORDS = ["the train met a prize", "bought the lamp boat coat drum fork gate harp", "today naïve"]
SORTS = ("wordpiece", "bytes", "unigram")


def tokenizer_file(path: Path, sort: str = "wordpiece") -> Path:
    """Write a tokenizer.json that cuts most words into several pieces."""
    tokenizers: Any = pytest.importorskip("tokenizers")
    models, trainers = tokenizers.models, tokenizers.trainers
    before = tokenizers.pre_tokenizers
    if sort == "wordpiece":
        made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = tokenizers.normalizers.BertNormalizer()
        made.pre_tokenizer = before.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(
            vocab_size=60, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
        )
        made.enable_truncation(2)  # as in many published files; it must not cut a word short
    elif sort == "bytes":
        made = tokenizers.Tokenizer(models.BPE())
        made.pre_tokenizer = before.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=280, initial_alphabet=before.ByteLevel.alphabet(), show_progress=False
        )
    else:
        made = tokenizers.Tokenizer(models.Unigram())
        made.pre_tokenizer = before.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=40, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
        )
    made.train_from_iterator(WORDS, trainer)
    if sort == "wordpiece":
        made.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    made.save(str(path))
    return path

from pathlib import Path

import pytest
import torch

from cloze.errors import UserError
from cloze.readers.reader import Reader
from cloze.readers.registry import build
from cloze.readers.vocabulary import Vocabulary
from cloze.training.start import start_from
from tests.readers.cases import reader_config

WORDS = Vocabulary({"the": 9, "train": 5, "met": 4}, pool=4)


def test_the_impatient_reader_takes_over_what_it_shares(tmp_path: Path) -> None:
    attentive = Reader(reader_config(hidden_size=4), WORDS, seed=1)
    attentive.save_pretrained(tmp_path / "a")
    config = reader_config(kind="impatient", hidden_size=4)
    impatient = build(config, len(WORDS), seed=2)
    taken = start_from(tmp_path / "a", impatient, WORDS)
    theirs, own = dict(attentive.network.named_parameters()), dict(impatient.named_parameters())
    assert set(own) - set(taken) == {"r_0", "W_rm.weight", "W_rr.weight"}
    for name, source in (("W_dm.weight", "W_ym.weight"), ("embedding.weight", "embedding.weight")):
        torch.testing.assert_close(own[name], theirs[source])


def test_another_vocabulary_is_refused(tmp_path: Path) -> None:
    Reader(reader_config(hidden_size=4), WORDS).save_pretrained(tmp_path / "a")
    other = Vocabulary({"a": 3}, pool=4)
    network = build(reader_config(hidden_size=4), len(other), seed=2)
    with pytest.raises(UserError, match="vocabulary is not that of the data"):
        start_from(tmp_path / "a", network, other)


def test_nothing_that_fits_is_refused(tmp_path: Path) -> None:
    Reader(reader_config(hidden_size=4), WORDS).save_pretrained(tmp_path / "a")
    network = build(reader_config(hidden_size=6), len(WORDS), seed=2)
    with pytest.raises(UserError, match="no weight of this model fits"):
        start_from(tmp_path / "a", network, WORDS)

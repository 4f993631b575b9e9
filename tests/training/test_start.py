from pathlib import Path

import pytest
import torch

from cloze.config import load
from cloze.errors import UserError
from cloze.readers.pieces import Pieces
from cloze.readers.reader import Reader
from cloze.readers.registry import build, config_of
from cloze.readers.saving import reader_settings
from cloze.readers.shipped_models import model_at
from cloze.readers.vocabulary import Vocabulary
from cloze.shipped_configs import find_config
from cloze.training.settings import TrainSettings
from cloze.training.start import start_from
from tests.readers.cases import reader_config
from tests.readers.tokenizers import tokenizer_file

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


def test_without_a_kind_the_settings_and_pieces_are_those_of_the_start(tmp_path: Path) -> None:
    pieces = Pieces.of_tokenizer(tokenizer_file(tmp_path / "tokenizer.json"), pool=4)
    before = config_of({"kind": "encoder", "layers": 1, "hidden_size": 8, "heads": 2})
    Reader(before, pieces).save_pretrained(tmp_path / "a")
    given = ["corpus=c", f"start_from={tmp_path / 'a'}", "reader.dropout=0.3"]
    settings = load(TrainSettings, None, given)
    assert settings.reader == before.model_copy(update={"dropout": 0.3})
    assert settings.vocabulary.tokenizer == tmp_path / "a"


def test_a_kind_that_is_given_has_its_own_settings(tmp_path: Path) -> None:
    Reader(reader_config(hidden_size=4), WORDS).save_pretrained(tmp_path / "a")
    given = [f"start_from={tmp_path / 'a'}", "reader.kind=impatient", "reader.hidden_size=6"]
    settings = load(TrainSettings, None, given)
    assert settings.reader == config_of({"kind": "impatient", "hidden_size": 6})


def test_a_start_that_does_not_exist_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"1 error in the config: .*no such model folder") as error:
        load(TrainSettings, None, [f"start_from={tmp_path / 'none'}"])
    assert "\n" not in str(error.value)


def test_a_reader_that_ships_is_a_start_by_its_name() -> None:
    settings = load(TrainSettings, find_config("own/encoder"), ["corpus=mine"])
    assert settings.start_from == Path("small")
    assert settings.reader == config_of(reader_settings(model_at(Path("small"))))

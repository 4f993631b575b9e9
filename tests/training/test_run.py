"""Whole runs through the command: what they leave behind, and how bad input is reported."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from cloze.answering import answers
from cloze.cli.main import main
from cloze.readers.reader import Reader
from cloze.training.journal import read_metrics
from tests.training.corpora import write_corpus, write_encoded

CONFIG = """
reader: {kind: uniform, hidden_size: 4, embedding_size: 4}
batches: {size: 16}
run: {steps: 4, validate_every: 2, checkpoint_every: 2, log_every: 2, device: cpu}
"""
Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Command:
    """Runs `cloze train` with the config above; returns its exit code and output."""
    config = tmp_path / "config.yaml"
    config.write_text(CONFIG)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, verb: str = "train") -> tuple[int, str]:
        head = [verb] if verb != "train" else [verb, str(config)]
        monkeypatch.setattr(sys, "argv", ["cloze", *head, *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capfd.readouterr()
        return int(end.value.code or 0), out + err

    return run


def test_from_a_corpus_to_a_model_that_answers(tmp_path: Path, command: Command) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    code, said = command("corpus=corpus", "out=run", "batches.curriculum=[{steps: 1, tokens: 40}]")
    assert code == 0, said
    assert "cloze evaluate run/model corpus --split test" in said
    assert "data wait" in said
    reader = Reader.from_pretrained(tmp_path / "run" / "model")
    for document, questions in list(corpus.read("valid"))[:2]:
        assert reader.answer_one(document, questions[0]).answer in document.candidates()
    card = (tmp_path / "run" / "model" / "README.md").read_text()
    assert "curves.png" in card
    assert (tmp_path / "run" / "model" / "curves.png").read_bytes().startswith(b"\x89PNG")
    lines = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert [line["step"] for line in lines] == [2, 2, 4, 4]
    assert {"loss", "learning_rate", "questions_per_second", "data_wait_share"} <= lines[0].keys()
    assert {"valid_accuracy", "valid_loss", "best_accuracy"} <= lines[1].keys()


def test_the_accuracy_is_that_of_the_reader_saved(
    tmp_path: Path, encoded: Path, command: Command
) -> None:
    code, _ = command(f"encoded={encoded}", "out=run", "reader.output=candidates")
    assert code == 0
    about = json.loads((tmp_path / "run" / "model" / "config.json").read_text())["about"]
    reader = Reader.from_pretrained(tmp_path / "run" / "model")
    points = list(write_corpus(tmp_path / "again").read("valid"))
    right = [
        ranking.answer == question.answer
        for _, questions, rankings in answers(reader, points, seed=1)
        for question, ranking in zip(questions, rankings, strict=True)
    ]
    assert about["valid accuracy"] == pytest.approx(sum(right) / len(right), abs=1e-4)
    # How it learnt, for the report: its best validation is the model.
    assert max(share for _, share in about["validations"]) == about["valid accuracy"]
    assert "validations" not in (tmp_path / "run" / "model" / "README.md").read_text()


def test_tensorboard_by_option(tmp_path: Path, encoded: Path, command: Command) -> None:
    assert command(f"encoded={encoded}", "out=run", "run.tensorboard=true")[0] == 0
    assert list((tmp_path / "run" / "tensorboard").glob("events*"))


def test_a_validation_before_the_first_line_of_the_log_has_a_speed(
    encoded: Path, command: Command
) -> None:
    code, said = command(f"encoded={encoded}", "out=run", "run.log_every=50")
    assert code == 0, said
    assert said.count("questions/s") == 2
    assert "no speed yet" not in said


def test_the_end_by_patience_and_by_time(encoded: Path, command: Command) -> None:
    code, said = command(f"encoded={encoded}", "out=a", "run.steps=null", "run.patience=2")
    assert code == 0
    assert "no better accuracy in 2 validations" in said
    code, said = command(f"encoded={encoded}", "out=b", "run.steps=null", "run.minutes=0.001")
    assert code == 0
    assert "0.001 minutes are over" in said


def test_a_longer_run_goes_on_from_a_finished_one(encoded: Path, command: Command) -> None:
    assert command(f"encoded={encoded}", "out=run")[0] == 0
    code, said = command(f"encoded={encoded}", "out=run", "run.steps=6", "--resume")
    assert code == 0
    assert "continuing from step 4" in said
    assert "all 6 steps done" in said


def test_without_resume_a_run_is_not_overwritten(encoded: Path, command: Command) -> None:
    assert command(f"encoded={encoded}", "out=run")[0] == 0
    code, said = command(f"encoded={encoded}", "out=run")
    assert (code, "already holds a run; give --resume" in said) == (2, True)


def test_a_changed_config_is_refused_by_its_keys(encoded: Path, command: Command) -> None:
    assert command(f"encoded={encoded}", "out=run")[0] == 0
    changes = ("reader.dropout=0.3", "run.seed=9", "run.log_every=1", "batches.size=8")
    code, said = command(f"encoded={encoded}", "out=run", *changes, "--resume")
    assert code == 2
    assert "batches.size, reader.dropout, run.seed differ" in said
    assert "log_every" not in said


def test_a_checkpoint_of_another_vocabulary_or_split_is_refused(
    tmp_path: Path, encoded: Path, command: Command
) -> None:
    assert command(f"encoded={encoded}", "out=run")[0] == 0
    code, said = command(f"encoded={write_encoded(tmp_path / 'words', 5)}", "out=run", "--resume")
    assert (code, "made with another vocabulary" in said) == (2, True)
    same_words = write_encoded(tmp_path / "split", 40)
    meta = same_words / "train" / "meta.json"
    meta.write_text(meta.read_text().replace('"corpus_fingerprint": "', '"corpus_fingerprint": "x'))
    code, said = command(f"encoded={same_words}", "out=run", "--resume")
    assert (code, "made with another training split" in said) == (2, True)


def test_a_truncated_checkpoint_is_refused(tmp_path: Path, encoded: Path, command: Command) -> None:
    assert command(f"encoded={encoded}", "out=run")[0] == 0
    weights = tmp_path / "run/checkpoints/step-00000004/weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    code, said = command(f"encoded={encoded}", "out=run", "run.steps=6", "--resume")
    assert (code, "(truncated); delete step-00000004" in said) == (2, True)


def test_bad_input_is_one_clear_line(tmp_path: Path, encoded: Path, command: Command) -> None:
    write_corpus(tmp_path / "corpus")
    for arguments, expected in (
        ((), "nothing to train on; give corpus=FOLDER"),
        (("corpus=nowhere",), "no such corpus folder"),
        (("encoded=nowhere",), "no such folder of encoded splits; make it: cloze encode"),
        (("corpus=corpus", "valid=dev"), "there is no split 'dev'; it has train, valid"),
        ((f"encoded={encoded}", "train=dev"), "there is no split 'dev'; it has train, valid"),
        ((f"encoded={encoded}", "run.device=gpu"), "there is no device 'gpu'; give auto, cpu"),
        ((f"encoded={encoded}", "optimiser.schedule=linear", "run.steps=null"), "give run.steps"),
    ):
        code, said = command(*arguments)
        assert code == 2, said
        assert expected in said
        assert "Traceback" not in said


def test_five_errors_are_listed_at_once(command: Command) -> None:
    code, said = command(
        "reader.joint_size=0",
        "reader.hiden_size=8",
        "optimiser.momentum=1.5",
        "run.steps=-1",
        "batches.size=many",
    )
    assert code == 2
    assert "5 errors in the config" in said
    for part in (
        "reader.joint_size",
        "did you mean 'reader.hidden_size'?",
        "momentum",
        "steps",
        "size",
    ):
        assert part in said


def test_an_unknown_kind_of_reader_is_told(command: Command) -> None:
    code, said = command("reader.kind=transformer", "run.steps=-1", "run.step=1")
    assert code == 2
    assert "no kind of reader called 'transformer', only attent" in said
    assert "cloze --import MODULE" in said
    assert "'run.steps'" in said
    assert "did you mean 'run.steps'?" in said


def test_a_loss_that_is_no_number_stops_the_run(
    tmp_path: Path, encoded: Path, command: Command
) -> None:
    code, said = command(
        f"encoded={encoded}", "out=run", "run.steps=10", "optimiser.learning_rate=1e38"
    )
    assert code == 2
    assert "not a number at step" in said
    assert "d3" in said  # the questions of the batch, by their ids
    assert not (tmp_path / "run" / "model").exists()


def test_encode_keeps_what_is_there_and_refuses_to_mix(tmp_path: Path, command: Command) -> None:
    write_corpus(tmp_path / "corpus")
    write_corpus(tmp_path / "other", seed=5)
    assert command("corpus", "out", verb="encode")[0] == 0
    before = (tmp_path / "out/train/question_keys.npy").stat().st_mtime_ns
    code, said = command("corpus", "out", verb="encode")
    assert (code, "train, valid" in said) == (0, True)
    assert (tmp_path / "out/train/question_keys.npy").stat().st_mtime_ns == before
    code, said = command("other", "out", verb="encode")
    assert (code, "encoded from something else (fingerprint differ)" in said) == (2, True)


def test_torch_is_left_as_it_was(encoded: Path, command: Command) -> None:
    state = torch.get_rng_state()
    assert command(f"encoded={encoded}", "out=run")[0] == 0
    assert torch.equal(state, torch.get_rng_state())

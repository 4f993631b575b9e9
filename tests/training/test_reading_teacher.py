"""A teacher that reads beside its pupil: the loss, who learns, what it sees, and what is refused."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cloze.confidence import Confidence, Level
from cloze.config import check
from cloze.errors import UserError
from cloze.readers.batch import Batch, collate
from cloze.readers.network import Network
from cloze.readers.packed import Packed
from cloze.readers.reader import Reader
from cloze.readers.registry import config_of
from cloze.readers.saving import hash_of_weights
from cloze.readers.vocabulary import Vocabulary
from cloze.training.batches import TrainingBatches
from cloze.training.checkpoints import Checkpoints, read
from cloze.training.data import open_encoded
from cloze.training.journal import read_metrics
from cloze.training.noise import Noise
from cloze.training.objective import Objective
from cloze.training.order import Order
from cloze.training.reading_teacher import ReadingTeacher
from cloze.training.settings import NoiseSettings, TeacherSettings, TrainSettings
from cloze.training.trainer import train
from tests.readers.cases import Example, batch_of, network_of
from tests.readers.test_packed import dense_attention
from tests.training.test_workers import tensors

ENCODER = {"kind": "encoder", "hidden_size": 16, "heads": 2, "relative_buckets": 8, "dropout": 0.0}
EXAMPLES = [
    Example([4, 19, 5, 20, 4], [2, 20], 4),
    Example([6, 19, 7, 19, 19, 6, 19], [19, 2, 21], 7),
    Example([30, 31], [2, 30], 0),  # nobody is mentioned
]
LONG = Example([4, 11, 5, 12] * 14, [2, 12, 13], 5)  # read in windows of 32


def encoder(layers: int, seed: int, **more: Any) -> Network:
    return network_of(config_of({**ENCODER, "layers": layers, **more}), seed=seed)


def taught(teacher: Network, **settings: Any) -> ReadingTeacher:
    given = TeacherSettings(reader=Path("teacher"), **settings)
    return ReadingTeacher(teacher.requires_grad_(False), given, temperature=1.5)


def value_of(
    pupil: Network, teacher: ReadingTeacher | None, batch: Batch, wrong: Any = None
) -> torch.Tensor:
    """As a step has it."""
    objective = Objective(config_of(ENCODER), teacher)
    seen = objective.watch()
    logits, _ = pupil(batch, None, seen)
    return objective(logits, batch, np.arange(len(batch)), wrong, seen)


def layers_of(network: Network, batch: Batch) -> tuple[np.ndarray, list[np.ndarray]]:
    """A network's logits, and what each layer makes of padded texts."""
    found: list[np.ndarray] = []
    hooks = [
        layer.register_forward_hook(lambda _, inputs, out: found.append(out.detach().numpy()))
        for layer in network.body.layers
    ]
    network.all_states(batch)
    for hook in hooks:
        hook.remove()
    logits, _ = network(batch)
    return logits.detach().numpy(), found


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.exp(x - x.max()).sum()) - x.max()


def test_the_loss_is_that_of_the_equation() -> None:
    """In NumPy, question by question; there is one sign before the question and one after."""
    pupil, teacher, batch = encoder(2, 1), encoder(3, 2), batch_of(EXAMPLES)
    found = value_of(pupil, taught(teacher, weight=0.7, states=0.3, layers=[[0, 1]]), batch)
    (own, mine), (its, theirs) = layers_of(pupil, batch), layers_of(teacher, batch)
    losses = []
    for k, example in enumerate(EXAMPLES[:2]):  # of the third nothing is known
        p, said = (log_softmax(x[k, :2]) for x in (own, its / 1.5))
        soft = -(np.exp(said) * p).sum()
        q, d = len(example.query), len(example.document)
        gap, article = 1 + example.query.index(2), 2 + q
        places = [gap] + [article + t for t, token in enumerate(example.document) if token < 10]
        distances = []
        for a, b, where in ((1, 2, places), (0, 1, range(article + d + 1))):
            x, y = mine[a][k, list(where)], theirs[b][k, list(where)]
            distances.append(((x - y) ** 2).mean() / ((y - y.mean(0)) ** 2).mean())
        answer = example.candidates.index(example.answer)
        losses.append(0.3 * -p[answer] + 0.7 * soft + 0.3 * np.mean(distances))
    assert found.item() == pytest.approx(np.mean(losses), rel=1e-9)


def test_only_the_pupil_learns() -> None:
    pupil, teacher, batch = encoder(3, 1), encoder(2, 2), batch_of(EXAMPLES)
    value = value_of(pupil, taught(teacher, states=1.0, layers=[[1, 0]]), batch)
    value.backward()  # type: ignore[no-untyped-call]
    assert all(w.grad is None for w in teacher.parameters())
    learnt = [w for w in pupil.parameters() if w.requires_grad]
    assert all(w.grad is not None and w.grad.isfinite().all() for w in learnt)
    without = encoder(3, 1)
    value_of(without, taught(teacher), batch).backward()  # type: ignore[no-untyped-call]
    assert not torch.equal(
        pupil.body.layers[0].up.weight.grad, without.body.layers[0].up.weight.grad
    )


def test_whoever_is_its_own_teacher_has_nothing_to_learn() -> None:
    """No distance, also where an article is read in windows; what is left is the entropy."""
    pupil, batch = encoder(3, 1, positions=32), batch_of([*EXAMPLES[:2], LONG])
    teacher = replace(taught(encoder(3, 1, positions=32), weight=1.0), temperature=1.0)
    compared = replace(
        teacher, settings=teacher.settings.model_copy(update={"states": 9.0, "layers": ((0, 0),)})
    )
    p = torch.softmax(pupil(batch)[0], 1)
    entropy = -torch.special.xlogy(p, p).sum(1).mean()
    assert value_of(pupil, teacher, batch).item() == pytest.approx(entropy.item(), rel=1e-12)
    assert value_of(pupil, compared, batch).item() == value_of(pupil, teacher, batch).item()


def test_of_a_wrong_article_the_teacher_says_nothing() -> None:
    pupil, batch = encoder(2, 1), batch_of(EXAMPLES)
    teacher = taught(encoder(2, 2), states=1.0, layers=[[0, 0]])
    every = np.array([True, True, True])
    found, without = (value_of(pupil, t, batch, every) for t in (teacher, None))
    assert found.item() == without.item()
    found.backward()  # type: ignore[no-untyped-call]
    assert all(w.grad.isfinite().all() for w in pupil.parameters() if w.grad is not None)


def test_the_teacher_reads_questions_in_their_own_words(encoded: Path) -> None:
    data = open_encoded(encoded)
    split, draw = data.train, partial(collate, seed=3, pool=data.vocabulary.pool)
    order = Order(split.document_lengths, split.document_lengths, batch=20, seed=3)

    def batch(unchanged: bool = True, **noise: float) -> Batch:
        settings = NoiseSettings(wrong_articles=0.3, lost_words=1.0, **noise)
        made = Noise.of(settings, 3, data.vocabulary)
        return TrainingBatches(split, order, draw, noise=made, unchanged=unchanged).plan(2)()

    harder, plain = batch(poorer_questions=1.0), batch()
    assert plain.unchanged is None
    assert batch(unchanged=False, poorer_questions=1.0).unchanged is None
    assert not torch.equal(harder.question, plain.question)
    assert torch.equal(harder.document, plain.document)
    assert torch.equal(harder.as_it_was().question, plain.question)
    asked: list[torch.Tensor] = []
    teacher = encoder(1, 2)
    teacher.register_forward_pre_hook(lambda _, given: asked.append(given[0].question))
    logits = torch.zeros(harder.candidates.shape)
    taught(teacher).losses(torch.zeros(len(harder)), logits, harder.to("cpu"), np.arange(20))
    assert torch.equal(asked[0], plain.question)


@pytest.mark.parametrize("position", [64, 32])
def test_texts_laid_end_to_end_have_the_losses_of_padded_ones(
    monkeypatch: pytest.MonkeyPatch, position: int
) -> None:
    batch = batch_of([*EXAMPLES, LONG])
    teacher = taught(encoder(3, 2, positions=position), states=0.5, layers=[[0, 1], [0, 0]])

    def found() -> list[torch.Tensor]:
        pupil = encoder(2, 1, positions=position)
        value = value_of(pupil, teacher, batch)
        value.backward()  # type: ignore[no-untyped-call]
        gradients = [w.grad for w in pupil.parameters() if w.grad is not None]
        return [value.detach(), *gradients]

    padded = found()
    monkeypatch.setattr("cloze.readers.transformer.runs_on", lambda device: True)
    monkeypatch.setattr("cloze.readers.transformer.compiled", lambda function: function)
    monkeypatch.setattr("cloze.readers.transformer.attention", dense_attention)
    monkeypatch.setattr("cloze.readers.transformer.Packed", partial(Packed, least=256))
    torch.testing.assert_close(found(), padded)


SMALL = {"kind": "encoder", "layers": 2, "hidden_size": 8, "heads": 2, "positions": 64}


def settings_of(encoded: Path, out: Path, **more: Any) -> TrainSettings:
    run = {"steps": 4, "validate_every": 2, "checkpoint_every": 2, "log_every": 1, "device": "cpu"}
    values = {
        "encoded": encoded,
        "out": out,
        "reader": {**SMALL, **more.pop("reader", {})},
        "batches": {"size": 15, **more.pop("batches", {})},
        "teacher": more.pop("teacher", {}),
        "noise": {"wrong_articles": 0.2, "poorer_questions": 0.5} | more.pop("noise", {}),
        "run": {**run, **more},
    }
    return check(TrainSettings, values)


@pytest.fixture(scope="module")
def larger(encoded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("larger") / "run"
    return train(settings_of(encoded, folder, reader={"layers": 3})).model


def compared(teacher: Path) -> dict[str, Any]:
    return {"reader": str(teacher), "states": 0.5, "layers": [[0, 1]]}


def test_a_run_with_a_teacher_goes_on_where_it_stood(
    encoded: Path, larger: Path, tmp_path: Path
) -> None:
    more = {"teacher": compared(larger), "bits": 4, "bits_after": 0.5}
    train(settings_of(encoded, tmp_path / "through", **more))
    train(settings_of(encoded, tmp_path / "twice", **more, keep=9))
    shutil.rmtree(Checkpoints(tmp_path / "twice").saved()[-1])
    train(settings_of(encoded, tmp_path / "twice", **more, recompute=True), resume=True)
    assert tensors(tmp_path / "twice") == tensors(tmp_path / "through")
    checkpoint = read(Checkpoints(tmp_path / "through").saved()[-1])
    assert checkpoint.state["teacher_sha256"] == hash_of_weights(larger)
    alone = set(Reader.from_pretrained(tmp_path / "through" / "model").network.state_dict())
    assert set(checkpoint.weights) == alone
    card = (tmp_path / "through" / "model" / "README.md").read_text(encoding="utf-8")
    assert f"{larger}, sha256 of its weights {hash_of_weights(larger)}" in card


def test_workers_and_parts_of_a_batch_learn_the_same(
    encoded: Path, larger: Path, tmp_path: Path
) -> None:
    more = {"teacher": compared(larger), "reader": {"dropout": 0.0}, "noise": {"wrong_articles": 0}}
    train(settings_of(encoded, tmp_path / "one", **more))
    train(settings_of(encoded, tmp_path / "worker", **more, workers=1))
    train(settings_of(encoded, tmp_path / "parts", **more, batches={"accumulate": 4}))
    assert tensors(tmp_path / "worker") == tensors(tmp_path / "one")
    one, parts = (
        [line["loss"] for line in read_metrics(tmp_path / n / "metrics.jsonl") if "loss" in line]
        for n in ("one", "parts")
    )
    assert parts == pytest.approx(one, rel=1e-4)


def test_another_teacher_is_refused_when_a_run_goes_on(
    encoded: Path, larger: Path, tmp_path: Path
) -> None:
    teacher = Path(shutil.copytree(larger, tmp_path / "teacher"))
    more = {"teacher": compared(teacher)}
    out = tmp_path / "run"
    train(settings_of(encoded, out, **more, steps=2))
    with pytest.raises(UserError, match=r"another config: teacher\.reader differ"):
        train(settings_of(encoded, out, teacher=compared(larger)), resume=True)
    levels = [Level(least=0.0, answers=1, right=1)]
    measured = {"corpus": "x", "split": "valid", "questions": 1, "error": 0.0}
    sure = Confidence(**measured, temperature=2.0, levels=levels)
    Reader.from_pretrained(teacher).calibrate(sure)
    with pytest.raises(UserError, match=r"made with another teacher.*teacher\.reader"):
        train(settings_of(encoded, out, **more), resume=True)
    shutil.rmtree(teacher)
    train(settings_of(encoded, tmp_path / "other", reader={"layers": 3}, seed=2, steps=1))
    shutil.copytree(tmp_path / "other" / "model", teacher)
    with pytest.raises(UserError, match=r"made with another teacher.*teacher\.reader"):
        train(settings_of(encoded, out, **more), resume=True)


def test_what_cannot_teach_is_refused(encoded: Path, larger: Path, tmp_path: Path) -> None:
    own, states = {"reader": str(larger)}, compared(larger)
    words = Reader.from_pretrained(larger)
    Reader(words.config, Vocabulary({"lamp": 1}, 9)).save_pretrained(tmp_path / "pieces")
    other = config_of({"kind": "attention-sum", "hidden_size": 4})
    Reader(other, words.vocabulary).save_pretrained(tmp_path / "recurrent")
    for more, message in (
        ({"teacher": {**own, "answers": "x.npz"}}, "'teacher': give answers or reader, not both"),
        ({"teacher": {"states": 1}}, r"'teacher': only a reader has states"),
        (
            {"teacher": {**own, "layers": [[0, 0]]}},
            "'teacher': layers are compared with the weight",
        ),
        ({"teacher": {"reader": str(tmp_path / "none")}}, "none"),
        (
            {"teacher": {"reader": str(tmp_path / "pieces")}},
            "word pieces are not those of the data",
        ),
        ({"teacher": {"reader": str(tmp_path / "recurrent")}}, "this is the Attention Sum Reader"),
        ({"teacher": own, "reader": {"markers": "pool"}}, r"set reader\.markers=document"),
        (
            {"teacher": states, "reader": {"hidden_size": 16}},
            r"hidden_size: the teacher has 8, the pupil 16",
        ),
        ({"teacher": states, "reader": {"separators": 2}}, r"same reader\.separators"),
        (
            {"teacher": states, "reader": {"layers": 1}},
            "the pupil has no inner layer 0: it has 1 layer",
        ),
        ({"teacher": {**states, "layers": [[0, 2]]}}, "the teacher has no inner layer 2"),
    ):
        with pytest.raises(UserError, match=message) as refused:
            train(settings_of(encoded, tmp_path / "run", **more))
        assert "\n" not in str(refused.value)
    with pytest.raises(UserError, match="is the input"):
        train(settings_of(encoded, larger.parent, teacher=own))


def test_the_states_of_a_teacher_of_another_size_are_not_needed_for_its_answers(
    encoded: Path, larger: Path, tmp_path: Path
) -> None:
    reader = {"hidden_size": 16, "positions": 128}
    result = train(
        settings_of(encoded, tmp_path / "run", reader=reader, teacher={"reader": larger})
    )
    assert result.step == 4

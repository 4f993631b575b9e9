"""First weights, dropout and config: pure functions of their input, which is checked."""

import json

import numpy as np
import pytest
import torch

from cloze.errors import UserError
from cloze.readers.layers import dropout, kept_units, noise
from cloze.readers.network import loss
from cloze.readers.registry import build, config_of
from tests.readers.cases import KINDS, Example, batch_of, example, reader_config

SIZE = 40


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_a_function_of_the_seed(kind: str) -> None:
    config = reader_config(kind=kind, hidden_size=6)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    a, b, c = (build(config, SIZE, seed=seed).state_dict() for seed in (3, 3, 4))
    assert torch.equal(before, torch.get_rng_state())  # the global generator is left untouched
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert any(not torch.equal(a[name], c[name]) for name in a)
    assert all(weight.isfinite().all() for weight in a.values())


def test_choices_of_first_weights() -> None:
    config = reader_config(
        hidden_size=8, embedding_scale=0.3, output_scale=0.02, forget_bias=1.5, weight_scale=0.05
    )
    w = dict(build(config, 400, seed=0).named_parameters())
    assert 0.29 < w["embedding.weight"].abs().max() <= 0.3
    assert 0.019 < w["answer.weight"].abs().max() <= 0.02
    assert w["W_rg.weight"].abs().max() <= 0.05
    bias = w["document_encoder.lstm.bias"].view(2, 4, 8)
    assert (bias[:, 1] == 1.5).all()
    assert not bias[:, [0, 2, 3]].any()
    for block in w["query_encoder.lstm.recurrent"].view(-1, 8, 8):
        torch.testing.assert_close(block @ block.T, torch.eye(8), atol=1e-5, rtol=0)
    normal = reader_config(hidden_size=8, embedding_init="normal", embedding_scale=0.3)
    drawn = dict(build(normal, 4000, seed=0).named_parameters())["embedding.weight"]
    assert drawn.std().item() == pytest.approx(0.3, rel=0.05)
    uniform = reader_config(kind="deep-lstm", hidden_size=8, recurrent_init="uniform")
    w = dict(build(uniform, SIZE, seed=0).named_parameters())
    assert w["layers.1.lstm.recurrent"].abs().max() <= (6 / 16) ** 0.5
    assert (w["layers.1.W_x.bias"].view(4, 8)[1] == 1.0).all()
    assert w["layers.1.W_below"].shape == (24, 8)  # i, c and o; as printed, f reads x(t) only


def test_cells_that_remember_for_one_to_so_many_tokens() -> None:
    config = reader_config(kind="deep-lstm", hidden_size=256, memory=500)
    w = dict(build(config, SIZE, seed=0).named_parameters())
    for layer in range(2):
        gates = w[f"layers.{layer}.W_x.bias"].view(4, 256)
        tokens = gates[1].exp()  # a gate of bias log(n) forgets one part in n + 1 each token
        assert 1 <= tokens.min() < 20
        assert 480 < tokens.max() <= 499
        assert tokens.mean().item() == pytest.approx(250, rel=0.1)
        assert torch.equal(gates[0], -gates[1])
        assert not gates[2:].any()
    with pytest.raises(UserError, match="'memory': input should be greater than or equal to 3"):
        reader_config(memory=2)


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_is_a_function_of_seed_and_step(kind: str) -> None:
    network = build(reader_config(kind=kind, hidden_size=8, dropout=0.3), SIZE, seed=0)
    batch = batch_of([example(np.random.default_rng(0), 9, 4)])
    dry = network(batch)[0]
    torch.manual_seed(5)
    first = network(batch, noise(1, 7))[0]
    torch.manual_seed(6)
    assert torch.equal(first, network(batch, noise(1, 7))[0])
    assert not torch.equal(first, network(batch, noise(1, 8))[0])
    assert not torch.equal(first, network(batch, noise(2, 7))[0])
    assert torch.equal(dry, network(batch)[0])


def test_dropout_keeps_the_mean() -> None:
    x = torch.ones(200, 500)
    dropped = dropout(x, 0.2, noise(0))
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.01)
    assert set(dropped.unique().tolist()) == {0.0, 1.25}
    assert dropout(x, 0.2, None) is x


@pytest.mark.parametrize("rate", [1e-7, 0.01, 0.1, 0.5, 0.99])
def test_each_unit_is_dropped_with_the_same_chance_and_by_itself(rate: float) -> None:
    kept = kept_units(torch.empty(400_001, 4), rate, noise(3))  # four units share a number
    assert kept is not None
    assert kept.shape == (400_001, 4)
    dropped = (~kept).float()
    spread = (rate * (1 - rate) / len(kept)) ** 0.5
    assert (dropped.mean(0) - rate).abs().max().item() < 5 * spread + 1e-5
    for other in range(1, 4):
        both = (dropped[:, 0] * dropped[:, other]).mean().item()
        assert both == pytest.approx(rate**2, abs=5 * rate / len(kept) ** 0.5 + 1e-5)


@pytest.mark.parametrize("output", ["vocabulary", "candidates"])
def test_questions_that_cannot_be_answered_do_not_count(output: str) -> None:
    config = reader_config(hidden_size=4, output=output)
    network = build(config, SIZE, seed=0)
    good = Example([4, 20, 5], [2, 21], 4)
    lost = Example([5, 22], [2], 0)  # answer not known
    one, two = batch_of([good]), batch_of([good, lost])
    alone, both = loss(network(one)[0], one, config), loss(network(two)[0], two, config)
    torch.testing.assert_close(alone, both)


@pytest.mark.filterwarnings("ignore:slower recurrence")  # the fast CPU path has no bfloat16
@pytest.mark.parametrize("kind", KINDS)
def test_low_precision_stays_near(kind: str) -> None:
    """bfloat16 under autocast, as a GPU would train: the loss and its gradient agree roughly."""
    config = reader_config(kind=kind, hidden_size=16)
    batch = batch_of([example(np.random.default_rng(k), 30, 5) for k in range(4)])
    values, gradients = [], []
    for low in (False, True):
        network = build(config, SIZE, seed=0)
        with torch.autocast("cpu", torch.bfloat16, enabled=low):
            value = loss(network(batch)[0], batch, config)
        value.backward()
        values.append(value.item())
        gradients.append(torch.cat([p.grad.flatten() for p in network.parameters()]))
    assert values[1] == pytest.approx(values[0], rel=2e-2)
    assert torch.cosine_similarity(*gradients, dim=0) > 0.99


def test_every_error_of_a_config_is_told() -> None:
    with pytest.raises(UserError) as told:
        reader_config(hidden_size=0, attention_size=2.5, dropout=1.0, tie_output="perhaps")
    assert str(told.value).startswith("4 errors in the config")
    for name in ("hidden_size", "attention_size", "dropout", "tie_output"):
        assert f"'{name}': " in str(told.value)
    with pytest.raises(UserError, match=r"unknown key 'hiden' \(did you mean 'hidden_size'\?\)"):
        reader_config(hiden=3)
    with pytest.raises(
        UserError, match=r"no kind of reader called 'atentive', only .*attentive, deep-lstm"
    ):
        reader_config("atentive")


@pytest.mark.parametrize("kind", KINDS)
def test_a_config_is_saved_and_read_back(kind: str) -> None:
    config = reader_config(kind, markers="document")
    assert config_of(json.loads(config.model_dump_json())) == config


def test_a_reader_keeps_no_settings_of_other_kinds() -> None:
    """As models and runs of earlier versions were saved."""
    config = reader_config("uniform", layers=2, feed="qca", attention_size=None, joint_size=5)
    assert config.joint_size == 5
    assert not {"layers", "feed", "attention_size"} & config.model_dump().keys()

"""Answers of an Encoder Reader computed in bfloat16, as GPUs do."""

import numpy as np
import pytest
import torch

from cloze.readers.device import quick_in_sixteen_bits
from cloze.readers.kinds.encoder import EncoderReader
from tests.readers.cases import batch_of, example, network_of, reader_config

WAYS = [{}, {"relative_buckets": 32}, {"texts": "apart"}]


def reader_of(ways: dict[str, object]) -> EncoderReader:
    config = reader_config("encoder", hidden_size=16, heads=2, **ways)
    network = network_of(config, dtype=torch.float32)
    assert isinstance(network, EncoderReader)
    return network


@torch.inference_mode()
def logits_of(network: EncoderReader, device: str = "cpu") -> tuple[torch.Tensor, torch.Tensor]:
    random = np.random.default_rng(3)
    batch = batch_of([example(random, 30, 6), example(random, 12, 5)]).to(torch.device(device))
    logits, looked = network(batch)
    return logits.cpu(), looked.cpu()


@pytest.mark.parametrize("ways", WAYS)
def test_they_are_nearly_those_in_32_bits(ways: dict[str, object]) -> None:
    network = reader_of(ways)
    exactly, looked = logits_of(network)
    network.sixteen_bits = True
    nearly, also_looked = logits_of(network)
    assert nearly.dtype == torch.float32
    scale = exactly[exactly > -1e8].abs().max().item()
    torch.testing.assert_close(nearly, exactly, rtol=0.02, atol=0.02 * scale)
    torch.testing.assert_close(also_looked, looked, rtol=0.05, atol=0.01)
    assert not torch.equal(nearly, exactly)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_precision_that_was_chosen_already_stays(own: bool, dtype: torch.dtype) -> None:
    """As in a validation, whose run has one; answers in 32 bits would be slower there."""
    network = reader_of({})
    seen: list[torch.dtype] = []
    network.body.layers[0].register_forward_hook(lambda layer, given, made: seen.append(made.dtype))
    network.sixteen_bits = own
    with torch.autocast("cpu", dtype):
        logits_of(network)
    logits_of(network)
    assert seen == [dtype, torch.bfloat16 if own else torch.float32]


def test_training_goes_on_as_before() -> None:
    network, other = reader_of({}), reader_of({})
    other.sixteen_bits = True
    random = np.random.default_rng(3)
    batch = batch_of([example(random, 30, 6)])
    torch.testing.assert_close(network(batch)[0], other(batch)[0], rtol=0, atol=0)


@pytest.mark.parametrize(("capability", "quick"), [((7, 5), False), ((8, 0), True)])
def test_which_gpus_do(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], quick: bool
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert quick_in_sixteen_bits(torch.device("cuda")) == quick


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("ways", WAYS)
def test_on_a_gpu(ways: dict[str, object]) -> None:
    network = reader_of(ways)
    exactly, _ = logits_of(network)
    said = network.cuda().answer_in_fewer_bits()
    assert said == ("bfloat16" if quick_in_sixteen_bits(torch.device("cuda")) else None)
    nearly, _ = logits_of(network, "cuda")
    scale = exactly[exactly > -1e8].abs().max().item()
    torch.testing.assert_close(nearly, exactly, rtol=0.02, atol=0.02 * scale)

"""The Uniform Reader is the Attentive Reader with equal scores."""

import numpy as np
import torch

from tests.readers.cases import batch_of, example, network_of, reader_config


def test_uniform_is_attentive_with_zeroed_scores() -> None:
    uniform = network_of(reader_config(kind="uniform", hidden_size=4))
    attentive = network_of(reader_config(kind="attentive", hidden_size=4))
    shared = dict(uniform.named_parameters())
    with torch.no_grad():
        for name, weight in attentive.named_parameters():
            weight.copy_(shared[name]) if name in shared else None
        attentive.w_ms.weight.zero_()
    assert set(dict(attentive.named_parameters())) - set(shared) == {
        "W_ym.weight",
        "W_um.weight",
        "w_ms.weight",
    }
    random = np.random.default_rng(0)
    batch = batch_of([example(random, 7, 3), example(random, 1, 1), example(random, 20, 5)])
    logits, s = uniform(batch)
    logits_attentive, s_attentive = attentive(batch)
    torch.testing.assert_close(logits, logits_attentive)
    torch.testing.assert_close(s, s_attentive)
    torch.testing.assert_close(s[1], torch.eye(20, dtype=s.dtype)[0])

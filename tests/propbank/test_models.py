"""The linear model, the senses, and the tagger in NumPy against the network in PyTorch."""

import numpy as np
import pytest
import torch

from cloze.propbank import derivation
from cloze.propbank.analysis import analyse
from cloze.propbank.inputs import collect
from cloze.propbank.linear import Hashed
from cloze.propbank.network import Network, batch_of
from cloze.propbank.parser import Parser
from cloze.propbank.pipeline import load_pipeline
from cloze.propbank.senses import train_choice
from cloze.propbank.sequences import Packed
from cloze.propbank.tagger import Tagger
from cloze.randomness import generator


def test_the_linear_model_learns_which_sign_means_which_class():
    random = generator(3)
    kind = random.integers(0, 3, 600)
    noise = random.integers(10, 1_000, (600, 4)).astype(np.uint64)
    signs = np.concatenate([kind[:, None].astype(np.uint64) + 1, noise], axis=1)
    classes = np.tile(np.array([5, 6, 7], np.uint64), 600)
    bounds = np.arange(0, 1801, 3)
    model = Hashed.trained(
        signs[:400], classes[:1200], bounds[:401], bounds[:400] + kind[:400], random=random, bits=14
    )
    scores = model.scores(signs[400:], classes[1200:], bounds[400:] - 1200)
    assert (scores.reshape(-1, 3).argmax(axis=1) == kind[400:]).mean() > 0.95


def test_a_sign_of_zero_is_no_sign():
    model = Hashed(np.ones(256, np.float32))
    signs = np.array([[7, 0, 0], [7, 8, 9]], np.uint64)
    scores = model.scores(signs, np.array([1, 1], np.uint64), np.array([0, 1, 2]))
    assert scores.tolist() == [1, 3]


def test_a_lemma_is_only_offered_the_senses_it_had_and_a_new_one_its_first():
    signs = np.arange(1, 41, dtype=np.uint64).reshape(10, 4)
    lemmas = ["run"] * 5 + ["creation"] * 5
    rolesets = ["run.01"] * 3 + ["run.02"] * 2 + ["create.01"] * 5
    choice = train_choice(signs, lemmas, ["V"] * 5 + ["N"] * 5, rolesets, generator(0))
    assert choice.choose(signs, lemmas, ["V"] * 5 + ["N"] * 5) == rolesets
    assert choice.choose(signs[:1], ["defenestrate"], ["V"]) == ["defenestrate.01"]


@pytest.mark.parametrize(
    ("word", "verb"), [("evacuation", "evacuate"), ("cooking", "cook"), ("riot", "riot")]
)
def test_the_verb_behind_a_noun(word: str, verb: str):
    pairs = [("N", "narration", "narrate"), ("N", "creation", "create"), ("N", "fight", "fight")]
    pairs += [("N", "meeting", "meet"), ("N", "parking", "park"), ("N", "vote", "vote")]
    assert derivation.base("N", word, derivation.learn(pairs)) == verb


def test_the_tagger_scores_as_the_network_does():
    shipped = Parser.load()
    docs = list(load_pipeline().pipe(["Kim gave the old man a book.", "She left, and he slept."]))
    text = analyse(docs, shipped.labels)
    predicates = np.array([1, 10, 14, 4])
    rolesets = ["give.01", "leave.01", "sleep.01", "man.01"]
    vocabulary = collect(text, predicates, rolesets, ["ARG0"] * 100 + ["ARG1"] * 100, least=0)
    torch.manual_seed(1)
    network = Network(shipped.labels, vocabulary, shipped.words.vectors()).eval()
    weights = {name: w.detach().numpy() for name, w in network.named_parameters()}
    inputs = vocabulary.inputs(predicates, rolesets, text, shipped.words)
    bounds = inputs.pairs.bounds
    tagger = Tagger(weights, vocabulary, shipped.words, frozenset())
    ours = tagger.scores(inputs, Packed.of(bounds))
    for k in range(len(predicates)):
        with torch.no_grad():
            theirs = network(batch_of(inputs, np.array([k])))[0].log_softmax(dim=1).numpy()
        np.testing.assert_allclose(ours[bounds[k] : bounds[k + 1]], theirs, atol=2e-5)

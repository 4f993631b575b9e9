"""Labels the arguments of each predicate: a bidirectional LSTM over its sentence, in NumPy.

For predicate p every token t of its sentence is described by its word, tag, dependency label and
governor, and by its relation to p. The LSTM's states at t, at p and at t's governor, the group of
t and the predicate itself decide whether t begins an argument, stands inside one, or outside; the
best consistent sequence wins.

The input of a layer is linear, so the part that depends only on the token is computed once per
token, and the part that depends only on the predicate once per predicate.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from threadpoolctl import ThreadpoolController

from cloze.propbank.analysis import Analysis
from cloze.propbank.frame import Argument
from cloze.propbank.inputs import Inputs, Vocabulary
from cloze.propbank.sequences import Packed, best_path
from cloze.propbank.words import Words

PAIRS_AT_ONCE = 16_000  # bounds the memory, at about 5 kB per pair


class Tagger:
    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        vocabulary: Vocabulary,
        words: Words,
        commas: frozenset[int],  # the tags with which no argument begins or ends
    ) -> None:
        self.w = {name: np.asarray(value, np.float32) for name, value in weights.items()}
        self.vocabulary = vocabulary
        self.words = words
        self.commas = commas
        self.vectors = words.vectors()

    def arguments(
        self, predicates: np.ndarray, rolesets: list[str], text: Analysis
    ) -> list[tuple[Argument, ...]]:
        """The arguments of each predicate; their bounds count from the start of the text."""
        found: list[tuple[Argument, ...]] = []
        with self._libraries.limit(limits=1):
            for part in _parts(predicates, text):
                inputs = self.vocabulary.inputs(
                    predicates[part], rolesets[part.start : part.stop], text, self.words
                )
                packed = Packed.of(inputs.pairs.bounds)
                path, sure = best_path(self.scores(inputs, packed), packed)
                found.extend(self._spans(inputs, path, sure))
        return found

    @cached_property
    def _libraries(self) -> ThreadpoolController:
        """The matrix products of a step are small: on a busy machine, threads that wait for each
        other take many times as long as a single one."""
        return ThreadpoolController()

    def scores(self, inputs: Inputs, packed: Packed) -> np.ndarray:
        """Log-probabilities [pairs, 1 + 2 labels]: outside, each beginning, each inside."""
        w, pairs = self.w, inputs.pairs
        size = w["lstm.weight_hh_l0"].shape[1]
        owner = np.repeat(np.arange(len(inputs.predicate)), np.diff(pairs.bounds))
        used, token = np.unique(pairs.token, return_inverse=True)
        each_token = np.concatenate(
            [
                self.vectors[inputs.row[used]] @ w["project_word.weight"].T
                + w["project_word.bias"],
                w["word.weight"][inputs.word[used]],
                w["tag.weight"][inputs.tag[used]],
                w["dep.weight"][inputs.dep[used]],
                w["head_tag.weight"][inputs.tag[inputs.head[used]]],
                w["head_dep.weight"][inputs.dep[inputs.head[used]]],
            ],
            axis=1,
        )
        group = w["group.weight"][inputs.group]
        each_pair = np.concatenate(
            [
                group,
                w["depth.weight"][pairs.depth],
                w["distance.weight"][pairs.distance],
                w["edge.weight"][pairs.edge],
            ],
            axis=1,
        )
        at = inputs.predicate
        predicate = (
            w["lemma.weight"][inputs.lemma]
            + w["roleset.weight"][inputs.roleset]
            + self.vectors[inputs.row[at]] @ w["project_predicate.weight"].T
            + w["project_predicate.bias"]
        )
        each_predicate = np.concatenate(
            [predicate, w["predicate_tag.weight"][inputs.tag[at]]], axis=1
        )
        cut = np.cumsum([each_token.shape[1], each_pair.shape[1]])
        states = []
        for way in ("", "_reverse"):
            of_token, of_pair, of_predicate = np.split(w[f"lstm.weight_ih_l0{way}"].T, cut)
            bias = w[f"lstm.bias_ih_l0{way}"] + w[f"lstm.bias_hh_l0{way}"]
            gates = each_pair @ of_pair
            gates += (each_token @ of_token + bias)[token]
            gates += (each_predicate @ of_predicate)[owner]
            states.append(packed.lstm(gates, w[f"lstm.weight_hh_l0{way}"].T, back=bool(way)))
        state = np.concatenate(states, axis=1)
        cut = np.cumsum([2 * size, 2 * size, 2 * size, group.shape[1], predicate.shape[1]])
        own, its, governor, of_group, of_predicate, of_both = np.split(w["hidden.weight"].T, cut)
        first = pairs.bounds[:-1] - pairs.token[pairs.bounds[:-1]]  # a pair's index minus its token
        hidden = state @ own + group @ of_group + w["hidden.bias"]
        hidden += (state @ governor)[inputs.head[pairs.token] + first[owner]]
        hidden += (state[at + first] @ its + predicate @ of_predicate)[owner]
        hidden += (group * predicate[owner]) @ of_both
        scores = np.maximum(hidden, 0) @ w["label.weight"].T + w["label.bias"]
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return np.asarray(scores)

    def _spans(
        self, inputs: Inputs, path: np.ndarray, sure: np.ndarray
    ) -> Iterator[tuple[Argument, ...]]:
        """Read the arguments off the labels; a numbered label goes only to its surest span."""
        labels, bounds = self.vocabulary.labels, inputs.pairs.bounds
        for k in range(len(inputs.predicate)):
            own = path[bounds[k] : bounds[k + 1]]
            offset = int(inputs.pairs.token[bounds[k]])
            best: dict[object, tuple[float, Argument]] = {}
            for begin in np.flatnonzero((own > 0) & (own <= len(labels))):
                label = labels[own[begin] - 1]
                end = begin + 1
                while end < len(own) and own[end] == own[begin] + len(labels):
                    end += 1
                while begin < end - 1 and int(inputs.tag[offset + begin]) in self.commas:
                    begin += 1
                while begin < end - 1 and int(inputs.tag[offset + end - 1]) in self.commas:
                    end -= 1
                doubt = -float(sure[bounds[k] + begin : bounds[k] + end].mean())
                argument = Argument(label, offset + int(begin), offset + int(end))
                key = label if label[3:].isdigit() else argument
                best[key] = min(best.get(key, (np.inf, argument)), (doubt, argument))
            yield tuple(sorted((a for _, a in best.values()), key=lambda a: a.start))


def _parts(predicates: np.ndarray, text: Analysis) -> Iterator[slice]:
    """Slices of the predicates with a bounded number of pairs each."""
    pairs = np.cumsum(text.last[predicates] - text.first[predicates])
    start = 0
    while start < len(predicates):
        before = pairs[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(pairs, before + PAIRS_AT_ONCE, side="right")))
        yield slice(start, end)
        start = end

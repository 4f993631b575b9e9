"""The argument tagger as a PyTorch network, for training; tagger.py runs the same in NumPy."""

import numpy as np
import torch
from torch import Tensor, nn

from cloze.propbank.analysis import Labels
from cloze.propbank.inputs import Inputs, Vocabulary
from cloze.propbank.relations import DEEPEST, FARTHEST

UNITS = 100
HIDDEN = 128
PREDICATE = 48  # also the size of a group's embedding: the two are multiplied
DROPOUT = 0.3
FORGOTTEN = 0.1  # how often a word is hidden, so that unknown ones are met in training


class Network(nn.Module):
    def __init__(self, labels: Labels, vocabulary: Vocabulary, vectors: np.ndarray) -> None:
        super().__init__()
        tags, deps = len(labels.tags) + 1, len(labels.deps) + 1
        self.vectors = torch.from_numpy(vectors)  # not trained, not saved
        self.project_word = nn.Linear(vectors.shape[1], 64)
        self.word = nn.Embedding(len(vocabulary.words) + 1, 32)
        self.tag = nn.Embedding(tags, 16)
        self.dep = nn.Embedding(deps, 24)
        self.head_tag = nn.Embedding(tags, 24)
        self.head_dep = nn.Embedding(deps, 24)
        self.group = nn.Embedding(len(vocabulary.groups) + 1, PREDICATE)
        self.depth = nn.Embedding(DEEPEST + 1, 8)
        self.distance = nn.Embedding(2 * FARTHEST + 1, 8)
        self.edge = nn.Embedding(4, 8)
        self.lemma = nn.Embedding(len(vocabulary.lemmas) + 1, PREDICATE)
        self.roleset = nn.Embedding(len(vocabulary.rolesets) + 1, PREDICATE)
        self.project_predicate = nn.Linear(vectors.shape[1], PREDICATE)
        self.predicate_tag = nn.Embedding(tags, 16)
        for module in self.children():
            if isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=0.3)
        inputs = 64 + 32 + 16 + 3 * 24 + PREDICATE + 3 * 8 + PREDICATE + 16
        self.lstm = nn.LSTM(inputs, UNITS, bidirectional=True, batch_first=True)
        self.dropout = nn.Dropout(DROPOUT)
        self.hidden = nn.Linear(6 * UNITS + 3 * PREDICATE, HIDDEN)
        self.label = nn.Linear(HIDDEN, 1 + 2 * len(vocabulary.labels))

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        """Scores [predicates, tokens, labels] of predicates whose sentences are equally long."""
        many, length = batch["token"].shape
        word, lemma, roleset = batch["word"], batch["lemma"], batch["roleset"]
        if self.training:
            word = word * (torch.rand(word.shape) > FORGOTTEN)
            lemma = lemma * (torch.rand(lemma.shape) > FORGOTTEN)
            roleset = roleset * (torch.rand(roleset.shape) > FORGOTTEN)
        group = self.group(batch["group"])
        predicate = (
            self.lemma(lemma)
            + self.roleset(roleset)
            + self.project_predicate(self.vectors[batch["predicate_row"]])
        )

        def along(x: Tensor) -> Tensor:  # [predicates, size] -> [predicates, tokens, size]
            return x[:, None].expand(many, length, x.shape[1])

        x = torch.cat(
            [
                self.project_word(self.vectors[batch["row"]]),
                self.word(word),
                self.tag(batch["tag"]),
                self.dep(batch["dep"]),
                self.head_tag(batch["tag"].gather(1, batch["head"])),
                self.head_dep(batch["dep"].gather(1, batch["head"])),
                group,
                self.depth(batch["depth"]),
                self.distance(batch["distance"]),
                self.edge(batch["edge"]),
                along(predicate),
                along(self.predicate_tag(batch["predicate_tag"])),
            ],
            dim=2,
        )
        state, _ = self.lstm(self.dropout(x))
        governor = state.gather(1, batch["head"][:, :, None].expand_as(state))
        its = state[torch.arange(many), batch["predicate"]]
        both = group * along(predicate)
        y = torch.cat([state, along(its), governor, group, along(predicate), both], dim=2)
        scores: Tensor = self.label(self.dropout(torch.relu(self.hidden(self.dropout(y)))))
        return scores


def batch_of(inputs: Inputs, chosen: np.ndarray) -> dict[str, Tensor]:
    """The inputs of some predicates, whose sentences must be equally long."""
    pairs = inputs.pairs
    length = pairs.bounds[chosen[0] + 1] - pairs.bounds[chosen[0]]
    rows = pairs.bounds[chosen][:, None] + np.arange(length)
    token = pairs.token[rows]
    at = inputs.predicate[chosen]
    arrays = {
        "token": token,
        "row": inputs.row[token],
        "word": inputs.word[token],
        "tag": inputs.tag[token],
        "dep": inputs.dep[token],
        "head": inputs.head[token] - token[:, :1],
        "group": inputs.group[rows],
        "depth": pairs.depth[rows],
        "distance": pairs.distance[rows],
        "edge": pairs.edge[rows],
        "predicate": at - token[:, 0],
        "predicate_row": inputs.row[at],
        "predicate_tag": inputs.tag[at],
        "lemma": inputs.lemma[chosen],
        "roleset": inputs.roleset[chosen],
    }
    return {name: torch.from_numpy(np.ascontiguousarray(a)) for name, a in arrays.items()}

"""Keep only the parts of a tagger's adapters that matter most, within a number of bytes.

    python experiments/tagger/shrink.py FOLDER TEXTS --bytes 500000

FOLDER holds a reader and its tagger.safetensors, which is replaced. A change Bᵀ A of a matrix is a
sum of products of two vectors. They are turned so that, over the inputs that the matrix meets in
TEXTS (a folder of marked texts), no two of them overlap in what they add to its output; then those
that add the most for their bytes, beside the output of the matrix itself, are kept.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

from cloze.builder.marked_texts import read_texts
from cloze.readers.tagging.adapters import MATRICES, Adapters, save_adapters
from cloze.readers.tagging.changed_layer import ChangedLayer
from cloze.readers.tagging.model import TaggerModel, load_model
from cloze.readers.transformer import Layer, Transformer


class Met:
    """What a matrix met: the inner products of its change's inputs, and the size of its output."""

    def __init__(self, change: nn.Module) -> None:
        self.change = change
        self.inputs: Tensor = torch.zeros(len(change.a), len(change.a), dtype=torch.float64)
        self.output = 0.0

    def watching(self, product: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        def watched(x: Tensor) -> Tensor:
            output = product(x)
            seen = (x.flatten(0, -2) @ self.change.a.T).double()
            self.inputs += seen.T @ seen
            self.output += float(output.double().square().sum())
            return output

        return watched

    def turned(self) -> tuple[Tensor, Tensor, Tensor]:
        """A and B turned, and the share of the output that each of their rows adds."""
        a, b = self.change.a.double(), self.change.b.double()
        tiny = 1e-12 * torch.eye(len(a), dtype=torch.float64)
        right = torch.linalg.cholesky(self.inputs + tiny * self.inputs.trace(), upper=True)
        left = torch.linalg.cholesky(b @ b.T + tiny * (b @ b.T).trace(), upper=True)
        u, s, v = torch.linalg.svd(left @ right.T)
        new_b = u.T @ torch.linalg.solve_triangular(left.T, b, upper=False)
        new_a = v @ torch.linalg.solve_triangular(right.T, a, upper=False)
        return new_a * s[:, None], new_b, s.square() / self.output


def meeting(model: TaggerModel, texts: list[str]) -> dict[str, Met]:
    met = {
        f"layers.{number}.{matrix}": Met(getattr(own, matrix))
        for number, own in enumerate(model.adapters.layers)
        for matrix in MATRICES
    }
    changed = model._layer

    def watched(number: int, layer: Layer, bits: int) -> ChangedLayer:
        made = changed(number, layer, bits)
        for matrix, product in made.products.items():
            made.products[matrix] = met[f"layers.{number}.{matrix}"].watching(product)
        return made

    model._layer = watched
    model.spans(texts)
    return met


@torch.no_grad()
def shrunk(body: Transformer, whole: Adapters, met: dict[str, Met], most: int) -> Adapters:
    turned = {name: own.turned() for name, own in met.items()}
    parts = [
        (float(share) / (a.shape[1] + b.shape[1]), name, a.shape[1] + b.shape[1] + 8)
        for name, (a, b, shares) in turned.items()
        for share in shares
    ]
    ranks: dict[str, int] = dict.fromkeys(turned, 0)
    for _, name, size in sorted(parts, reverse=True):
        if size <= most:
            most -= size
            ranks[name] += 1
    made = Adapters(body, ranks, whole.scale, len(whole.layers))
    made.casing.load_state_dict(whole.casing.state_dict())
    made.head.load_state_dict(whole.head.state_dict())
    for name, (a, b, _) in turned.items():
        own = made.get_submodule(name)
        own.a.copy_(a[: ranks[name]])
        own.b.copy_(b[: ranks[name]])
    print({name.removeprefix("layers."): rank for name, rank in ranks.items()})
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs=2, type=Path, help="the reader's folder, marked texts")
    parser.add_argument("--bytes", type=int, default=500_000, help="for the changes")
    arguments = parser.parse_args()
    folder, texts = arguments.paths
    model = load_model(folder.resolve(), "cpu")
    met = meeting(model, [text.article.text for text in read_texts(texts)])
    body = model.network.body
    assert isinstance(body, Transformer)
    save_adapters(folder, shrunk(body, model.adapters, met, arguments.bytes))


if __name__ == "__main__":
    main()

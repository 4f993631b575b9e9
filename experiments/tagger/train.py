"""Train the adapters of a tagger on the frozen body of an Encoder Reader.

    python experiments/tagger/train.py READER DATA.npz --seconds 2800

DATA is what prepare.py wrote; READER is the folder of the reader, whose weights stay as they are.
The tagger is written into that folder, and once more at each score. With --teacher, another
reader's folder, it also learns what that one's tagger thinks of each word. On a GPU, --tokens 24576
and --longest 512 are better; there is no need for more than a few minutes.
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from scoring import score
from texts import Batch, Source, drawn
from torch import Tensor, nn
from torch.nn import functional as F

from cloze.readers.encoder import open_encoder
from cloze.readers.kinds.encoder import EncoderReader
from cloze.readers.loaded import network_of
from cloze.readers.pieces import Pieces
from cloze.readers.tagging.adapters import MATRICES, Adapters, load_adapters, save_adapters
from cloze.readers.tagging.decoding import LABELS
from cloze.readers.transformer import Layer, Transformer

SHARES = {
    "news": 0.27, "newsroom": 0.04, "marked": 0.02, "manners": 0.25, "renamed": 0.05,
    "crossner": 0.1, "litbank": 0.08, "gum": 0.14, "pud": 0.05,
}  # fmt: skip
DROPPED, DROPPED_AT_HEAD = 0.05, 0.1
TAUGHT = 0.8  # the weight of what a teacher thinks, beside the labels
MARKS = (0.15, 0.35, 0.55, 0.75, 0.9)  # of the time, at which it is scored


class Training(nn.Module):
    """The network of `cloze.readers.tagging.model`, with dropout and gradients."""

    def __init__(self, reader: EncoderReader, adapters: Adapters, dtype: torch.dtype) -> None:
        super().__init__()
        self.adapters, self.dtype = adapters, dtype
        self.reader = reader.requires_grad_(False)
        assert isinstance(reader.body, Transformer)
        self.body = reader.body

    def forward(self, batch: Batch) -> Tensor:
        """Logits of the labels. [B, T, labels]"""
        signs = self.reader.signs(batch.signs.clamp(min=0))
        x = torch.where((batch.signs >= 0)[..., None], signs, self.reader.embedding(batch.ids))
        x = x + self.adapters.casing(batch.casing)
        if self.reader.config.texts == "apart":
            x = x + self.reader.sides.weight[0]
        x = self.body.norm(x + self.body.position.weight[: x.shape[1]])
        x = F.dropout(x, DROPPED, self.training).to(self.dtype)
        bias = self.body._bias(batch.absent, self.dtype)
        for number, layer in enumerate(self.body.layers[: len(self.adapters.layers)]):
            assert isinstance(layer, Layer)
            x = self._layer(number, layer, x, bias)
        return self.adapters.head(F.dropout(x.float(), DROPPED_AT_HEAD, self.training))

    def _layer(self, number: int, layer: Layer, x: Tensor, bias: Tensor | None) -> Tensor:
        def product(matrix: str, x: Tensor) -> Tensor:
            own, change = getattr(layer, matrix), getattr(self.adapters.layers[number], matrix)
            plain = F.linear(x, own.weight.to(x.dtype), own.bias.to(x.dtype))
            low = F.linear(x, change.a.to(x.dtype)) @ change.b.to(x.dtype)
            return plain + self.adapters.scale * low

        q, k, v = (layer._by_head(part) for part in product("qkv", x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias).transpose(1, 2).flatten(2)
        y = F.dropout(product("o", y), DROPPED, self.training)
        x = layer.n1((x + y).float()).to(x.dtype)
        y = product("down", F.gelu(product("up", x)))
        return layer.n2((x + F.dropout(y, DROPPED, self.training)).float()).to(x.dtype)


def loss_of(logits: Tensor, allowed: Tensor) -> Tensor:
    """The mean of -log p(the word has one of the labels that it may have)."""
    asked = allowed > 0
    chances = F.log_softmax(logits[asked], -1)
    bits = allowed[asked][:, None] >> torch.arange(LABELS, device=logits.device) & 1
    return -torch.logsumexp(chances.masked_fill(bits == 0, -1e4), -1).mean()


class Teacher:
    """A tagger on another reader's body, which may know other word pieces."""

    def __init__(self, folder: Path, pupil: Path, device: str) -> None:
        reader = network_of(folder, torch.device(device))
        assert isinstance(reader, EncoderReader)
        assert isinstance(reader.body, Transformer)
        adapters = load_adapters(folder, reader.body).to(device)
        self.model = Training(reader, adapters, torch.bfloat16).eval()
        own, others = (open_encoder(place) for place in (folder, pupil))
        assert isinstance(own, Pieces)
        assert isinstance(others, Pieces)
        known = own.tokenizer["model"]["vocab"]
        unknown = max(own.unknown_ids)
        ids = torch.arange(len(others))  # what stands before the pieces is the same in both
        for piece, number in others.tokenizer["model"]["vocab"].items():
            found = own.first_word + known[piece] if piece in known else unknown
            ids[others.first_word + number] = found
        self.ids = ids.to(device)

    @torch.no_grad()
    def loss(self, batch: Batch, logits: Tensor) -> Tensor:
        """How far the pupil's chances are from its own, in nats, where a word is judged."""
        said = self.model(batch._replace(ids=self.ids[batch.ids]))
        asked = batch.allowed > 0
        with torch.enable_grad():
            chances = F.log_softmax(logits[asked], -1)
            return F.kl_div(chances, F.softmax(said[asked], -1), reduction="batchmean")


def first_adapters(body: Transformer, rank: int, scale: float, layers: int | None) -> Adapters:
    ranks = {f"layers.{n}.{m}": rank for n in range(len(body.layers)) for m in MATRICES}
    adapters = Adapters(body, ranks, scale, layers)
    for name, weight in adapters.named_parameters():
        if name.endswith(".a"):
            nn.init.uniform_(
                weight, -math.sqrt(3 / weight.shape[1]), math.sqrt(3 / weight.shape[1])
            )
    nn.init.normal_(adapters.casing.weight, std=0.01)
    nn.init.normal_(adapters.head.weight, std=0.02)
    nn.init.zeros_(adapters.head.bias)
    return adapters


def train(
    model: Training,
    sources: list[Source],
    held: list[Source],
    teacher: Teacher | None,
    arguments: argparse.Namespace,
) -> None:
    folder, device = arguments.paths[0], next(model.adapters.parameters()).device
    own = list(model.adapters.parameters())
    optimiser = torch.optim.AdamW(own, betas=(0.9, 0.98), weight_decay=0.05)
    shares = torch.tensor([SHARES[source.name] for source in sources], device=device)
    marks, random = list(MARKS), np.random.default_rng(arguments.seed)
    lengths = [arguments.longest // 4, arguments.longest // 2, *[arguments.longest] * 3]
    begun = said = time.monotonic()
    step = 0
    while (done := (time.monotonic() - begun) / arguments.seconds) < 1:
        if marks and done > marks[0]:
            marks.pop(0)
            report(f"step {step}", model, held, folder)
        warm = min(1.0, (step + 1) / arguments.warm_up)
        rate = arguments.rate * warm * max(0.02, 0.5 * (1 + math.cos(math.pi * done)))
        optimiser.param_groups[0]["lr"] = rate
        length = int(random.choice(lengths))
        batch = drawn(sources, shares, length, max(1, arguments.tokens // length))
        logits = model(batch)
        loss = loss_of(logits, batch.allowed)
        if teacher is not None:
            loss = (1 - TAUGHT) * loss + TAUGHT * teacher.loss(batch, logits)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(own, 1.0)
        optimiser.step()
        step += 1
        if time.monotonic() - said > 5:
            said = time.monotonic()
            print(f"{done:.0%} step {step} loss {loss.item():.4f}", flush=True)
    report(f"end, step {step}", model, held, folder)


def report(when: str, model: Training, held: list[Source], folder: Path) -> None:
    model.eval()
    for source in held:
        print(when, source.name, score(model, source), flush=True)
    model.train()
    save_adapters(folder, model.adapters)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs=2, type=Path, help="the reader's folder, the data")
    parser.add_argument("--seconds", type=float, default=2800)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--layers", type=int, help="of the reader that are used; default: all")
    parser.add_argument("--rate", type=float, default=1e-3, help="of learning")
    parser.add_argument("--warm-up", type=int, default=60)
    parser.add_argument("--tokens", type=int, default=2048, help="pieces of a batch")
    parser.add_argument("--longest", type=int, default=256, help="text of a batch, in pieces")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--teacher", type=Path, help="another reader's folder, with its tagger")
    parser.add_argument("--go-on", action="store_true", help="from the tagger in the folder")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    reader = network_of(arguments.paths[0], torch.device(arguments.device))
    assert isinstance(reader, EncoderReader)
    assert isinstance(reader.body, Transformer)
    if arguments.go_on:
        adapters = load_adapters(arguments.paths[0], reader.body).train()
    else:
        adapters = first_adapters(reader.body, arguments.rank, 2.0, arguments.layers)
    model = Training(reader, adapters, torch.bfloat16).to(arguments.device)
    with np.load(arguments.paths[1]) as data:
        names = dict.fromkeys(key.split(".")[0] for key in data.files)
        found = [Source(name, data, arguments.device) for name in names]
    held = [source for source in found if source.name.startswith("held_")]
    teacher = None
    if arguments.teacher is not None:
        teacher = Teacher(arguments.teacher, arguments.paths[0], arguments.device)
    train(model, [source for source in found if source not in held], held, teacher, arguments)


if __name__ == "__main__":
    main()

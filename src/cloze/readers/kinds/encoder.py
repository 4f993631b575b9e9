"""The Encoder Reader: a pretrained encoder reads question and article, and the gap points.

    p(a | d, q) ∝ sum over the mentions t of a of exp(h(gap)ᵀ W h(t) + vᵀ h(t))

h is a transformer's output for `begin question end article end`, where the gap is its mask. A
marker is one token with an embedding of its own; an entity's marker is drawn anew whenever a
question is read, so that no marker means anything by itself.

An article with more tokens than positions is read in overlapping windows, each with the question.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator
from torch import Tensor, nn

from cloze.errors import UserError
from cloze.readers import quick_layer
from cloze.readers.batch import Batch, Sizes
from cloze.readers.config import ReaderConfig
from cloze.readers.device import moved, quick_in_sixteen_bits
from cloze.readers.eight_bits import why_not
from cloze.readers.encoder_folders import encoder_folder
from cloze.readers.layers import MINUS_INFINITY, embedding, mentions, sums_over_mentions
from cloze.readers.network import Network
from cloze.readers.other_encoders import OtherEncoder
from cloze.readers.pretrained import first_weights, shape_of
from cloze.readers.registry import register
from cloze.readers.states import States
from cloze.readers.tensor_files import check_fit
from cloze.readers.transformer import Transformer
from cloze.readers.vocabulary import GAP, PADDING

BEGIN, END = 0, 1  # rows of the signs around the two texts
OVERLAP = 4  # two windows share a quarter of their length


class EncoderConfig(ReaderConfig):
    name: ClassVar[str] = "Encoder Reader"
    kind: Literal["encoder"] = "encoder"
    output: Literal["candidates"] = "candidates"  # the pointer can choose nothing else
    markers: Literal["pool", "document"] = "document"  # drawn from the pool, or the first n of it
    pretrained: Path | None = None  # an encoder to start from: a folder, or a name on the Hub
    architecture: dict[str, Any] | None = None  # of a family that only transformers can run
    layers: PositiveInt = 2  # layers of the transformer
    hidden_size: PositiveInt = 128  # size of a token's vector in every layer
    heads: PositiveInt | None = None  # heads of attention; None: one per 64 of the hidden size
    inner_size: PositiveInt | None = None  # between a layer's products; None: 4 hidden sizes
    positions: int = Field(2304, ge=32)  # pieces read at once; longer texts are read in windows
    relative_buckets: NonNegativeInt = 0  # buckets for the distance of two tokens; MPNet has 32
    separators: Literal[1, 2] = 1  # between question and article; RoBERTa and MPNet have 2
    texts: Literal["joined", "apart"] = "joined"  # apart: each begins at the first position
    norm_epsilon: PositiveFloat = 1e-12  # keeps the normalisation from dividing by zero
    dropout: float = Field(0.1, ge=0, lt=1)  # on embeddings and on what each layer adds

    @model_validator(mode="before")
    @classmethod
    def _with_the_shape_of_the_pretrained(cls, values: Any) -> Any:
        """A config names only the folder; a saved model has the shape and needs no folder."""
        if not isinstance(values, Mapping) or not values.get("pretrained") or "layers" in values:
            return values
        shape = shape_of(encoder_folder(Path(values["pretrained"])))
        made = {**shape, **values}
        if "positions" in shape and isinstance(made["positions"], int):  # it has no more than that
            made["positions"] = min(made["positions"], shape["positions"])
        return made

    @model_validator(mode="after")
    def _only_our_own_transformer_reads_texts_apart(self) -> "EncoderConfig":
        if self.texts == "apart" and (self.relative_buckets or self.architecture is not None):
            raise ValueError("this encoder counts positions through both texts; leave texts joined")
        return self

    def transformer(self) -> Transformer | OtherEncoder:
        if self.architecture is not None:
            if self.texts == "apart":
                raise UserError("an encoder that transformers runs reads its texts joined")
            return OtherEncoder(self.architecture)
        heads = self.heads or max(1, self.hidden_size // 64)
        if self.hidden_size % heads:
            raise UserError(f"{heads} heads do not divide a hidden size of {self.hidden_size}")
        return Transformer(
            layers=self.layers,
            size=self.hidden_size,
            heads=heads,
            inner=self.inner_size or 4 * self.hidden_size,
            positions=self.positions,
            buckets=self.relative_buckets,
            epsilon=self.norm_epsilon,
            rate=self.dropout,
        )


@register(EncoderConfig)
class EncoderReader(Network):
    def __init__(self, config: EncoderConfig, tokens: int) -> None:
        super().__init__()
        self.config = config
        size = config.hidden_size
        body = config.transformer()
        self.embedding = embedding(tokens, body.width)
        self.signs = embedding(2, body.width)
        if config.texts == "apart":
            self.sides = embedding(2, body.width)  # of the article and of the question
        self.body = body
        self.sixteen_bits = False  # whether answers are computed in them
        self.W = nn.Linear(size, size, bias=False)
        self.v = nn.Linear(size, 1, bias=False)

    def forward(
        self,
        batch: Batch,
        noise: torch.Generator | None = None,
        states: States | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Logits [B, C] and the attention [B, Td]: one half the pointer's weight on each mention,
        the other what the gap looked at. During training, and where another package runs the
        encoder, it is the pointer alone. `states`, if given, is filled in."""
        windows = Windows(batch, self.config)
        mentioned = mentions(batch)
        places = windows.places(mentioned.any(2))
        x, looked = self._embedded(windows), None
        answering = noise is None and states is None and not torch.is_grad_enabled()
        if answering and isinstance(self.body, Transformer):
            with self._in_fewer_bits(x.device):
                # [R, 1 + K, H], [R, T]
                h, looked = self.body.read(x, windows.absent, places, windows.position)
        elif isinstance(self.body, Transformer):
            known = windows.position, windows.tokens_in_all
            h = self.body(x, windows.absent, noise, places, *known, states)
        else:
            h = self.body(x, windows.absent, noise, places)
        if states is not None:
            states.finish(h, windows.gap_or_mention(places), windows.owner, len(batch))
        by_token = windows.by_token(self._scores(h), places[:, 1:])
        elsewhere = ~mentioned.any(2)
        pointer = torch.softmax(by_token.masked_fill(elsewhere, MINUS_INFINITY), 1)
        pointer = pointer.nan_to_num(0.0)
        seen = pointer if looked is None else (pointer + windows.shares(looked)) / 2
        return sums_over_mentions(by_token, mentioned, batch), seen

    def _in_fewer_bits(self, device: torch.device) -> AbstractContextManager[Any]:
        """While an answer is computed. Whoever has chosen a precision already, as a validation in
        training does, keeps it."""
        if not self.sixteen_bits or torch.is_autocast_enabled(device.type):
            return nullcontext()
        return torch.autocast(device.type, torch.bfloat16)

    def all_states(self, batch: Batch) -> Tensor:
        """What every token means after the last layer, [R, T, H]; an answer needs but a few."""
        windows = Windows(batch, self.config)
        h: Tensor = self.body(self._embedded(windows), windows.absent, position=windows.position)
        return h

    def _scores(self, h: Tensor) -> Tensor:
        """The scores of the mentions, [R, K], from what the gap and they mean, [R, 1 + K, H].

        Not in 16 bits: all mentions of a question share a part of the score, which the softmax does
        not see. It may grow until their differences, beside it, would be rounded away.
        """
        with torch.autocast(h.device.type, enabled=False):
            h = h.to(torch.promote_types(h.dtype, torch.float32))
            pointer = self.W(h[:, 0]) + self.v.weight
            scores: Tensor = (pointer[:, None] * h[:, 1:]).sum(2)
        return scores

    def answer_in_fewer_bits(self) -> str | None:
        if not isinstance(self.body, Transformer):
            return None
        device = self.v.weight.device
        if device.type != "cpu":
            self.sixteen_bits = quick_in_sixteen_bits(device)
            return "bfloat16" if self.sixteen_bits else None
        if why_not() is not None:
            return None
        self.body.answer_in_eight_bits()
        return quick_layer.described()

    def recompute(self) -> None:
        self.body.recompute()

    def keep(self, layers: int) -> None:
        if not isinstance(self.body, Transformer):
            super().keep(layers)
            return
        if layers > len(self.body.layers):
            what = f"this reader has {len(self.body.layers)} layers"
            raise UserError(what, where="run.kept_layers", fix="give no more than that")
        first = [self.body.position, self.body.norm, *self.body.layers[:layers]]
        apart = [self.sides] if self.config.texts == "apart" else []
        for part in (self.embedding, self.signs, *apart, *first):
            part.requires_grad_(False)

    def windows(self, batch: Batch) -> list[int]:
        return _window_counts(batch.sizes, self.config)[0].tolist()

    def _embedded(self, windows: "Windows") -> Tensor:
        x = self.embedding(windows.tokens)
        signs = self.signs(windows.signs.clamp(min=0))
        x = torch.where((windows.signs >= 0)[..., None], signs, x)
        return x + self.sides(windows.side) if self.config.texts == "apart" else x

    @torch.no_grad()
    def fill(self, random: torch.Generator) -> None:
        """The weights of the pretrained encoder, or else drawn as BERT draws them."""
        for name, weight in self.named_parameters():
            if weight.ndim > 1:
                weight.normal_(0.0, 0.02, generator=random)
            else:
                ones = name.lower().endswith(("norm.weight", "n1.weight", "n2.weight"))
                weight.fill_(1.0 if ones else 0.0)
        self.W.weight.copy_(0.05 * torch.eye(len(self.W.weight)))
        if self.config.pretrained is not None:
            own = dict(self.named_parameters())
            tokens, positions = len(self.embedding.weight), self.config.positions
            folder, apart = encoder_folder(self.config.pretrained), self.config.texts == "apart"
            taken = first_weights(folder, tokens, positions, random, apart=apart)
            own = {name: weight for name, weight in own.items() if name in taken}
            check_fit(own, taken, folder)
            for name, weight in own.items():
                weight.copy_(taken[name])

    def read_rows(self) -> list[Tensor]:
        return [self.embedding.weight]


class Windows:
    """The rows that the transformer reads: for each question its text and a window of the article.

    Nearly always there is one row for a question. `tokens` has ids; `signs` has BEGIN or END at
    those signs and -1 elsewhere.

    If the texts stand apart, the article too begins with a sign and at the first position, whatever
    the length of the question; `side` tells the two from each other.
    """

    def __init__(self, batch: Batch, config: EncoderConfig) -> None:
        self.batch = batch
        apart = config.texts == "apart"
        between = 2 if apart else config.separators
        device = batch.document.device
        # Up to here on the host, which must know the shape.
        owner, start, q, room = _rows(batch.sizes, config)
        length = 2 + between + q + room
        self.tokens_in_all = int(length.sum())
        at = torch.arange(int(length.max()), device=device)[None, :]
        rows = moved(torch.stack([owner, start, q, room, length]), device)
        self.owner, start, q, room, length = rows[0], *rows[1:, :, None].unbind()
        in_question = (at >= 1) & (at < 1 + q)
        off = at - 1 - q - between  # in the window
        self.in_article = (off >= 0) & (off < room)
        self.absent = at >= length
        self.place = (off + start).clamp(0, len(batch.document) - 1)  # in the article
        question = _taken(batch.question, self.owner, (at - 1).expand_as(off))
        article = _taken(batch.document, self.owner, self.place)
        tokens = torch.where(in_question, question, torch.full_like(article, PADDING))
        self.tokens = torch.where(self.in_article, article, tokens)
        plain = in_question | self.in_article | self.absent
        begins = (at == 0) | (apart & (off == -1))
        self.signs = torch.where(plain, -1, torch.where(begins, BEGIN, END))
        self.side = (off < -1).long()  # 1 in the question
        own = torch.where(off < -1, at.expand_as(off), off + 1)
        self.position = own.clamp(0, config.positions - 1) if apart else None
        is_gap = in_question & (self.tokens == GAP)
        self.gap = is_gap.int().argmax(1)  # without a gap, the sign at the beginning

    def places(self, mentioned: Tensor) -> Tensor:
        """Where the gap stands in each row, and then all mentions, in order. [R, 1 + K]

        mentioned: which tokens of the articles are mentions, [B, Td]. A row with fewer than the
        others is filled up with tokens that are none.
        """
        self.mention = self.in_article & mentioned[self.owner[:, None], self.place]
        most = self.batch.sizes.mentions
        if len(self.owner) > len(self.batch):  # windows have fewer than the article
            most = int(self.mention.sum(1).max())
        order = torch.argsort((~self.mention).int(), dim=1, stable=True)
        return torch.cat([self.gap[:, None], order[:, :most]], 1)

    def gap_or_mention(self, places: Tensor) -> Tensor:
        """Which of the places are not there only to fill up a row. bool [R, 1 + K]"""
        found = self.mention.gather(1, places)
        found[:, 0] = True
        return found

    def by_token(self, scores: Tensor, places: Tensor) -> Tensor:
        """Scores [R, K] of the mentions at those places as those of the articles' tokens [B, Td].

        Where windows overlap, the best; where nobody is mentioned, 0.
        """
        shape = (len(self.batch), len(self.batch.document))
        size = shape[0] * shape[1]
        flat = self.owner[:, None] * shape[1] + self.place.gather(1, places)
        # What is no mention goes behind the last token: to leave it out, the host would have to ask
        # how many are left, and wait until a GPU has read the texts.
        flat = torch.where(self.mention.gather(1, places), flat, size).flatten()
        found = scores.new_zeros(size + 1)
        found = found.scatter_reduce(0, flat, scores.flatten(), "amax", include_self=False)
        return found[:size].view(shape)

    def shares(self, looked: Tensor) -> Tensor:
        """Weights [R, T] of the rows as shares of the articles' tokens [B, Td]; windows count
        alike, and what went to the question is left out."""
        shape = (len(self.batch), len(self.batch.document))
        flat = (self.owner[:, None] * shape[1] + self.place)[self.in_article]
        found = looked.new_zeros(shape[0] * shape[1]).index_add(0, flat, looked[self.in_article])
        found = found.view(shape)
        return found / found.sum(1, keepdim=True).clamp(min=1e-9)


def _rows(sizes: Sizes, config: EncoderConfig) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """For each row its question, where in the article its window begins, and both lengths. [R]"""
    count, room, stride = _window_counts(sizes, config)
    owner = torch.repeat_interleave(torch.arange(len(count)), count)
    first = torch.cumsum(count, 0) - count
    number = torch.arange(len(owner)) - first[owner]
    # The last window ends where the article ends.
    start = torch.minimum(number * stride[owner], (sizes.documents - room)[owner])
    return owner, start, sizes.questions[owner], room[owner]


def _window_counts(sizes: Sizes, config: EncoderConfig) -> tuple[Tensor, Tensor, Tensor]:
    """How many windows each article is read in, their length, and how far they are apart."""
    q, d = sizes.questions, sizes.documents
    room = config.positions - 2 - config.separators - q  # for the article, beside each question
    if config.texts == "apart":
        room = torch.where(q <= config.positions - 2, config.positions - 2, 0)
    if bool((room < 1).any()):
        longest = int(q.max())
        raise UserError(
            f"a question of {longest} word pieces leaves no room for its article",
            fix="shorten the question",
        )
    room = torch.minimum(room, d)
    stride = torch.clamp(room - room // OVERLAP, min=1)
    count = 1 + torch.div(d - room + stride - 1, stride, rounding_mode="floor")
    return count, room, stride


def _taken(texts: Tensor, owner: Tensor, at: Tensor) -> Tensor:
    """The tokens at the places [R, T] of the rows' owners; texts are [time, B]."""
    at = at.clamp(0, len(texts) - 1)
    return texts[at, owner[:, None].expand_as(at)]

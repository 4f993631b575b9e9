"""The settings of a reader: the paper's choices, and a value for each one that it leaves open.

Each kind of reader declares its own settings beside its network, in its file in `readers/kinds/`,
as a subclass of one of the classes here. The same class checks a training config and a saved
config.json.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, model_validator

from cloze.config import Settings

# Markers drawn from the pool, drawn from its first n, or numbered in order of first mention.
Naming = Literal["pool", "document", "order"]
Size = Annotated[int, Field(gt=0, le=65_536)]  # of a vector


class ReaderConfig(Settings):
    """The settings that every reader has, whatever its network."""

    name: ClassVar[str]  # as tables and cards show it
    paper: ClassVar[str] = ""  # where it was described, for its card

    kind: str
    markers: Naming = "pool"  # drawn from the pool or its first n, or in the order of mention
    output: Literal["vocabulary", "candidates"] = "vocabulary"  # what the logits run over

    def pool(self, markers: int) -> int | None:
        """How entities are named, as `cloze.readers.batch.collate` wants to know it."""
        return {"pool": markers, "document": None, "order": 0}[self.markers]


class RecurrentConfig(ReaderConfig):
    """A reader that embeds tokens and reads them with recurrences."""

    hidden_size: Size = 256  # units of a recurrence, each direction
    embedding_size: Size | None = None  # of a token's vector; None: the hidden size
    dropout: float = Field(0.0, ge=0, lt=1)  # on the inputs to the recurrences and on g

    embedding_init: Literal["uniform", "normal"] = "uniform"  # how the first embeddings are drawn
    embedding_scale: NonNegativeFloat = 0.1  # half-width of the uniform, deviation of the normal
    recurrent_init: Literal["orthogonal", "uniform"] = "orthogonal"  # how W_h is first drawn
    weight_scale: NonNegativeFloat | None = None  # half-width of other matrices; None: Glorot's
    forget_bias: float = 1.0  # the forget gates' bias before training
    # Cells that remember for 1 to this many tokens: the forget gate's bias is log U(1, memory - 1),
    # the input gate's its negative (Tallec and Ollivier, 2018). None: forget_bias for all cells.
    memory: int | None = Field(None, ge=3)

    @property
    def embedding(self) -> int:
        return self.embedding_size or self.hidden_size


class CellConfig(RecurrentConfig):
    """A reader that was published with a GRU."""

    cell: Literal["gru", "lstm"] = "gru"  # PyTorch's GRU, or the other readers' peephole LSTM


class SoftmaxConfig(RecurrentConfig):
    """A reader of the paper: its answer is p(a | d, q) ∝ exp(W(a) g(d, q))."""

    paper: ClassVar[str] = "Hermann et al. (2015), *Teaching Machines to Read and Comprehend*"

    tie_output: bool = False  # the rows W(a) are the embeddings
    output_scale: NonNegativeFloat = 0.01  # half-width of W

    @property
    def joint(self) -> int:
        """The size of g(d, q)."""
        return self.embedding

    @model_validator(mode="before")
    @classmethod
    def _without_those_of_other_kinds(cls, values: Any) -> Any:
        """Models and runs used to be saved with the settings of all four kinds."""
        if not isinstance(values, Mapping):
            return values
        return {k: v for k, v in values.items() if k not in _ONCE_SHARED or k in cls.model_fields}


_ONCE_SHARED = {"layers", "feed", "forget_gate", "attention_size", "joint_size"}

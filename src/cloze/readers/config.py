"""What a reader is made of: the paper's choices, and a value for each that the paper leaves open.

A plain dataclass, so that a reader can be loaded where only NumPy and PyTorch are installed.
"""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from cloze.errors import UserError

Kind = Literal["deep-lstm", "attentive", "uniform", "impatient"]
NAMES: dict[Kind, str] = {
    "deep-lstm": "Deep LSTM Reader",
    "attentive": "Attentive Reader",
    "uniform": "Uniform Reader",
    "impatient": "Impatient Reader",
}


@dataclass(frozen=True)
class ReaderConfig:
    kind: Kind = "attentive"
    hidden_size: int = 256  # units of an LSTM, each direction
    embedding_size: int | None = None  # of a token; None: the hidden size
    layers: int = 2  # K of the Deep LSTM; the attention readers have one
    feed: Literal["qca", "cqa"] = "qca"  # Deep LSTM: the query first, or the document first
    # The Deep LSTM's forget gate: as printed it reads x(t); "full" reads x'(t,k) as the others do.
    forget_gate: Literal["printed", "full"] = "printed"
    attention_size: int | None = None  # of m(t); None: twice the hidden size, as y_d(t)
    joint_size: int | None = None  # of g in the attention readers; None: the embedding size
    output: Literal["vocabulary", "candidates"] = "vocabulary"  # what the softmax runs over
    tie_output: bool = False  # the rows W(a) are the embeddings
    markers: Literal["pool", "document"] = "pool"  # drawn from the pool, or the first n of it
    dropout: float = 0.0  # on the inputs to the recurrences and on g

    embedding_init: Literal["uniform", "normal"] = "uniform"
    embedding_scale: float = 0.1  # half-width of the uniform, deviation of the normal
    recurrent_init: Literal["orthogonal", "uniform"] = "orthogonal"
    weight_scale: float | None = None  # half-width of every other matrix; None: Glorot's
    output_scale: float = 0.01  # half-width of W
    forget_bias: float = 1.0
    # Cells that remember for 1 to so many tokens, the forget gate's bias log U(1, memory - 1) and
    # the input gate's its negative (Tallec and Ollivier, 2018). None: forget_bias for all cells.
    memory: int | None = None

    def __post_init__(self) -> None:
        errors = [*_type_errors(self), *_range_errors(self)]
        if errors:
            raise UserError("the reader's config is wrong: " + "; ".join(errors))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "ReaderConfig":
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        if unknown:
            raise UserError(f"the reader's config has unknown keys: {', '.join(unknown)}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def name(self) -> str:
        """As the paper's tables have it."""
        return NAMES[self.kind]

    @property
    def embedding(self) -> int:
        return self.embedding_size or self.hidden_size

    @property
    def attention(self) -> int:
        return self.attention_size or 2 * self.hidden_size

    @property
    def joint(self) -> int:
        """The size of g(d, q)."""
        if self.kind == "deep-lstm":
            return self.layers * self.hidden_size  # y(t) = y'(t,1) || ... || y'(t,K)
        return self.joint_size or self.embedding


def _type_errors(config: ReaderConfig) -> list[str]:
    errors = []
    for name, hint in get_type_hints(ReaderConfig).items():
        value = getattr(config, name)
        if get_origin(hint) is Literal:
            if value not in get_args(hint):
                errors.append(f"{name} is {value!r}, not one of {', '.join(get_args(hint))}")
            continue
        allowed = get_args(hint) or (hint,)
        if float in allowed:
            allowed = (*allowed, int)
        if not isinstance(value, allowed) or (isinstance(value, bool) and hint is not bool):
            errors.append(f"{name} is {value!r}, not {getattr(hint, '__name__', hint)}")
    return errors


def _range_errors(config: ReaderConfig) -> list[str]:
    errors = []
    sizes = ("hidden_size", "embedding_size", "layers", "attention_size", "joint_size")
    for name in sizes:
        value = getattr(config, name)
        if isinstance(value, int) and value < 1:
            errors.append(f"{name} is {value}, must be at least 1")
    if isinstance(config.memory, int) and config.memory < 3:
        errors.append(f"memory is {config.memory}, must be at least 3 tokens")
    if isinstance(config.dropout, int | float) and not 0 <= config.dropout < 1:
        errors.append(f"dropout is {config.dropout}, must be from 0 to below 1")
    for name in ("embedding_scale", "weight_scale", "output_scale"):
        value = getattr(config, name)
        if isinstance(value, int | float) and value < 0:
            errors.append(f"{name} is {value}, must not be negative")
    return errors

"""The config of a training run; each key has a comment that explains it.

cloze train configs/newsroom/attentive.yaml corpus=corpus out=runs/attentive run.seed=2
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from cloze.config import Settings, check
from cloze.config_keys import as_page, keys
from cloze.errors import UserError
from cloze.few_bits import FewBits
from cloze.readers.registry import AnyReaderConfig, config_of, kinds
from cloze.training.order import Stage
from cloze.training.start import settings_of_start


class VocabularySettings(Settings):
    """Which words or word pieces a reader knows when it is trained from a corpus."""

    maximum_words: PositiveInt | None = None  # the most frequent ones; None: all
    minimum_count: PositiveInt = 1  # rarer words count as unknown
    pool: NonNegativeInt = 0  # markers; grows to the largest number of entities in a document
    tokenizer: Path | None = None  # tokenizer.json: read its word pieces instead of words


class StageSettings(Settings):
    """The first `steps` see only documents within the limits."""

    steps: PositiveInt  # how long the stage lasts
    tokens: PositiveInt | None = None  # the most tokens in a document; None: any number
    entities: PositiveInt | None = None  # the most entities in a document; None: any number


class BatchSettings(Settings):
    size: PositiveInt = 32  # questions in a batch
    tokens: PositiveInt | None = None  # limit the tokens of a batch instead of its questions
    accumulate: PositiveInt = 1  # parts that a batch is read in, one by one, to save memory
    curriculum: tuple[StageSettings, ...] = ()  # stages with easier documents first
    threads: PositiveInt = 2  # threads that make batches
    ahead: PositiveInt = 8  # batches made before they are needed

    def stages(self) -> list[Stage]:
        return [Stage(**stage.model_dump()) for stage in self.curriculum]


class TeacherSettings(Settings):
    """A larger reader whose probabilities are targets beside the answers: kept in a file, or given
    by the reader itself, which reads every batch too."""

    answers: Path | None = None  # a file of cloze.training.teacher; None: there is none
    # A trained Encoder Reader with the same word pieces: a folder, or the name of one that ships.
    # It reads every batch beside the pupil. None: nobody does.
    reader: Path | None = None
    weight: float = Field(0.6, ge=0, le=1)  # of its probabilities; the answers have the rest
    # The weight of how far the pupil's hidden states after the last layer, at the gap and the
    # mentions, are from those of teacher.reader. 0: they are not compared.
    states: NonNegativeFloat = 0.0
    # Pairs [pupil's layer, teacher's layer], counted from 0, after which the states of all word
    # pieces are compared too, such as [[1, 2], [3, 6]].
    layers: tuple[tuple[NonNegativeInt, NonNegativeInt], ...] = ()

    @model_validator(mode="after")
    def _one_teacher(self) -> "TeacherSettings":
        if self.answers is not None and self.reader is not None:
            raise ValueError("give answers or reader, not both")
        if self.states and self.reader is None:
            raise ValueError("only a reader has states to compare; give reader=FOLDER too")
        if self.layers and not self.states:
            raise ValueError("layers are compared with the weight of states; give it too")
        return self


class NoiseSettings(Settings):
    """What makes training questions harder than they are; those of validation stay as they are."""

    wrong_articles: float = Field(0.0, ge=0, lt=1)  # share of questions put to another article
    poorer_questions: float = Field(0.0, ge=0, le=1)  # share of questions that lose some words
    lost_words: float = Field(0.3, ge=0, le=1)  # share of its words that a poorer question loses
    # The share of questions in which words are replaced by others that are near in meaning.
    rephrased_questions: float = Field(0.0, ge=0, le=1)
    replaced_words: float = Field(0.6, ge=0, le=1)  # share of its words that have a near one


class OptimiserSettings(Settings):
    name: Literal["rmsprop", "adam"] = "rmsprop"  # the paper uses rmsprop
    learning_rate: PositiveFloat = 5e-5  # the step size
    decay: float = Field(0.95, gt=0, lt=1)  # RmsProp only: of the squares; the paper's value
    momentum: float = Field(0.9, ge=0, lt=1)  # RmsProp only; the paper's value
    squares_decay: float = Field(0.999, gt=0, lt=1)  # Adam only: of the squares
    weight_decay: NonNegativeFloat = 0.0  # Adam only: shrinks matrices, apart from the gradient
    epsilon: PositiveFloat = 1e-8  # keeps the division away from zero
    epsilon_inside: bool = False  # RmsProp only: epsilon inside the root, as in Graves 2013
    centred: bool = False  # RmsProp only: subtract the squared mean, as in Graves 2013
    clip: PositiveFloat | None = 10.0  # largest norm of the whole gradient; None: any
    schedule: Literal["constant", "linear", "inverse", "plateau"] = "constant"  # the rate's course
    warmup: NonNegativeInt = 0  # steps over which the rate rises from zero
    half_life: PositiveInt = 10_000  # steps after which the inverse schedule has halved the rate


Recurrence = Literal["auto", "hopper", "portable", "cpu", "reference"]


class RunSettings(Settings):
    seed: int = Field(1, ge=0, lt=2**63)  # for the first weights, the order and the markers
    steps: PositiveInt | None = None  # when to end; the first of steps, epochs, minutes counts
    epochs: PositiveInt | None = None  # when to end, in passes over the training split
    minutes: PositiveFloat | None = None  # when to end, in minutes, including those before a resume
    validate_every: PositiveInt = 1000  # steps between validations
    validate_on: PositiveInt | None = None  # questions, spread over the split; None: all
    validate_batch: PositiveInt = 128  # questions in a validation batch
    patience: PositiveInt | None = None  # validations without improvement before stopping
    checkpoint_every: PositiveInt = 1000  # steps between checkpoints
    keep: PositiveInt = 2  # checkpoints to keep, besides the best weights
    log_every: PositiveInt = 50  # steps between lines of the log
    device: str = "auto"  # auto, cpu, cuda, cuda:1
    # of matrix products; auto: bf16 for an Encoder Reader where that is quick, else float32
    precision: Literal["float32", "tf32", "bf16", "fp16", "auto"] = "float32"
    bits: FewBits | None = None  # steps see weights as a file of so few bits has them; None: 32
    bits_after: float = Field(0.0, ge=0, le=1)  # the share of the run before they do
    # Validate and leave a running mean of the weights, over some 1 / (1 - average) steps. None: the
    # weights themselves.
    average: float | None = Field(None, gt=0, lt=1)
    # How many of an Encoder Reader's first layers stay as they are, and its embeddings with them,
    # so that a tagger on these layers still fits. None: everything is trained.
    kept_layers: NonNegativeInt | None = None
    recompute: bool = False  # compute layers again instead of keeping them, to save memory
    recurrence: Recurrence = "auto"  # what runs the peephole LSTM; cloze doctor shows what can
    workers: PositiveInt | None = None  # asynchronous processes on shared weights; None: none
    threads: PositiveInt | None = None  # CPU threads, shared by the workers; None: all
    tensorboard: bool = False  # write the curves for TensorBoard too


class TrainSettings(Settings):
    """A whole config. `corpus` or `encoded` says what to read, `out` where the run goes."""

    corpus: Path | None = None  # encoded once, into encoded= or into the run's folder
    encoded: Path | None = None  # the vocabulary and the splits, as cloze encode makes them
    out: Path = Path("run")  # the folder of the run
    train: str = "train"  # the split to train on
    valid: str = "valid"  # the split to validate on
    vectors: Path | None = None  # word vectors, one a line, that the words' embeddings start from
    # A model, or the name of one that ships, whose weights are copied where they fit. If no
    # reader.kind is given, its settings and its word pieces are taken over too.
    start_from: Path | None = None
    vocabulary: VocabularySettings = VocabularySettings()
    reader: AnyReaderConfig = Field(default_factory=lambda: config_of({}))
    batches: BatchSettings = BatchSettings()
    teacher: TeacherSettings = TeacherSettings()
    noise: NoiseSettings = NoiseSettings()
    optimiser: OptimiserSettings = OptimiserSettings()
    run: RunSettings = RunSettings()

    @model_validator(mode="before")
    @classmethod
    def _as_its_start(cls, values: Any) -> Any:
        given = isinstance(values, Mapping) and isinstance(values.get("start_from"), str)
        if not given or not _leaves_the_kind_open(values.get("reader")):
            return values
        try:
            return settings_of_start(values)
        except UserError as problem:
            raise ValueError(str(problem)) from None

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


def _leaves_the_kind_open(reader: Any) -> bool:
    return reader is None or (isinstance(reader, Mapping) and "kind" not in reader)


def keys_page() -> str:
    """Every key with its type, default, range and meaning, in Markdown."""
    readers = {name: kind.config for name, kind in kinds().items()}
    return as_page("The keys of a training config", keys(TrainSettings, {"reader": readers}))


# A change of these changes neither the weights nor the order of the run that goes on.
FREE = frozenset(
    {"corpus", "encoded", "out", "batches.threads", "batches.ahead"}
    | {f"run.{key}" for key in ("minutes", "patience", "checkpoint_every", "keep", "log_every")}
    | {f"run.{key}" for key in ("device", "recurrence", "workers", "threads")}
    | {f"run.{key}" for key in ("tensorboard", "validate_batch", "recompute")}
)
LENGTH = frozenset({"run.steps", "run.epochs"})  # may change unless something depends on the end


def changed_keys(before: dict[str, Any], now: TrainSettings) -> list[str]:
    """The keys that were changed but that a resumed run may not change."""
    old, new = _flat(check(TrainSettings, before).as_json()), _flat(now.as_json())
    if new["run.precision"] == "auto":  # it means: as the run began
        new["run.precision"] = old["run.precision"]
    to_the_end = now.optimiser.schedule == "linear" or now.run.bits_after > 0
    free = FREE if to_the_end else FREE | LENGTH
    keys = sorted((old.keys() | new.keys()) - free)
    absent = object()  # another kind of reader has other keys
    return [key for key in keys if old.get(key, absent) != new.get(key, absent)]


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Nested keys as `a.b`, the way overrides are written."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{before}{key}.")
        else:
            found[f"{before}{key}"] = value
    return found

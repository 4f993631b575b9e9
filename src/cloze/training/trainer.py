"""A training run: steps, validations, checkpoints, and an end that leaves a model directory.

    run/config.yaml        the config that was run
        encoded/           the corpus in token ids, unless encoded= was given
        metrics.jsonl      losses, accuracies and speeds
        checkpoints/       the last few, to resume from
        best/              the best weights so far
        model/             at the end: the best reader with its vocabulary, card and curves

Between two boundaries (a log line, a validation, a checkpoint) nothing is read back from the
device and nothing is decided; everything decided at a boundary is in the checkpoint. That is why
a run that was killed and resumed continues exactly as if it had never stopped.
"""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
import yaml

from cloze.errors import UserError
from cloze.files import check_apart, one_writer, write_text
from cloze.names.language import load_language
from cloze.readers.counting import count_weights
from cloze.readers.device import choose_device, memory_is_full
from cloze.readers.encoded import EncodedSplit
from cloze.readers.network import Network
from cloze.readers.recurrences import use_recurrence
from cloze.readers.registry import build, kind_of
from cloze.training.asynchronous import Asynchronous
from cloze.training.averaging import Averaged
from cloze.training.batches import TrainingBatches, ValidationBatches
from cloze.training.checkpoints import Checkpoint, Checkpoints
from cloze.training.data import open_data
from cloze.training.distributed import Ranks, ranks
from cloze.training.finish import leave_model
from cloze.training.in_few_bits import InFewBits, first_step
from cloze.training.journal import METRICS, Bars, Metrics, Watch
from cloze.training.near_words import NearWords, near_words
from cloze.training.noise import Noise
from cloze.training.objective import Objective
from cloze.training.order import Order
from cloze.training.precision import SIXTEEN_BITS, settled
from cloze.training.reading_teacher import ReadingTeacher
from cloze.training.resuming import Progress, fingerprints, restore, to_go_on_from
from cloze.training.rmsprop import learning_rate
from cloze.training.settings import TrainSettings
from cloze.training.signals import Interruption
from cloze.training.start import start_from
from cloze.training.steps import Done, Engine, Stepper, Synchronous, make_optimiser
from cloze.training.teacher import Teacher
from cloze.training.validation import validate
from cloze.training.vectors import start_from_vectors

SIGNS = 4  # tokens that a reader may set around and between the two texts


@dataclass(frozen=True)
class Result:
    best_accuracy: float
    best_step: int
    step: int
    minutes: float
    reason: str  # why it ended
    model: Path


class Interrupted(SystemExit):
    """The run was told to stop and has saved its work; the process exits with 130 or 143."""

    code: int

    def __init__(self, code: int, checkpoint: Path | None) -> None:
        super().__init__(code)
        self.what = f"saved {checkpoint}" if checkpoint else "nothing had been done yet"


def train(settings: TrainSettings, *, resume: bool = False) -> Result:
    """Run a config to its end. With `resume`, continue from the last checkpoint, if any."""
    check_inputs_apart(settings)
    with ranks(choose_device(settings.run.device)) as joined:
        if settings.run.threads is not None:
            torch.set_num_threads(settings.run.threads)
        alone = _alone(settings.out, joined)
        with Interruption() as interruption, alone, _told_if_memory_is_full(settings):
            trainer = Trainer(settings, joined, resume=resume)
            try:
                return trainer.run(interruption)
            finally:
                trainer.close()


def check_inputs_apart(settings: TrainSettings) -> None:
    """Stop if a run would write over or into what it reads; its folder may well hold that."""
    encoded = ["encoded"] if settings.encoded is None else []
    for written in ("config.yaml", METRICS, "checkpoints", "best", "model", *encoded):
        teacher = settings.teacher
        inputs = (settings.corpus, settings.encoded, settings.start_from, teacher.reader)
        check_apart(settings.out / written, *inputs)


@contextmanager
def _told_if_memory_is_full(settings: TrainSettings) -> Iterator[None]:
    try:
        yield
    except torch.OutOfMemoryError as problem:
        latest = Checkpoints(settings.out).latest()
        fix = "see what else uses it; batches.accumulate=2 or smaller batches need less"
        fix = fix if latest is None else f"{fix}; or go on from {latest.name} with --resume"
        raise memory_is_full(problem, where=settings.out, fix=fix) from None


def _alone(out: Path, joined: Ranks) -> AbstractContextManager[None]:
    """The first rank writes for all; no other run may write there meanwhile."""
    if not joined.first:
        return nullcontext()
    return one_writer(out, fix="wait for it, or give another out=")


def order_of(settings: TrainSettings, train: EncodedSplit) -> Order:
    batches, lengths = settings.batches, train.document_lengths
    if batches.tokens is not None:
        lengths = lengths + train.question_lengths + SIGNS
    return Order(
        lengths,
        train.document_entities[train.question_document],
        batch=batches.size,
        tokens=batches.tokens,
        seed=settings.run.seed,
        curriculum=batches.stages(),
    )


class Trainer:
    def __init__(self, settings: TrainSettings, joined: Ranks, *, resume: bool) -> None:
        self.ranks, self.out, self.reader = joined, settings.out, settings.reader
        self.checkpoints = Checkpoints(self.out, settings.run.keep)
        before = self._checkpoint(settings, resume)
        began = None if before is None else before.state["config"]["run"]
        began_with = began and began.get("precision", "float32")
        self.settings = settings = settled(settings, joined.device, began_with)
        self.data = open_data(settings, joined)
        rephrases = settings.noise.rephrased_questions > 0
        self.network = self._network(fresh=before is None or rephrases)
        self.near = self._near_words() if rephrases else None
        self.teacher = self._teacher()
        self.optimiser = make_optimiser(settings.optimiser, self.network)
        self.averaged = Averaged.of(settings.run, self.network)
        self.progress = Progress()
        self.made_with = fingerprints(self.data, self.teacher)
        if before is not None:
            self.progress = restore(
                before, self.made_with, self.network, self.optimiser, self.averaged
            )
        self.order = order_of(settings, self.data.train)
        self.batches, self.valid = self._batches()
        self.last_step = self._last_step()
        self.few_bits = self._few_bits()
        self.engine = self._engine()
        self.watch = Watch(self.order, self.engine)
        self.bars = Bars(self.last_step, shown=joined.first)
        self.metrics = Metrics(
            self.out / METRICS if joined.first else None,
            from_step=self.progress.step,
            tensorboard=self.out / "tensorboard" if settings.run.tensorboard else None,
        )

    def _checkpoint(self, settings: TrainSettings, resume: bool) -> Checkpoint | None:
        """The checkpoint to resume from; without `resume`, an existing run is refused."""
        if self.ranks.first:
            self.checkpoints.clean()
        if resume:
            return to_go_on_from(self.checkpoints, settings)
        if self.checkpoints.latest() is not None:
            fix = "give --resume, or another out="
            raise UserError("already holds a run", where=self.out, fix=fix)
        return None

    def _network(self, *, fresh: bool) -> Network:
        vocabulary = self.data.vocabulary
        network = build(self.reader, len(vocabulary), seed=self.settings.run.seed)
        if fresh and self.settings.vectors is not None:
            start_from_vectors(self.settings.vectors, network, vocabulary)
        if fresh and self.settings.start_from is not None:
            start_from(self.settings.start_from, network, vocabulary)
        if self.settings.run.kept_layers is not None:
            network.keep(self.settings.run.kept_layers)
        if self.settings.run.recompute:
            network.recompute()
        run = self.settings.run
        stored = SIXTEEN_BITS.get(run.precision, torch.float32)
        use_recurrence(run.recurrence, network, self.ranks.device, stored)
        return network.to(self.ranks.device)

    def _batches(self) -> tuple[TrainingBatches, ValidationBatches]:
        run, data, ranks = self.settings.run, self.data, self.ranks
        pool = self.reader.pool(data.vocabulary.pool)
        collate = partial(kind_of(self.reader.kind).collate, seed=run.seed, pool=pool)
        parts = self.settings.batches.accumulate
        share = {"rank": ranks.rank, "ranks": ranks.count, "parts": parts}
        unchanged = self.settings.teacher.reader is not None
        noise = Noise.of(self.settings.noise, run.seed, data.vocabulary, self.near)
        return (
            TrainingBatches(
                data.train, self.order, collate, noise=noise, unchanged=unchanged, **share
            ),
            ValidationBatches(data.valid, collate, batch=run.validate_batch, limit=run.validate_on),
        )

    def _near_words(self) -> NearWords:
        """By the weights that training starts from: a resumed run, too, takes them from there and
        not from its checkpoint, so that it replaces the words that it would have replaced."""
        pretrained = getattr(self.reader, "pretrained", None)  # only the Encoder Reader has it
        learnt = self.settings.start_from is not None or pretrained is not None
        language = load_language(self.data.language)
        return near_words(self.data.vocabulary, self.network, language, learnt=learnt)

    def _teacher(self) -> Teacher | ReadingTeacher | None:
        teacher, data = self.settings.teacher, self.data
        if teacher.answers is None and teacher.reader is None:
            return None
        if self.reader.output != "candidates":
            raise UserError(
                "a teacher needs a reader that chooses among the candidates",
                where="teacher.answers" if teacher.answers else "teacher.reader",
                fix="set reader.output=candidates",
            )
        if teacher.answers is not None:
            return Teacher.open(teacher.answers, teacher.weight, len(data.train))
        return ReadingTeacher.open(teacher, self.reader, data.vocabulary, self.ranks.device)

    def _few_bits(self) -> InFewBits | None:
        run, first_word = self.settings.run, self.data.vocabulary.first_word
        if run.bits is None:
            return None
        begin = first_step(run, self.last_step)
        return InFewBits(self.network, self.reader, first_word, run.bits, begin)

    def _engine(self) -> Engine:
        several = self.ranks.count > 1
        stepper = Stepper(
            self.ranks.wrap(self.network),
            self.reader,
            self.optimiser,
            self.settings,
            self.ranks.device,
            stream=(self.ranks.rank,) if several else (),
            objective=Objective(self.reader, self.teacher),
            few_bits=self.few_bits,
        )
        if self.settings.run.workers is None:
            return Synchronous(stepper, self.batches, self.progress.step, self.averaged)
        if several:
            raise UserError("run.workers and torchrun cannot be combined", fix="use one of them")
        if self.batches.parts > 1:
            fix = "give smaller batches instead"
            raise UserError("run.workers and batches.accumulate cannot be combined", fix=fix)
        return Asynchronous(stepper, self.batches, self.settings.run.workers)

    def run(self, interruption: Interruption) -> Result:
        progress, run = self.progress, self.settings.run
        started = time.perf_counter() - progress.minutes * 60
        saved_at = progress.step
        end = self._why_end()

        def halt(step: int) -> bool:
            self.bars.at(step, self.order.locate(step))
            # Several ranks must agree, and only do so at boundaries.
            return interruption.number is not None and self.ranks.count == 1

        with self.bars:
            self._greet()
            self.watch.restart()
            while not end:
                done = self.engine.run(progress.step, self._boundary(), self._rate, halt)
                self._check_finite(done)
                self.watch.taken(progress.step, len(done))
                progress.step += len(done)
                progress.pending += self.ranks.mean(done.losses)
                progress.minutes = (time.perf_counter() - started) / 60
                if progress.step % run.log_every == 0 and len(done):
                    self._log(done)
                told_to_stop = self.ranks.any(interruption.number is not None)
                end = "" if told_to_stop else self._why_end()
                if end or (progress.step % run.validate_every == 0 and len(done)):
                    self._validate()
                    end = end or self._why_end()
                save = told_to_stop or end or progress.step % run.checkpoint_every == 0
                if save and progress.step != saved_at:
                    self._save()
                    saved_at = progress.step
                if told_to_stop:
                    raise Interrupted(interruption.exit_code, self.checkpoints.latest())
        return self._finish(end)

    def close(self) -> None:
        self.engine.close()
        self.metrics.close()

    def _boundary(self) -> int:
        """The next step at which something has to be decided."""
        run, step = self.settings.run, self.progress.step
        periods = (run.log_every, run.validate_every, run.checkpoint_every)
        ahead = [step - step % period + period for period in periods]
        return min(ahead if self.last_step is None else [*ahead, self.last_step])

    def _last_step(self) -> int | None:
        run = self.settings.run
        ends = [run.steps] if run.steps is not None else []
        if run.epochs is not None:
            ends.append(self.order.steps_to_end_of_epoch(run.epochs))
        return min(ends, default=None)

    def _why_end(self) -> str:
        run, progress = self.settings.run, self.progress
        if self.last_step is not None and progress.step >= self.last_step:
            return f"all {self.last_step:,} steps done"
        if run.patience is not None and progress.stale >= run.patience:
            return f"no better accuracy in {run.patience} validations"
        out_of_time = run.minutes is not None and progress.minutes >= run.minutes
        if run.minutes is not None and self.ranks.any(out_of_time):
            return f"{run.minutes:g} minutes are over"
        return ""

    def _rate(self, step: int) -> float:
        optimiser = self.settings.optimiser
        return learning_rate(
            step,
            base=optimiser.learning_rate,
            schedule=optimiser.schedule,
            warmup=optimiser.warmup,
            steps=self.last_step,
            half_life=optimiser.half_life,
            halvings=self.progress.halvings,
        )

    def _check_finite(self, done: Done) -> None:
        if done.first_bad is None:
            return
        step = self.progress.step + done.first_bad
        ids = self.data.train.question_ids
        examples = ", ".join(ids[q] for q in self.batches.order.questions(step))
        latest = self.checkpoints.latest()
        raise UserError(
            f"the loss or its gradient is not a number at step {step}, questions {examples}",
            where=self.out,
            fix=f"the last good checkpoint is {latest}; lower optimiser.learning_rate or clip"
            if latest
            else "lower optimiser.learning_rate or optimiser.clip",
        )

    def _log(self, done: Done) -> None:
        progress = self.progress
        loss = sum(progress.pending) / len(progress.pending)
        progress.pending = []
        best = progress.best_accuracy if progress.best_accuracy >= 0 else None
        speed = self.watch.speed()
        self.bars.note(loss, speed["questions_per_second"], speed["tokens_per_second"], best)
        if self.ranks.first:
            place = self.order.locate(progress.step - 1)
            self.metrics.add(
                progress.step,
                epoch=place.epoch + (place.position + 1) / place.batches,
                loss=loss,
                gradient_norm=done.norms[-1],
                learning_rate=self._rate(progress.step - 1),
                minutes=progress.minutes,
                **speed,
            )

    def _validate(self) -> None:
        progress = self.progress
        self.watch.pause()
        with (
            nullcontext() if self.averaged is None else self.averaged.now(),
            nullcontext() if self.few_bits is None else self.few_bits.now(),
        ):
            ticking = self.bars.validating
            found = validate(
                self.network, self.reader, self.valid, self.settings, self.ranks, ticking
            )
        better = found.accuracy > progress.best_accuracy
        progress.stale = 0 if better else progress.stale + 1
        if better:
            progress.best_accuracy, progress.best_step = found.accuracy, progress.step
        elif self.settings.optimiser.schedule == "plateau":
            progress.halvings += 1
        if self.ranks.first:
            if better:
                with nullcontext() if self.averaged is None else self.averaged.now():
                    self.checkpoints.save_best(self.network.state_dict(), self._state())
            self.metrics.add(
                progress.step,
                valid_accuracy=found.accuracy,
                valid_loss=found.loss,
                best_accuracy=progress.best_accuracy,
                valid_seconds=found.seconds,
                minutes=progress.minutes,
            )
            self.bars.say(
                f"step {progress.step:,}: valid accuracy {found.accuracy:.2%}, "
                f"loss {found.loss:.3f}, best {progress.best_accuracy:.2%}, "
                f"{progress.minutes:.1f} min, {self.watch.line()}"
            )
        self.watch.restart()

    def _state(self) -> dict[str, Any]:
        config = self.settings.as_json()
        return {**asdict(self.progress), **self.made_with, "config": config}

    def _save(self) -> None:
        if self.ranks.first:
            self.watch.pause()
            weights, optimiser = self.network.state_dict(), self.optimiser.state()
            average = {} if self.averaged is None else self.averaged.means
            self.checkpoints.save(Checkpoint(weights, optimiser, self._state(), average))
            self.watch.restart()

    def _greet(self) -> None:
        if not self.ranks.first:
            return
        config = yaml.safe_dump(self.settings.as_json(), sort_keys=False)
        write_text(self.out / "config.yaml", f"# cloze train {self.out / 'config.yaml'}\n{config}")
        first_word = self.data.vocabulary.first_word
        weights = count_weights(self.network, self.settings.reader, first_word)
        teacher = self.settings.teacher.reader
        self.bars.say(
            f"{self.reader.name}: {weights:,} weights, {len(self.data.train):,} questions of "
            f"{self.data.name}, seed {self.settings.run.seed}, on {self.ranks.device}, in "
            f"{self.settings.run.precision}"
            + (f", taught by {teacher}" if teacher else "")
            + (f", continuing from step {self.progress.step:,}" if self.progress.step else "")
        )

    def _finish(self, reason: str) -> Result:
        progress = self.progress
        model = self.out / "model"
        if self.ranks.first:
            found = self.checkpoints
            leave_model(self.settings, self.data, found, model, self.order, reason=reason)
        return Result(
            progress.best_accuracy,
            progress.best_step,
            progress.step,
            progress.minutes,
            reason,
            model,
        )

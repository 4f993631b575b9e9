"""Search over hyperparameters by grid or TPE, in a journal that many processes may share.

    out/journal.log       Optuna's journal: every trial, its values and its state
        trials/1f0c.../   the run of a trial, named after its values
        table.md          all trials, best first, the failed ones with their reasons
        plot.png          accuracy against each value
        best.yaml         the best trial's config

Start the same command again, here or on another machine that shares the folder, and it joins in: it
takes values that no process has finished or is running. A trial that failed is tried again; a trial
whose process was stopped or killed resumes from its checkpoint.
"""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import optuna
from filelock import BaseFileLock, FileLock, Timeout
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial, Trial, TrialState
from pydantic import Field, NonNegativeInt, PositiveInt

from cloze.config import Settings, load
from cloze.errors import UserError
from cloze.files import check_apart
from cloze.training.settings import TrainSettings
from cloze.training.study import Value, open_study
from cloze.training.trainer import Interrupted, Result, check_inputs_apart, train

Values = dict[str, Value]
Say = Callable[[str], None]
WRITTEN = ("journal.log", "trials", "table.md", "plot.png", "best.yaml")


class Range(Settings):
    """A range of numbers for TPE."""

    low: float
    high: float
    log: bool = False


class SearchSettings(Settings):
    base: Path  # the training config, relative to the search's own file
    sampler: Literal["grid", "tpe"] = "grid"
    trials: PositiveInt | None = None  # different values to try; None: the whole grid
    retries: NonNegativeInt = 1  # of a trial that failed
    seed: int = 0
    fixed: dict[str, Value] = Field(default_factory=dict)  # overrides the base in every trial
    space: dict[str, list[Value] | Range]


class Search:
    def __init__(self, path: Path, out: Path, overrides: list[str], say: Say = print) -> None:
        self.settings = load(SearchSettings, path)
        self.base = path.parent / self.settings.base
        self.out, self.overrides, self.say = out, overrides, say
        self.distributions = _distributions(self.settings)
        for values in self._each_value():
            settings = self.config(values)  # errors are reported before any training starts
            check_inputs_apart(settings)
            for written in WRITTEN:
                inputs = (settings.corpus, settings.encoded, settings.start_from)
                check_apart(out / written, path, self.base, *inputs)
        out.mkdir(parents=True, exist_ok=True)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.study = open_study(out)
        _check_same_space(self.study.get_trials(), self.distributions, out)
        # Processes that join later draw different values.
        seed = self.settings.seed + len(self.study.trials)
        self.study.sampler = optuna.samplers.TPESampler(seed=seed)

    def run(self) -> None:
        """Take trials until there are none left to take."""
        while True:
            with ExitStack() as running:
                with self.lock("claim", wait=True):
                    trial = self._claim()
                    if trial is None:
                        return
                    running.enter_context(self.lock(_name(trial.params), wait=True))
                self._try(trial)

    def config(self, values: Values) -> TrainSettings:
        pairs = {**self.settings.fixed, **values}
        laid = [f"{key}={json.dumps(value)}" for key, value in pairs.items()]
        out = f"out={self.out / 'trials' / _name(values)}"
        return load(TrainSettings, self.base, [*laid, *self.overrides, out])

    def _try(self, trial: Trial) -> None:
        settings = self.config(trial.params)
        shown = ", ".join(f"{key}={value}" for key, value in trial.params.items())
        self.say(f"trial {trial.number}: {shown}")
        try:
            result = train(settings, resume=True)
        except (Interrupted, KeyboardInterrupt):
            self._fail(trial.number, "interrupted")
            raise
        except (UserError, RuntimeError, MemoryError) as problem:
            self._fail(trial.number, str(problem).splitlines()[0])
            self.say(f"trial {trial.number} failed: {problem}")
        else:
            self._complete(trial, result)
            self.say(f"trial {trial.number}: accuracy {result.best_accuracy:.2%}")

    def _complete(self, trial: Trial, result: Result) -> None:
        trial.set_user_attr("minutes", result.minutes)
        trial.set_user_attr("step", result.best_step)
        self.study.tell(trial, result.best_accuracy)

    def _fail(self, number: int, reason: str) -> None:
        # Through the storage, because the trial may belong to another process that died.
        trial_id = self.study.trials[number]._trial_id
        self.study._storage.set_trial_user_attr(trial_id, "error", reason)
        self.study.tell(number, state=TrialState.FAIL)

    def _claim(self) -> Trial | None:
        """The next trial for this process; the caller holds the lock for claiming trials.

        A trial whose process died before it had all its values is none.
        """
        for trial in self.study.get_trials(states=[TrialState.RUNNING]):
            if not self._alive(trial):
                self._fail(trial.number, "the process died")
        trials = [
            t for t in self.study.get_trials() if t.params.keys() >= self.distributions.keys()
        ]
        begun = {_name(trial.params) for trial in trials}
        values = self._to_retry(trials)
        if values is None:
            if self.settings.trials is not None and len(begun) >= self.settings.trials:
                return None
            if self.settings.sampler == "grid":
                values = next((v for v in self._grid() if _name(v) not in begun), None)
                if values is None:
                    return None
        if values is not None:
            self.study.enqueue_trial(values)
        return self.study.ask(self.distributions)

    def _to_retry(self, trials: list[FrozenTrial]) -> Values | None:
        """Values whose trials all failed, but may be retried; interruptions are not failures."""
        by_name: dict[str, list[FrozenTrial]] = {}
        for trial in trials:
            by_name.setdefault(_name(trial.params), []).append(trial)
        for attempts in by_name.values():
            if any(trial.state != TrialState.FAIL for trial in attempts):
                continue
            failed = [t for t in attempts if t.user_attrs.get("error") != "interrupted"]
            if len(failed) <= self.settings.retries:
                return dict(attempts[0].params)
        return None

    def _alive(self, trial: FrozenTrial) -> bool:
        try:
            with self.lock(_name(trial.params), wait=False):
                return False
        except Timeout:
            return True

    def lock(self, name: str, *, wait: bool) -> BaseFileLock:
        """Held only by a living process: the system releases the lock of a dead one."""
        path = self.out / "locks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path, timeout=-1 if wait else 0)

    def _grid(self) -> Iterator[Values]:
        keys = list(self.settings.space)
        choices = [x for x in self.settings.space.values() if isinstance(x, list)]
        for combination in itertools.product(*choices):
            yield dict(zip(keys, combination, strict=True))

    def _each_value(self) -> Iterator[Values]:
        """Points that together cover every value of the space, and both ends of each range."""
        values = {
            key: x if isinstance(x, list) else [x.low, x.high]
            for key, x in self.settings.space.items()
        }
        for place in range(max(map(len, values.values()))):
            yield {key: some[place % len(some)] for key, some in values.items()}


def _distributions(settings: SearchSettings) -> dict[str, BaseDistribution]:
    made: dict[str, BaseDistribution] = {}
    for key, choices in settings.space.items():
        if isinstance(choices, list):
            if not choices:
                raise UserError(f"space.{key} has no values")
            made[key] = CategoricalDistribution(choices)
        elif settings.sampler == "grid":
            raise UserError(f"space.{key} is a range", fix="list its values, or give sampler: tpe")
        else:
            made[key] = FloatDistribution(choices.low, choices.high, log=choices.log)
    if settings.sampler == "tpe" and settings.trials is None:
        raise UserError("TPE has no end of its own", fix="give trials: 50")
    if not made:
        raise UserError("the space is empty", fix="list the values of at least one key")
    return made


def _check_same_space(
    trials: list[FrozenTrial], space: dict[str, BaseDistribution], out: Path
) -> None:
    """A list of values that was changed since would be another search."""
    for trial in trials:
        for key, before in trial.distributions.items():
            now = space.get(key)
            if isinstance(before, CategoricalDistribution) != isinstance(
                now, CategoricalDistribution
            ) or (isinstance(before, CategoricalDistribution) and before != now):
                what = f"was begun with other values of {key}"
                raise UserError(what, where=out, fix="restore them, or give another --out")


def _name(values: Values) -> str:
    """A folder name for a trial's values, the same in every process."""
    text = json.dumps(values, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

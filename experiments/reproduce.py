"""The paper's tables from raw stories, in one go: build, encode, train, evaluate, report.

    python experiments/reproduce.py DATA --out runs/reproduce
    make reproduce DATA=folder
    make reproduce DATA=folder VECTORS=glove.100d.txt.gz ENCODER=folder      all readers

DATA holds stories/CORPUS.{train,valid}.jsonl.zst and the same names under spans/, for cnn,
dailymail or both. Each step is a command of cloze; it is printed with the minutes that it should
take on an NVIDIA H200 and two cores. Killed at any moment and started again, it goes on where it
stood: what is done is skipped, and what was begun is resumed. Without a GPU it only says how long
it would take, unless overrides make it short: a rehearsal.

The paper's readers and the Attention Sum Reader are always trained. The Stanford and the
Gated-Attention Reader start from word vectors, the Encoder Reader from a pretrained encoder of base
size; they are trained if these are given.
"""

import argparse
import shlex
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cloze.config import load
from cloze.errors import UserError
from cloze.files import read_json, write_text
from cloze.tables import Table, as_text
from cloze.training.settings import TrainSettings

CONFIGS = Path(__file__).parents[1] / "configs"
CORPORA = ("cnn", "dailymail")
READERS = ("attentive", "impatient", "impatient_scratch", "deep_lstm", "uniform", "attention_sum")
FROM_VECTORS = ("stanford", "gated_attention")
ENCODER = "encoder"
VECTORS = "--vectors FILE (with make: VECTORS=FILE)"
PRETRAINED = "--encoder FOLDER (with make: ENCODER=FOLDER)"
SCRATCH = "_scratch"  # the Impatient Reader without the start from the Attentive one
REHEARSAL = "run.steps=20 run.validate_on=50 reader.hidden_size=16 batches.size=8 run.device=cpu"
# docs/reproduction.md and docs/training.md: questions/s on an H200, and on two cores.
SPEEDS = {"attentive": 4379, "impatient": 2635, "deep_lstm": 7790, "uniform": 2780}
SPEEDS |= {"attention_sum": 1809, "stanford": 4694, "gated_attention": 2019, ENCODER: 556}
ON_CPU = defaultdict(lambda: 23.0, {ENCODER: 0.5})  # the last is an estimate
AN_EPOCH = {"cnn": 381_698, "dailymail": 885_007}  # questions
# Minutes of the other steps, by corpus, on two cores: docs/reproduction.md.
MINUTES = {
    "build": {"cnn": 3.1, "dailymail": 9.2},
    "stats": {"cnn": 0.5, "dailymail": 2.0},
    "encode": {"cnn": 0.4, "dailymail": 1.2},
    "evaluate": {"cnn": 4.0, "dailymail": 50.0},
    "report": {"cnn": 0.2, "dailymail": 1.0},
}


@dataclass(frozen=True)
class Step:
    name: str  # of its mark among those that are done
    what: str
    minutes: float  # on an H200 and two cores
    command: list[str]  # of cloze
    output: Path | None = None  # what it prints goes there too
    days_on_cpu: float = 0.0  # of a training on two cores

    def line(self) -> str:
        return f"{self.what} (about {self.minutes:.1f} min)"


@dataclass(frozen=True)
class Plan:
    data: Path
    out: Path
    readers: list[str]
    seeds: int
    overrides: list[str]
    vectors: Path | None = None
    encoder: Path | None = None

    def corpora(self) -> list[str]:
        found = [c for c in CORPORA if (self.data / "stories" / f"{c}.train.jsonl.zst").is_file()]
        if not found:
            what = "there is neither stories/cnn.train.jsonl.zst nor dailymail's"
            raise UserError(what, where=self.data, fix="give a folder with stories/ and spans/")
        return found

    def steps(self) -> Iterator[Step]:
        for corpus in self.corpora():
            yield from self._preparation(corpus)
            yield from self._training(corpus)
            yield from self._answers(corpus)

    def _preparation(self, corpus: str) -> Iterator[Step]:
        stories = [
            f"{split}={self.data / 'stories' / f'{corpus}.{split}.jsonl.zst'}"
            for split in ("train", "valid")
        ]
        made, encoded = f"{self.out / corpus / 'corpus'}", f"{self.out / corpus / 'encoded'}"
        spans = ["--spans", f"{self.data / 'spans'}", "--name", corpus]
        yield self._step("build", corpus, ["build", *stories, made, *spans])
        yield self._step("stats", corpus, ["stats", made, "--compare", corpus])
        splits = ["--split", "train", "--split", "valid", "--pool", "600"]
        yield self._step("encode", corpus, ["encode", made, encoded, *splits])
        if ENCODER in self.readers:
            given = [made, f"{self.encoded(corpus, ENCODER)}", *splits]
            given += ["--tokenizer", f"{self.encoder}"]
            yield self._step("encode", corpus, ["encode", *given], in_what="word pieces")

    def encoded(self, corpus: str, reader: str) -> Path:
        return self.out / corpus / ("pieces" if reader == ENCODER else "encoded")

    def _training(self, corpus: str) -> Iterator[Step]:
        for seed in range(1, self.seeds + 1):
            for reader in self.readers:
                if seed == 1 or corpus == "cnn" or reader == "attentive":
                    yield self._train(corpus, reader, seed)

    def _train(self, corpus: str, reader: str, seed: int) -> Step:
        config = config_of(corpus, reader)
        run = self.out / corpus / f"{reader}-{seed}"
        given = [f"encoded={self.encoded(corpus, reader)}", f"out={run}", f"run.seed={seed}"]
        overrides = self.overrides
        if reader == "impatient":
            given.append(f"start_from={self.out / corpus / f'attentive-{seed}' / 'model'}")
        if reader in FROM_VECTORS:
            given.append(f"vectors={self.vectors}")
        if reader == ENCODER:
            given.append(f"reader.pretrained={self.encoder}")
            overrides = [one for one in overrides if of_any_encoder(one)]
        questions, kind = questions_of(config, corpus), reader.removesuffix(SCRATCH)
        minutes = questions / SPEEDS.get(kind, 1000) / 60
        what = f"{corpus}: train {reader.replace('_', ' ')}, seed {seed}"
        command = ["train", str(config), *given, *overrides, "--resume"]
        days = questions / ON_CPU[kind] / 86400
        return Step(f"{corpus}-{reader}-{seed}", what, minutes, command, days_on_cpu=days)

    def _answers(self, corpus: str) -> Iterator[Step]:
        folder = self.out / corpus
        models = [s.command[3].removeprefix("out=") for s in self._training(corpus)]
        asked = ["evaluate", "--baseline", "all", *models, f"{folder / 'corpus'}"]
        options = ["--split", "valid", "--attention", "--out", f"{folder / 'predictions'}"]
        yield self._step("evaluate", corpus, [*asked, *options, "--json"], "accuracies.json")
        made = ["report", f"{folder / 'predictions'}", "--out", f"{folder / 'report'}"]
        yield self._step("report", corpus, made)

    def _step(
        self, verb: str, corpus: str, command: list[str], output: str = "", in_what: str = ""
    ) -> Step:
        name, what = f"{corpus}-{verb}", f"{corpus}: {verb}"
        if in_what:
            name, what = f"{name}-{in_what.replace(' ', '-')}", f"{what} in {in_what}"
        to = self.out / corpus / (output or f"{name.removeprefix(f'{corpus}-')}.txt")
        return Step(name, what, MINUTES[verb][corpus], command, to)


def of_any_encoder(override: str) -> bool:
    """The shape is the pretrained encoder's, whatever the other readers are told."""
    return not override.startswith("reader.") or override.startswith("reader.dropout=")


def chosen(named: list[str] | None, vectors: Path | None, encoder: Path | None) -> list[str]:
    """The readers that were named, or all that have what they start from."""
    from_vectors = () if vectors is None else FROM_VECTORS
    possible = [*READERS, *from_vectors, *([] if encoder is None else [ENCODER])]
    for reader in named or ():
        if reader in FROM_VECTORS and vectors is None:
            raise UserError(f"{reader} starts from word vectors", fix=f"give {VECTORS}")
        if reader == ENCODER and encoder is None:
            raise UserError(
                "the Encoder Reader starts from a pretrained encoder", fix=f"give {PRETRAINED}"
            )
    for place in (vectors, encoder):
        if place is not None and not place.exists():
            raise UserError("is not there", where=place)
    return possible if named is None else named


def config_of(corpus: str, reader: str) -> Path:
    """The config that reaches the paper's accuracy; a corpus without one takes that of CNN."""
    name = f"{reader.removesuffix(SCRATCH)}.yaml"
    places = [CONFIGS / place / name for place in (f"{corpus}/fast", "cnn/fast", corpus, "cnn")]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise UserError(f"there is no config for the reader '{reader}'", where=CONFIGS)
    return found


def questions_of(config: Path, corpus: str) -> float:
    """How many questions a run reads: steps times batch, or epochs of the corpus."""
    settings = load(TrainSettings, config)
    if settings.run.steps:
        return settings.run.steps * settings.batches.size
    return (settings.run.epochs or 1) * AN_EPOCH[corpus]


def run(step: Step, done: Path) -> None:
    """Run a step unless the very same command is done already."""
    mark, command = done / step.name, shlex.join(["cloze", *step.command])
    if mark.is_file() and mark.read_text(encoding="utf-8") == command:
        print("  done already", flush=True)
        return
    print(f"  {command}", flush=True)
    started = time.monotonic()
    words = [sys.executable, "-m", "cloze", *step.command]
    ended = subprocess.run(words, stdout=None if step.output is None else subprocess.PIPE)
    if ended.returncode:
        raise SystemExit(ended.returncode)
    if step.output is not None:
        write_text(step.output, ended.stdout.decode())
        if step.command[-1] != "--json":
            print(ended.stdout.decode(), end="")
    write_text(mark, command)
    print(f"  took {(time.monotonic() - started) / 60:.1f} min", flush=True)


def summary(corpus: str, accuracies: Path) -> str:
    """The mean and the range over the seeds of each model, beside the paper's figure."""
    groups = defaultdict(list)
    for row in read_json(accuracies):
        name, _, label = row["model"].partition(" (")
        scratch = " (from scratch)" if SCRATCH in label else ""
        groups[name + scratch].append((100 * row["accuracy"], row["paper"]))
    heads, rows = [f"{corpus} valid", "mean", "range", "seeds", "paper"], []
    for name, found in sorted(groups.items(), key=lambda pair: -max(a for a, _ in pair[1])):
        values = [accuracy for accuracy, _ in found]
        spread = f"{min(values):.1f} to {max(values):.1f}" if len(values) > 1 else ""
        paper = "" if found[0][1] is None else f"{found[0][1]:.1f}"
        mean = f"{sum(values) / len(values):.1f}"
        rows.append([name, mean, spread, str(len(values)), paper])
    return as_text(Table(heads, rows, align="lrlrr"))


def has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def without_gpu(steps: list[Step], plan: Plan) -> str:
    """How long it would take here, and how to rehearse it."""
    trained = [step for step in steps if step.command[0] == "train"]
    days = sum(step.days_on_cpu for step in trained)
    other = sum(step.minutes for step in steps if step.command[0] != "train") / 60
    more = "".join(
        f" {name}={place}"
        for name, place in (("VECTORS", plan.vectors), ("ENCODER", plan.encoder))
        if place is not None
    )
    return (
        f"There is no GPU. On two cores the {len(trained)} trainings would take about "
        f"{days:.0f} days, the rest about {other:.1f} hours; on one H200, "
        f"{sum(step.minutes for step in steps) / 60:.1f} hours in all.\n"
        f'To rehearse it: make reproduce DATA={plan.data}{more} SEEDS=1 OVERRIDES="{REHEARSAL}"'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("overrides", nargs="*", help="key=value for every training")
    parser.add_argument("--out", type=Path, default=Path("runs/reproduce"))
    parser.add_argument("--readers", nargs="*", help="only these readers")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--vectors", type=Path, help="word vectors to start from (docs/training.md)"
    )
    parser.add_argument("--encoder", type=Path, help="the folder of a pretrained encoder")
    given = parser.parse_args()
    try:
        readers = chosen(given.readers, given.vectors, given.encoder)
        places = (given.vectors, given.encoder)
        plan = Plan(given.data, given.out, readers, given.seeds, given.overrides, *places)
        steps = list(plan.steps())
    except UserError as problem:
        parser.exit(2, f"error: {problem}\n")
    for number, step in enumerate(steps, start=1):
        print(f"[{number}/{len(steps)}] {step.line()}")
    print(f"in all about {sum(step.minutes for step in steps) / 60:.1f} hours", flush=True)
    if not plan.overrides and not has_gpu():
        print(without_gpu(steps, plan))
        raise SystemExit(2)
    for number, step in enumerate(steps, start=1):
        print(f"[{number}/{len(steps)}] {step.line()}", flush=True)
        run(step, plan.out / "done")
    for corpus in plan.corpora():
        print(summary(corpus, plan.out / corpus / "accuracies.json"))
        print(f"report: {plan.out / corpus / 'report' / 'index.html'}")


if __name__ == "__main__":
    main()

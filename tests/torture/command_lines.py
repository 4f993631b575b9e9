"""Whole command lines, drawn at random: good ones with something odd in them, as processes.

Each is run by `cloze` itself in a folder of its own, with a minute and two GiB. Exit code 0, or 2
with one line that says why, and nothing half-written: everything else is a finding.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.torture.fuzzing import memory
from tests.torture.kinds import KINDS
from tests.torture.processes import MEMORY, Done, Server

_ODD = (
    "", " ", "-", "--", "-1", "0", "1e9", "99999999999999999999", "nan", ".", "..", "/", "/dev/null",
    "/dev/full", "/proc/self/mem", "nowhere", "a" * 300, "é", "\udcff", "a\nb", "x=y", "=", "train=",
    "--overwrite", "--help", "--seed", "@entity0", "%s", "{}", "[", "*", "a.tar", "a.jsonl.zst", "~",
    "run.steps=0", "run.steps=x", "reader.hidden_size=1000000000000", "reader.kind=odd", "seed=1",
    "optimiser.learning_rate=1e300", "batches.size=1", "run.device=tpu", "reader={}", "run=3",
)  # fmt: skip
_PLACES = (
    "news/news.jsonl", "news/news.csv", "news/news.parquet", "news/pax.tar", "news/stories", "news",
    "news/spans.jsonl", "news/pages", "corpus", "questions", "questions.tar", "encoded", "pieces",
    "model", "pieces-model", "encoder", "run", "study", "predictions", "marked", "train.yaml",
    "study/search.yaml", "tokenizer.json", "news/built", "news/news.gold.jsonl", "news/article.txt",
    "bulk/questions.jsonl", "bulk", "parts", "parts/train", "vectors.txt", "teacher.npz", "prompt.txt",
    "sharded", "fetched", "fetched/account.sqlite", "replies/replies.sqlite", "tagger", "paged",
    "corpus/corpus.json", "model/config.json", "news/valid.txt", "whole", "run/best", "encoded/train",
)  # fmt: skip
# What each verb is given when all is well; names in capitals are places of the world.
_GOOD = (
    "build {news/news.jsonl} out --spans {news/spans.jsonl} --workers 1",
    "build {news/news.csv} out --pipeline rules:en --workers 1 --split train",
    "build train={news/news.parquet} valid={news/pax.tar} out --pipeline rules:en --workers 1",
    "build {news/stories} out --pipeline rules:en --workers 1 --split ids:valid={news/valid.txt}",
    "build {news/pages} out --pipeline rules:en --workers 1 --split months:valid=2015-03",
    "annotate {news/news.jsonl} out.jsonl.zst --pipeline rules:en --workers 1",
    "stats {corpus} --json", "stats {corpus} --compare cnn",
    "import {questions} out --name n", "import {questions.tar} out --strict",
    "export {corpus} out --split valid", "export {corpus} out.tar",
    "export {corpus} out --format danqi", "export {corpus} out --format parquet --split valid",
    "encode {corpus} out --words 20 --pool 3", "encode {corpus} out --tokenizer {tokenizer.json}",
    "train {train.yaml} encoded={encoded} out=out run.steps=1",
    "train {train.yaml} corpus={corpus} out=out run.steps=1 start_from={model}",
    "train {train.yaml} encoded={encoded} out=out reader.kind=uniform run.steps=1 --resume",
    "search {study/search.yaml} encoded={encoded} --out out run.steps=1",
    "evaluate --baseline maximum-frequency {corpus} --out out --limit 3 --permutations 2",
    "evaluate {model} {corpus} --out out --limit 2 --attention --device cpu",
    "evaluate {model} {corpus} --out out --limit 2 --encoded {encoded} --device cpu",
    "evaluate word-distance {corpus} --out out --question-only --json --seed 3",
    "prune {model} out --words 5 --names-only",
    "prune {four-bits} out --layers 0 --inner 20 --measured-on {pieces} --questions 2",
    "train {train.yaml} encoded={encoded} out=out run.steps=2 run.bits=3 run.bits_after=0.5",
    "train {train.yaml} encoded={encoded} out=out run.steps=1 noise.wrong_articles=0.5 noise.poorer_questions=1",
    "heatmap {predictions} --out out.html --pairs 1", "heatmap {predictions} --out out --pairs 1",
    "report {predictions} --out out --texts 1 --heatmaps 1 --title odd",
    "audit {corpus} --out out.html --sample 2 --seed 1", "audit --gold {marked} --pipeline rules:en",
    "audit {news/built} --gold {news/news.gold.jsonl} --out out.html",
    "newsroom out --stories 2 --held-out 1 --seed 3", "newsroom out.jsonl --raw --stories 2",
    "ask maximum-frequency --article {news/article.txt} --question X --pipeline rules:en",
    "ask maximum-frequency --article {news/article.txt} --highlights {news/highlights.txt} --pipeline rules:en",
    "ask maximum-frequency --batch {bulk/questions.jsonl} --out out.jsonl --pipeline rules:en",
    "split {news/news.jsonl} out --stories 1 --spans {news/spans.jsonl}",
    "encode {corpus} out --part-size 1MB", "evaluate {model} {corpus} --out out --encoded {parts}",
    "train {train.yaml} encoded={parts} out=out run.steps=1 vectors={vectors.txt}",
    "train {train.yaml} encoded={encoded} out=out run.steps=1 teacher.answers={teacher.npz}",
    "train own/encoder encoded={pieces} out=out run.steps=1 start_from={four-bits} teacher.reader={four-bits} teacher.states=1 run.device=cpu",
    "build {news/news.jsonl} out --spans {news/spans.jsonl} --split train --shard 1/2 --workers 1",
    "build {news/pages.warc} out --pipeline rules:en --split train --finish --workers 1",
    "fetch {news/valid.txt} out --contact a@example.org", "doctor",
    "export {corpus} out --format lm-eval --split valid --prompt {prompt.txt}",
    "export {corpus} out --format inspect --split valid --form all --without-answers",
    "train --list", "train --keys", "--version", "--help", "build --help",
    "annotate {news/news.jsonl} out.jsonl.zst --pipeline rules:en --workers 1 --shard 2/2",
    "annotate {news/news.csv} out.jsonl --pipeline rules:en --finish",
    "build {news/news.jsonl} {news/stories} out --pipeline rules:en --workers 1 --shard 1/1",
    "encode {corpus} out --workers 1 --shard 1/2", "encode {corpus} out --finish",
    "evaluate {model} {corpus} --out out --workers 1 --shard 1/1 --device cpu",
    "evaluate maximum-frequency {corpus} --out out --finish",
)  # fmt: skip


@dataclass
class Lines:
    """What became of the command lines."""

    run: int = 0
    refused: int = 0
    slowest: float = 0.0
    memory: int = 0
    findings: dict[str, str] = field(default_factory=dict)

    def add(self, other: "Lines") -> None:
        self.run += other.run
        self.refused += other.refused
        self.slowest = max(self.slowest, other.slowest)
        self.memory = max(self.memory, other.memory)
        self.findings = {**other.findings, **self.findings}


def command_lines(world: Path, numbers: range, seed: int, server: Server) -> Lines:
    lines = Lines()
    for number in numbers:
        random = Random(f"{seed} command line {number}")
        with tempfile.TemporaryDirectory(prefix="line-", dir=memory()) as folder:
            words = _words(random, world, Path(folder))
            done = server.run(words, Path(folder), memory=MEMORY)
            lines.run += 1
            lines.refused += done.status == 2
            lines.slowest = max(lines.slowest, done.seconds)
            lines.memory = max(lines.memory, done.memory)
            if wrong := done.wrong() or _left(done, Path(folder)):
                lines.findings.setdefault(wrong[:80], f"{number}: {' '.join(words)[:200]}: {wrong}")
    return lines


def _words(random: Random, world: Path, folder: Path) -> list[str]:
    """A good line, and in three of four cases something odd: a word, or a spoilt file."""
    line = random.choice(_GOOD)
    spoilt = random.random() < 0.5
    words = [_placed(word, world, folder, random, spoilt) for word in line.split(" ")]
    if not spoilt and random.random() < 0.8:
        words = random.choice(_CHANGES)(words, random, world)
    return [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in words]


def _placed(word: str, world: Path, folder: Path, random: Random, spoilt: bool) -> str:
    """`{corpus}` becomes the world's, or a copy of it in which one file is spoilt."""
    if "{" not in word:
        return word
    before, _, rest = word.partition("{")
    place, _, _ = rest.partition("}")
    if not spoilt:
        return before + str(world / place)
    copy = folder / "given" / Path(place).name
    if not copy.exists():
        copy.parent.mkdir(exist_ok=True)
        _copy(world / place, copy)
        _spoil(copy, place, random)
    return before + str(copy)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def _spoil(copy: Path, place: str, random: Random) -> None:
    """One file below the copy, in the way that suits it."""
    fitting = [kind for kind in KINDS if kind.scene == place]
    if fitting:
        kind = random.choice(fitting)
        name = random.choice(kind.files)
        file = copy / name if name else copy
        file.write_bytes(kind.change(file.read_bytes(), random))
        if kind.sign is not None and random.random() < 0.7:
            kind.sign(copy, name)


def _odd_word(words: list[str], random: Random, world: Path) -> list[str]:
    place = random.randrange(len(words))
    return [*words[:place], random.choice(_ODD), *words[place + 1 :]]


def _more(words: list[str], random: Random, world: Path) -> list[str]:
    place = random.randrange(len(words) + 1)
    return [*words[:place], random.choice(_ODD), *words[place:]]


def _lost(words: list[str], random: Random, world: Path) -> list[str]:
    place = random.randrange(len(words))
    return [*words[:place], *words[place + 1 :]]


def _elsewhere(words: list[str], random: Random, world: Path) -> list[str]:
    """Some other thing of the world: a folder for a file, a model for a corpus."""
    given = [k for k, word in enumerate(words) if str(world) in word] or [len(words) - 1]
    words = list(words)
    words[random.choice(given)] = str(world / random.choice(_PLACES))
    return words


_CHANGES: tuple[Callable[[list[str], Random, Path], list[str]], ...] = (
    *(_odd_word, _more, _lost, _elsewhere, _elsewhere),
)


def _left(done: Done, folder: Path) -> str:
    """What a command that refused has left in its folder."""
    return next((f"left {name}" for name in _partial(folder)), "") if done.status == 2 else ""


def _partial(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        in_vain = path.name.endswith(".shards") and not any(map(_is_done, path.rglob("*")))
        if path.name.endswith((".partial", ".old")) or in_vain:
            yield str(path.relative_to(folder))


def _is_done(path: Path) -> bool:
    """Whether it is a piece of shared work, which the next run takes up."""
    return path.parent.name in ("survey", "counts", "records")

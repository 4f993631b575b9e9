"""`make reproduce`: it says what it will do and for how long, does it, and goes on after a stop."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.scripts import module_of

SCRIPT = Path(__file__).parents[1] / "experiments" / "reproduce.py"
NAMES = ("Mara Venn", "Otto Lind", "Ida Holm", "Per Aasen")
SMALL = "run.steps=4 run.checkpoint_every=1 run.validate_on=4 reader.hidden_size=4 batches.size=2"


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(bytes(pa.Codec("zstd").compress(text.encode())))


def spans_in(text: str) -> list[list[object]]:
    return [[m.start(), m.end(), "PERSON"] for n in NAMES for m in re.finditer(n, text)]


def data_of(folder: Path) -> Path:
    for split, count in (("train", 4), ("valid", 2)):
        stories, spans = [], []
        for k in range(count):
            first, second = NAMES[k % 4], NAMES[(k + 1) % 4]
            article = f"{first} bought the old boat number {k}. Then {second} sold a lamp."
            highlight = f"The old boat was bought by {first}"
            stories.append({"id": f"{split}{k}", "article": article, "highlights": [highlight]})
            own = {"article": spans_in(article), "highlights": [spans_in(highlight)]}
            spans.append({"id": f"{split}{k}"} | own)
        write(folder / "stories" / f"cnn.{split}.jsonl.zst", stories)
        write(folder / "spans" / f"cnn.{split}.jsonl.zst", spans)
    return folder


def started(data: Path, *given: str, out: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(data), *given, "--out", str(out), "--seeds", "1"],
        env=os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_without_a_gpu_it_says_how_long_it_would_take(tmp_path: Path) -> None:
    run = started(data_of(tmp_path / "data"), out=tmp_path / "out")
    said, _ = run.communicate()
    assert run.returncode == 2
    assert "[1/11] cnn: build (about 3.1 min)\n" in said
    assert re.search(r"On two cores the 6 trainings would take about \d+ days", said)
    assert re.search(r'make reproduce DATA=\S+ SEEDS=1 OVERRIDES="run.steps=20 .*"', said)
    assert not (tmp_path / "out").exists()


def test_what_readers_start_from_decides_which_are_trained(tmp_path: Path) -> None:
    data, out = data_of(tmp_path / "data"), tmp_path / "out"
    vectors, encoder = tmp_path / "vectors.txt", tmp_path / "pretrained"
    vectors.touch()
    encoder.mkdir()
    run = started(data, "--vectors", str(vectors), "--encoder", str(encoder), out=out)
    said, _ = run.communicate()
    assert run.returncode == 2
    trained = re.findall(r"cnn: train (.*), seed 1", said)
    assert trained[-4:] == ["attention sum", "stanford", "gated attention", "encoder"]
    assert "] cnn: encode in word pieces" in said
    run = started(data, "--readers", "stanford", out=out)
    said, _ = run.communicate()
    assert run.returncode == 2
    assert said == (
        "error: stanford starts from word vectors; give --vectors FILE (with make: VECTORS=FILE)\n"
    )


def test_the_commands_name_what_readers_start_from(tmp_path: Path) -> None:
    script: Any = module_of(SCRIPT)
    data, out = data_of(tmp_path / "data"), tmp_path / "out"
    vectors, encoder = tmp_path / "vectors.txt", tmp_path / "pretrained"
    readers = ["attentive", "stanford", "encoder"]
    given = ["reader.hidden_size=4", "reader.dropout=0.2", "run.steps=4"]
    plan = script.Plan(data, out, readers, 1, given, vectors, encoder)
    commands = {step.name: step.command for step in plan.steps()}
    assert commands["cnn-attentive-1"][2:] == [
        f"encoded={out / 'cnn' / 'encoded'}",
        f"out={out / 'cnn' / 'attentive-1'}",
        "run.seed=1",
        *given,
        "--resume",
    ]
    assert f"vectors={vectors}" in commands["cnn-stanford-1"]
    large = commands["cnn-encoder-1"]
    assert f"encoded={out / 'cnn' / 'pieces'}" in large
    assert f"reader.pretrained={encoder}" in large
    assert large[-3:] == ["reader.dropout=0.2", "run.steps=4", "--resume"]
    pieces = commands["cnn-encode-word-pieces"]
    assert pieces[:3] == ["encode", f"{out / 'cnn' / 'corpus'}", f"{out / 'cnn' / 'pieces'}"]
    assert pieces[-2:] == ["--tokenizer", f"{encoder}"]


def test_a_folder_without_stories_is_refused(tmp_path: Path) -> None:
    run = started(tmp_path, out=tmp_path / "out")
    said, _ = run.communicate()
    assert run.returncode == 2
    assert said.startswith(f"error: {tmp_path}: there is neither stories/cnn.train.jsonl.zst")


@pytest.mark.skipif(os.name == "nt", reason="kills a group of processes")
def test_killed_in_a_training_it_goes_on_to_the_report(tmp_path: Path) -> None:
    data, out = data_of(tmp_path / "data"), tmp_path / "out"
    given = [*SMALL.split(), "batches.curriculum=[]", "--readers", "attentive"]
    first = started(data, *given, out=out)
    while not list((out / "cnn" / "attentive-1" / "checkpoints").glob("step-*")):
        assert first.poll() is None, first.communicate()[0]
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    second = started(data, *given, out=out)
    said, _ = second.communicate()
    assert second.returncode == 0, said
    assert said.count("done already") == 3  # build, stats, encode
    assert "Attentive Reader" in said.partition("cnn valid")[2]
    assert (out / "cnn" / "report" / "index.html").is_file()
    third = started(data, *given, out=out)
    assert third.communicate()[0].count("done already") == 6

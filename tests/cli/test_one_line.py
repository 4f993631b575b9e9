"""Whatever the arguments or the state of a file, an error is one line: what, where, fix.

A traceback would be an exception from `main` here; a fault of our own has another exit code.
"""

import base64
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze.cli import main as command
from cloze.corpus.store import write_manifest, write_shard
from cloze.errors import UserError
from cloze.evaluation.metrics import compare
from cloze.readers.encode_corpus import encode_corpus
from cloze.readers.reader import Reader
from cloze.readers.vocabulary import Vocabulary
from tests.conftest import document_of, question_of
from tests.readers.cases import reader_config
from tests.training.corpora import write_corpus

Refused = Callable[..., str]
CONFIG = """
reader: {kind: uniform, hidden_size: 4, embedding_size: 4}
batches: {size: 8}
run: {steps: 2, validate_every: 2, checkpoint_every: 1, log_every: 1, device: cpu}
"""
LONG = "n" * 300
MARKED = Path(__file__).parents[1] / "fresh" / "texts"


@pytest.fixture
def cloze(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["cloze", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            command.main()
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def refused(cloze: Callable[..., tuple[int, str, str]]) -> Refused:
    """Run the command, which must fail; returns the one line that it prints."""

    def run(*words: object, progress: int = 0) -> str:
        """`progress`: lines that a run may have printed before it failed."""
        code, _, said = cloze(*words)
        assert code == 2, said
        *before, line = said.splitlines()
        assert line.startswith("error: "), said
        assert "Traceback" not in said
        assert len(before) <= progress, said
        return line

    return run


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "corpus")
    return tmp_path / "corpus"


@pytest.fixture
def encoded(corpus: Path, tmp_path: Path) -> Path:
    return encode_corpus(corpus, tmp_path / "encoded")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path / "config.yaml"


@pytest.fixture
def model(corpus: Path, encoded: Path, tmp_path: Path) -> Path:
    reader = Reader(
        reader_config(kind="uniform", hidden_size=4), Vocabulary.load(encoded / "vocabulary.txt")
    )
    reader.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


# Arguments on the command line.


@pytest.mark.parametrize("verb", ["train", "search"])
def test_a_folder_for_a_config(refused: Refused, tmp_path: Path, verb: str) -> None:
    (tmp_path / "folder").mkdir()
    assert "folder" in refused(verb, "folder")


@pytest.mark.parametrize(
    "words",
    [
        ["stats", LONG],
        ["train", LONG],
        ["train", "config.yaml", "encoded=encoded", f"out={LONG}"],
        ["evaluate", "--baseline", "maximum-frequency", "corpus", "--out", LONG],
        ["encode", "corpus", LONG],
        ["export", "corpus", LONG],
        ["export", "corpus", f"{LONG}.tar"],
        ["audit", "corpus", "--out", LONG],
        ["newsroom", LONG, "--stories", "2"],
        ["prune", "model", LONG],
        ["report", LONG],
        ["evaluate", LONG, "corpus"],
        ["import", LONG, "out"],
        ["build", LONG, "out"],
    ],
    ids=lambda words: " ".join(words)[:40].replace(LONG[:9], ""),
)
def test_a_name_that_is_too_long(
    refused: Refused, corpus: Path, encoded: Path, config: Path, model: Path, words: list[str]
) -> None:
    said = refused(*words)
    assert "nnn" in said


@pytest.mark.parametrize(
    "words",
    [
        ["train", "config.yaml", "encoded=encoded", "out=file/below"],
        ["search", "search.yaml", "encoded=encoded", "--out", "file/below"],
        ["evaluate", "--baseline", "maximum-frequency", "corpus", "--out", "file/below"],
        ["encode", "corpus", "file/below"],
        ["export", "corpus", "file/below"],
        ["export", "corpus", "file/below.tar"],
        ["audit", "corpus", "--out", "file/below.html"],
        ["newsroom", "file/below", "--stories", "2"],
        ["prune", "model", "file/below"],
        ["build", "news.jsonl", "file/below"],
    ],
    ids=lambda words: " ".join(words)[:40].replace(LONG[:9], ""),
)
def test_an_output_below_a_file(
    refused: Refused,
    corpus: Path,
    encoded: Path,
    config: Path,
    model: Path,
    tmp_path: Path,
    words: list[str],
) -> None:
    (tmp_path / "file").write_text("a file\n")
    (tmp_path / "search.yaml").write_text("base: config.yaml\nspace: {run.seed: [1, 2]}\n")
    story = {"id": "s", "article": "Mara Venn left.", "highlights": ["Now Mara Venn is gone"]}
    (tmp_path / "news.jsonl").write_text(json.dumps(story) + "\n")
    assert "file" in refused(*words)
    assert (tmp_path / "file").read_text() == "a file\n"


def test_an_output_that_is_the_current_folder(
    refused: Refused, corpus: Path, tmp_path: Path
) -> None:
    story = {"id": "s", "article": "Mara Venn left.", "highlights": ["Now Mara Venn is gone"]}
    (tmp_path / "news.jsonl").write_text(json.dumps(story) + "\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    refused("build", "news.jsonl", ".")
    refused("audit", "corpus", "--out", ".")
    refused("export", "corpus", ".")
    refused("newsroom", ".", "--raw", "--stories", 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_tokenizer_and_a_pipeline_that_are_not_there(refused: Refused, corpus: Path) -> None:
    assert "tokenizer.json" in refused("encode", corpus, "out", "--tokenizer", corpus)
    said = refused("audit", "--gold", MARKED, "--pipeline", "batches.size=1")
    assert "there is no spaCy pipeline 'batches.size=1'" in said


def test_a_device_that_is_none_of_ours(
    refused: Refused, corpus: Path, encoded: Path, config: Path, model: Path
) -> None:
    for device in ("tpu", "meta", "mps:9", "xla"):
        assert device in refused("evaluate", model, corpus, "--device", device)
        said = refused("train", config, "encoded=encoded", "out=run", f"run.device={device}")
        assert device in said


def test_a_value_that_yaml_takes_for_an_impossible_date(refused: Refused, config: Path) -> None:
    assert "2020-99-99" in refused("train", config, "corpus=2020-99-99")


@pytest.mark.parametrize("number", ["1.0e+300", "-1.0e+300", ".inf", ".nan"])
def test_numbers_that_do_not_fit_into_32_bits(
    refused: Refused, encoded: Path, config: Path, number: str
) -> None:
    for key in ("optimiser.learning_rate", "optimiser.clip", "reader.forget_bias", "run.minutes"):
        assert f"'{key}'" in refused("train", config, "encoded=encoded", f"{key}={number}")
    assert not Path("run").exists()


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 50_000, "&a [*a]", "a: 2020-99-99"])
def test_a_config_that_yaml_chokes_on(refused: Refused, tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.yaml").write_text(text)
    assert "odd.yaml" in refused("train", "odd.yaml")
    assert "odd.yaml" in refused("search", "odd.yaml")


def test_the_bare_command_shows_its_help(cloze: Callable[..., tuple[int, str, str]]) -> None:
    code, shown, said = cloze()
    assert "Usage" in shown
    assert "newsroom" in shown
    assert said == ""
    assert code == 2


# Markers beyond the usual range.


def _corpus_with_marker(path: Path, marker: int) -> None:
    document = document_of(f"the @entity{marker} train of @entity1 met @entity2 .")
    asked = [question_of("@placeholder ran the train", marker, document)]
    write_shard(path, "valid", 0, [(document, asked)])
    write_manifest(path, name="large", options={})


@pytest.mark.parametrize("marker", [255, 32_768, 40_000, 65_536])
def test_a_large_marker_is_reported_like_any(
    cloze: Callable[..., tuple[int, str, str]], tmp_path: Path, marker: int
) -> None:
    _corpus_with_marker(tmp_path / "corpus", marker)
    code, _, said = cloze("evaluate", "--baseline", "maximum-frequency", "corpus")
    assert code == 0, said
    code, _, said = cloze("report", "predictions")
    assert code == 0, said
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    packed = re.search(r'"markers":"([^"]+)"', page)
    assert packed is not None
    assert marker in np.frombuffer(base64.b64decode(packed[1]), "<i4")


def test_a_marker_beyond_32_bits_is_a_bad_file(
    refused: Refused, cloze: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    folder = tmp_path / "questions" / "test"
    folder.mkdir(parents=True)
    for number, marker in enumerate(("@entity4294967296", "@entity2147483648")):
        text = f"u\n\n{marker} ran .\n\n@placeholder ran\n\n{marker}\n\n{marker}:Mara"
        (folder / f"{number}.question").write_text(text)
    assert "no readable" in refused("import", "questions", "made")
    (folder / "good.question").write_text(
        "u\n\n@entity1 met @entity4294967296 .\n\n@placeholder ran\n\n@entity1\n\n@entity1:Mara"
    )
    code, _, said = cloze("import", "questions", "made")
    assert code == 0, said


# Files that are missing or damaged.

BROKEN: list[Any] = [
    "[" * 100_000,
    "null",
    "[]",
    '"text"',
    "{}",
    "9" * 5000,
    "{",
    "\x00",
    '{"format": 1}',
    '{"format": 1, "files": 3}',
]
NEVER_VALID = {*BROKEN, "not UTF-8"}


def harmed(head: Any) -> Iterator[Any]:
    """The same JSON with one value of its first levels changed or removed."""
    odd = itertools.cycle([None, 7, "odd", [[]], {"odd": {}}, 2**70, -1.5])
    for _ in range(2):
        yield from _with(head, odd, levels=3)


def _with(head: Any, odd: Iterator[Any], levels: int) -> Iterator[Any]:
    if not isinstance(head, dict):
        return
    for key, value in head.items():
        yield {**head, key: next(odd)}
        yield {other: kept for other, kept in head.items() if other != key}
        if levels > 1:
            for below in _with(value, odd, levels - 1):
                yield {**head, key: below}


def _each_broken(path: Path) -> Iterator[str]:
    whole = path.read_bytes()
    seen = set()
    for text in [*BROKEN, *(json.dumps(each) for each in harmed(json.loads(whole)))]:
        if text not in seen and json.dumps(json.loads(whole)) != text:
            seen.add(text)
            path.write_text(text, encoding="utf-8")
            yield text
    path.write_bytes(b"\xff\xfe\x00" + whole)
    yield "not UTF-8"
    path.write_bytes(whole)


def _succeeds_or_fails_in_one_line(code: int, said: str, text: str) -> None:
    assert code in (0, 2), text
    if code:
        assert said.splitlines()[-1].startswith("error: "), (text, said)


def test_a_broken_manifest_of_a_corpus(
    cloze: Callable[..., tuple[int, str, str]], corpus: Path
) -> None:
    for text in _each_broken(corpus / "corpus.json"):
        code, _, said = cloze("stats", corpus)
        _succeeds_or_fails_in_one_line(code, said, text)
        assert code == 2 or text not in NEVER_VALID


def test_a_broken_config_of_a_model(
    cloze: Callable[..., tuple[int, str, str]], model: Path, tmp_path: Path
) -> None:
    for text in _each_broken(model / "config.json"):
        code, _, said = cloze("prune", model, "small", "--overwrite")
        _succeeds_or_fails_in_one_line(code, said, text)
        assert code == 2 or text not in NEVER_VALID


@pytest.mark.parametrize("name", ["made_from.json", "train/meta.json", "train/ids.json"])
def test_broken_json_of_an_encoded_folder(
    cloze: Callable[..., tuple[int, str, str]], model: Path, corpus: Path, encoded: Path, name: str
) -> None:
    for text in _each_broken(encoded / name):
        code, _, said = cloze("encode", corpus, encoded)
        _succeeds_or_fails_in_one_line(code, said, text)
        if name == "train/ids.json":
            code, _, said = cloze(
                *("evaluate", model, corpus, "--encoded", encoded, "--split", "train"),
                *("--limit", 2, "--device", "cpu"),
            )
            _succeeds_or_fails_in_one_line(code, said, text)
            assert code == 2, text


@pytest.mark.parametrize("name", ["manifest.json", "state.json"])
def test_a_broken_checkpoint(
    cloze: Callable[..., tuple[int, str, str]],
    encoded: Path,
    config: Path,
    tmp_path: Path,
    name: str,
) -> None:
    run = ("train", config, f"encoded={encoded}", "out=run")
    assert cloze(*run)[0] == 0
    step = tmp_path / "run" / "checkpoints" / "step-00000002"
    whole = tmp_path / "whole"
    shutil.copytree(tmp_path / "run", whole)
    for text in itertools.islice(_each_broken(step / name), 40):
        if name == "state.json":  # a manifest that agrees does not make it valid
            from cloze.files import described

            manifest = json.loads((whole / "checkpoints/step-00000002/manifest.json").read_text())
            manifest["files"][name] = described(step / name)
            (step / "manifest.json").write_text(json.dumps(manifest))
        code, _, said = cloze(*run, "run.steps=2", "--resume")
        _succeeds_or_fails_in_one_line(code, said, text)


def test_broken_metrics_of_a_run(
    cloze: Callable[..., tuple[int, str, str]], encoded: Path, config: Path, tmp_path: Path
) -> None:
    run = ("train", config, f"encoded={encoded}", "out=run")
    assert cloze(*run)[0] == 0
    metrics = tmp_path / "run" / "metrics.jsonl"
    for line in ("[]", "{}", "3", '{"step": "x"}', '{"step": 1, "loss": "x"}', "[" * 100_000):
        metrics.write_text(f"{line}\n")
        code, _, said = cloze(*run, "--resume")
        _succeeds_or_fails_in_one_line(code, said, line)
    metrics.write_bytes(b"\xff\xfe")
    code, _, said = cloze(*run, "--resume")
    _succeeds_or_fails_in_one_line(code, said, "bytes")


@pytest.fixture
def predictions(cloze: Callable[..., tuple[int, str, str]], corpus: Path, tmp_path: Path) -> Path:
    assert cloze("evaluate", "--baseline", "maximum-frequency", corpus)[0] == 0
    return next((tmp_path / "predictions").glob("*.parquet"))


def test_broken_predictions(cloze: Callable[..., tuple[int, str, str]], predictions: Path) -> None:
    whole = pq.read_table(predictions)
    head = json.loads(pq.ParquetFile(predictions).metadata.metadata[b"cloze"])

    def read(table: pa.Table, about: str) -> bool:
        pq.write_table(table.replace_schema_metadata({"cloze": about}), predictions)
        try:
            for model in compare([predictions])[0].models:
                list(model.source.attention(model.source.attended))  # reads it
        except UserError as mistake:
            assert "\n" not in str(mistake)
            return False
        return True

    assert read(whole, json.dumps(head))
    for text in BROKEN:
        assert not read(whole, text)
    for each in harmed(head):
        read(whole, json.dumps(each))
    for name in whole.schema.names:
        assert not read(whole.drop([name]), json.dumps(head))
        for odd in _odd_columns(len(whole), whole.schema.field(name).type):
            place = whole.schema.get_field_index(name)
            if read(whole.set_column(place, name, odd), json.dumps(head)):
                code, _, said = cloze("report", predictions, "--texts", 2, "--heatmaps", 1)
                _succeeds_or_fails_in_one_line(code, said, f"{name} {odd.type}")
    for size in (0, 3, 100):
        predictions.write_bytes(b"PAR1" * (size // 4) + b"\x00" * (size % 4))
        code, _, said = cloze("report", predictions)
        assert code == 2, said


def _odd_columns(rows: int, kind: pa.DataType) -> Iterator[pa.Array]:
    yield pa.array(["x"] * rows)
    yield pa.array([[1.5, 2.5]] * rows)
    yield pa.array([None] * rows, kind)
    if pa.types.is_integer(kind):
        yield pa.array([-1] * rows, kind)
        yield pa.array([2**31 - 1] * rows, kind)
    if pa.types.is_list(kind):
        yield pa.array([[]] * rows, kind)
        yield pa.array([[None]] * rows, kind)
        yield pa.array([[3] * (row % 3) for row in range(rows)], kind)


@pytest.mark.parametrize("hashes", [True, False], ids=["", "made before there were hashes"])
def test_encoded_tokens_out_of_range(
    refused: Refused, encoded: Path, config: Path, hashes: bool
) -> None:
    meta = encoded / "train" / "meta.json"
    said = json.loads(meta.read_text())
    meta.write_text(json.dumps({k: v for k, v in said.items() if hashes or k != "files"}))
    for name in ("document_tokens", "question_tokens", "document_entities", "question_answer"):
        path = encoded / "train" / f"{name}.npy"
        whole = np.load(path)
        for odd in (-7, 2**30):
            harmed = whole.copy()
            harmed[len(harmed) // 2] = odd
            np.save(path, harmed)
            said = refused("train", config, f"encoded={encoded}", "out=run")
            assert name in said
        np.save(path, whole)


def test_one_encoded_token_changed(
    refused: Refused, cloze: Callable[..., tuple[int, str, str]], encoded: Path, config: Path
) -> None:
    run = ("train", config, f"encoded={encoded}", "out=run")
    assert cloze(*run)[0] == 0
    path = encoded / "train" / "document_tokens.npy"
    tokens = np.load(path)
    tokens[5] = tokens[5] + 1 if tokens[5] > 10 else 11
    np.save(path, tokens)
    assert "document_tokens" in refused(*run, "run.steps=3", "--resume")


# A full disk.

full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@full
def test_a_full_disk_behind_stdout(corpus: Path) -> None:
    with open("/dev/full", "w") as nowhere:
        done = subprocess.run(
            [sys.executable, "-m", "cloze", "stats", str(corpus)],
            stdout=nowhere,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def _fail_every_write(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(module, name, fails)


def test_a_full_disk_in_prune(
    refused: Refused, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors import SafetensorError

    def full_disk(weights: Any, path: Path, metadata: Any) -> None:
        raise SafetensorError("Error while serializing: I/O error: No space left (os error 28)")

    monkeypatch.setattr("cloze.readers.tensor_files.save_file", full_disk)
    assert "the disk is full" in refused("prune", model, "small")
    assert not (tmp_path / "small").exists()


def test_a_full_disk_in_evaluate(
    refused: Refused, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fail_every_write(monkeypatch, pq.ParquetWriter, "write_table")
    said = refused("evaluate", "--baseline", "maximum-frequency", corpus)
    assert "the disk is full" in said
    assert list((tmp_path / "predictions").glob("*.parquet")) == []


def test_a_full_disk_at_the_metrics(
    refused: Refused, encoded: Path, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    from cloze.training import journal

    opened = Path.open

    def onto_a_full_disk(path: Path, *arguments: Any, **options: Any) -> Any:
        full = path.name == journal.METRICS and arguments[:1] in (("a",), ("ab",))
        return opened(Path("/dev/full") if full else path, *arguments, **options)

    monkeypatch.setattr(Path, "open", onto_a_full_disk)
    said = refused("train", config, f"encoded={encoded}", "out=run", progress=1)
    assert "the disk is full" in said


# An unforeseen fault.


def test_what_nobody_foresaw_has_a_code_of_its_own_and_a_log(
    cloze: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cloze.corpus.store import Corpus

    def unforeseen(_: Path) -> Corpus:
        raise ZeroDivisionError("secret of the cellar")

    monkeypatch.setattr(Corpus, "open", unforeseen)
    code, _, said = cloze("stats", "corpus")
    assert code == 70
    assert said.count("\n") == 1
    assert "ZeroDivisionError" in said
    log = Path(said.split(" in ")[-1].strip())
    assert "in unforeseen" in log.read_text()

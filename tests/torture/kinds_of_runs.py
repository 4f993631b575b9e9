"""What `cloze train`, `search`, `report` and `heatmap` read: configs, checkpoints, predictions."""

import json
from functools import cache
from pathlib import Path
from unittest.mock import patch

from cloze.builder.chunks import Chunk, _record
from cloze.builder.work_folder import work_folder
from cloze.config import load
from cloze.corpus.store import Corpus
from cloze.evaluation.metrics import compare
from cloze.evaluation.predictions import About, join
from cloze.files import described
from cloze.readers.network import Network
from cloze.readers.registry import build
from cloze.reporting.accuracy import accuracy_table, as_csv, as_dicts, as_table, neighbours
from cloze.reporting.figures import plots
from cloze.reporting.heatmap_choice import choose
from cloze.reporting.page_data import page_data
from cloze.reporting.texts import read_texts
from cloze.tables import as_latex, as_text
from cloze.training import finish
from cloze.training.checkpoints import Checkpoints
from cloze.training.data import TrainingData, open_encoded
from cloze.training.finish import _table, leave_model
from cloze.training.journal import read_metrics
from cloze.training.resuming import fingerprints, restore, to_go_on_from
from cloze.training.search import Search, SearchSettings, _distributions
from cloze.training.search_report import _table as search_table
from cloze.training.settings import TrainSettings
from cloze.training.steps import make_optimiser
from cloze.training.study import open_study
from cloze.training.trainer import order_of
from tests.torture.clean import removed
from tests.torture.kind import Kind, world_of
from tests.torture.mutated_arrays import tensors_changed
from tests.torture.mutated_json import json_changed, json_line_changed, yaml_changed
from tests.torture.mutated_tables import table_changed
from tests.torture.mutations import any_of, bytes_changed, text_changed

STEP = "checkpoints/step-00000002"


def _train_config(path: Path) -> None:
    settings = load(TrainSettings, path, ["encoded=encoded", "out=out"])
    settings.as_json()


def _search_config(folder: Path) -> None:
    settings = load(SearchSettings, folder / "search.yaml")
    _distributions(settings)
    load(TrainSettings, folder / settings.base, ["encoded=encoded"])


def _journal(folder: Path) -> None:
    search_table(open_study(folder / "search").get_trials(), ["run.seed"])


def _search(folder: Path) -> None:
    """Joins a study, as a second process does; a space of thousands of values is not tried out."""
    out = ["encoded=encoded"]
    search = Search(folder / "search.yaml", folder / "search", out, lambda line: None)
    search_table(search.study.get_trials(), list(search.settings.space))
    search._claim()


@cache
def _opened(run: Path) -> tuple[TrainSettings, TrainingData]:
    encoded = world_of(run) / "encoded"
    given = [f"encoded={encoded}", f"out={run}"]
    return load(TrainSettings, world_of(run) / "train.yaml", given), open_encoded(encoded)


@cache
def _network(run: Path) -> Network:
    settings, data = _opened(run)
    return build(settings.reader, len(data.vocabulary), seed=1)


def _resume(folder: Path) -> None:
    """What --resume does before its first step, and what the end of a run does."""
    settings, data = _opened(folder)
    before = to_go_on_from(Checkpoints(folder, 2), settings)
    assert before is not None
    network = _network(folder)
    restore(before, fingerprints(data), network, make_optimiser(settings.optimiser, network))


def _finish(folder: Path) -> None:
    settings, data = _opened(folder)
    with removed(folder / "made") as made, patch.object(finish, "_matplotlib", return_value=None):
        order = order_of(settings, data.train)
        leave_model(settings, data, Checkpoints(folder, 2), made, order, reason="tested")


def _metrics(path: Path) -> None:
    _table(read_metrics(path))


def _sign(folder: Path, name: str) -> None:
    path = (folder / name).parent / "manifest.json"
    if path.name != Path(name).name:
        manifest = json.loads(path.read_text())
        manifest["files"][Path(name).name] = described(folder / name)
        path.write_text(json.dumps(manifest))


def _compare(folder: Path) -> None:
    for comparison in compare(sorted(folder.glob("*.parquet"))):
        for model in comparison.models:
            for _ in model.source.attention(model.source.attended):
                pass


def _report(folder: Path) -> None:
    """Everything of `cloze report` but the drawing itself."""
    comparisons = compare(sorted(folder.glob("*.parquet")))
    table = accuracy_table(comparisons)
    assert as_text(as_table(table)) + as_latex(as_table(table)) + as_csv(table)
    assert json.dumps(as_dicts(comparisons))
    corpus = Corpus.open(world_of(folder) / "corpus")
    for comparison in comparisons:
        neighbours(comparison)
        texts = read_texts(comparison, corpus, 100)
        maps, _ = choose(comparison, texts, 10)
        assert json.dumps(page_data(comparison, texts, maps, 10))
        for plot in plots():
            for model in comparison.models:
                plot.curve(model)


def _join(folder: Path) -> None:
    """An evaluation that was broken off goes on with its parts."""
    about = About("m", "c", "f", "valid")
    with removed(folder.with_name("made.parquet")) as made:
        join(sorted(folder.glob("*.parquet")), made, about)


def _take_up(folder: Path) -> None:
    """A build that was broken off goes on in its work folder."""
    with work_folder(folder / "out", {"made": "by us"}) as work:
        for name in ("a", "b"):
            _record(work, Chunk(name, 1, ["payload"]))


_JSON = any_of(json_changed, json_changed, json_changed, bytes_changed)
_YAML = any_of(yaml_changed, yaml_changed, text_changed)
_TABLE = any_of(table_changed, table_changed, bytes_changed)
_WEIGHTS = (f"{STEP}/weights.safetensors", f"{STEP}/optimiser.safetensors")
_READER = "attentive-reader-tiny-valid.parquet"
_BASELINE = "maximum-frequency-tiny-valid.parquet"
_LINES = any_of(json_line_changed, text_changed)
KINDS: tuple[Kind, ...] = (
    Kind("training config", "train.yaml", ("",), _YAML, _train_config),
    Kind(
        "search config",
        "study",
        ("search.yaml", "train.yaml"),
        _YAML,
        _search_config,
        _search,
        consumed=True,
    ),
    Kind(
        "journal of a search",
        "study",
        ("search/journal.log",),
        _LINES,
        _journal,
        _search,
        consumed=True,
    ),
    Kind("manifest of a checkpoint", "run", (f"{STEP}/manifest.json",), _JSON, _resume),
    Kind("state of a checkpoint", "run", (f"{STEP}/state.json",), _JSON, _resume, sign=_sign),
    Kind("weights of a checkpoint", "run", _WEIGHTS, tensors_changed, _resume, sign=_sign),
    Kind("manifest of the best", "run", ("best/manifest.json",), _JSON, _finish),
    Kind("state of the best", "run", ("best/state.json",), _JSON, _finish, sign=_sign),
    Kind(
        "weights of the best",
        "run",
        ("best/weights.safetensors",),
        tensors_changed,
        _finish,
        sign=_sign,
    ),
    Kind("metrics of a run", "run/metrics.jsonl", ("",), _LINES, _metrics),
    Kind("predictions", "predictions", (_READER, _BASELINE), _TABLE, _compare, _report),
    Kind("part of predictions", "predictions", (_READER,), _TABLE, _join),
    Kind(
        "identity of work", "work", (".out.building/identity.json",), _JSON, _take_up, consumed=True
    ),
    Kind(
        "record of a chunk",
        "work",
        (".out.building/chunks/a.json",),
        _JSON,
        _take_up,
        consumed=True,
    ),
    Kind("mark of a finished build", "work-done", (".out.built",), _JSON, _take_up, consumed=True),
)

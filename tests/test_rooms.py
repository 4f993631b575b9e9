"""The rooms of the package, from the top down: a file may import only from rooms above its own.

Every `import` counts, even inside a function or under TYPE_CHECKING: a late import hides a cycle
from Python but not from the reader, and a file depends on the types that it names.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"

# A room is a file or a folder of `cloze`. Rooms on one line may import from each other.
ROOMS = """
    errors version waiting
    extras retry_after files ledger compressed tars randomness progress config tables config_keys templating shape sealed eight_bits few_bits
    text
    document
    stories wayback
    fetching
    naming
    paper shipped_configs
    confidence card_results
    answering
    engines
    corpus
    names
    builder
    newsroom
    propbank
    baselines
    language_models
    publishing
    recurrence
    readers
    training
    finding
    evaluation
    reporting
    ask
    demo front_door doctor
    cli
    __init__ __main__
"""
LEVEL = {room: level for level, line in enumerate(ROOMS.split("\n")) for room in line.split()}


@cache
def imports() -> dict[str, set[str]]:
    """For each module of the package, the modules of the package that it imports."""
    modules = {_name(file): file for file in sorted(SOURCE.rglob("*.py"))}
    return {
        name: set(_imported(name, file, set(modules))) - {name} for name, file in modules.items()
    }


def _name(file: Path) -> str:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, file: Path, modules: set[str]) -> Iterator[str]:
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            outer = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(part for part in (outer, node.module) if part)
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                if inner in modules:
                    yield inner
                elif source in modules:
                    yield source


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def test_every_file_is_in_a_room() -> None:
    assert {_room(module) for module in imports()} <= LEVEL.keys()


def test_no_room_imports_from_one_below() -> None:
    found = {
        (file, other)
        for file, others in imports().items()
        for other in others
        if LEVEL[_room(other)] > LEVEL[_room(file)]
    }
    assert not found


def test_what_shows_answers_knows_no_reader() -> None:
    """Evaluation, reports and pages take any answerer (`cloze.answering.Answerer`)."""
    shows = [file for file in imports() if _room(file) in ("evaluation", "reporting", "ask")]
    assert shows
    for file in shows:
        assert not {other for other in imports()[file] if _room(other) in ("readers", "training")}


def test_no_cycle_between_files() -> None:
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as problem:
        raise AssertionError(" → ".join(problem.args[1])) from None

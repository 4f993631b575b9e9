"""What the package imports is what pyproject.toml declares."""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Imported under another name than installed.
CALLED = {"PIL": "pillow", "yaml": "pyyaml", "huggingface_hub": "huggingface-hub"}
# Used only where they are: one comes with PyTorch for CUDA, one is in an environment of its own.
COMES_ALONG = {"llvmlite", "triton", "zstandard", "fundus"}
# Never imported by name: PyTorch writes through TensorBoard, trafilatura needs the cleaner of HTML,
# uvicorn's faster connections the parser of HTTP, and httpcore the asynchronous sockets.
BEHIND_OTHERS = {"tensorboard", "lxml-html-clean", "httptools", "anyio"}
EXTRAS_TO_RUN = (
    "nlp",
    "encoder",
    "endpoint",
    "fetch",
    "hub",
    "notebook",
    "search",
    "serve",
    "tensorboard",
)
CLUSTERS = ("dask", "ray", "storage")  # not in the locks: environments of their own in outside/


def test_every_imported_package_is_declared_and_every_declared_one_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"]]
    for extra in (*EXTRAS_TO_RUN, *CLUSTERS):
        listed += project["optional-dependencies"][extra]
    declared = {re.split(r"[<>=\[; ]", line)[0].lower().replace("_", "-") for line in listed}
    imported = {CALLED.get(name, name) for name in _imported()} - COMES_ALONG
    assert imported == declared - BEHIND_OTHERS


def _imported() -> set[str]:
    found = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.split(".")[0])
    return found - sys.stdlib_module_names - {"cloze"}

"""Pages that are made when the site is built: the README, and a reference of every module.

The reference has a page for each room of `src/cloze`, with every file in it.
"""

import ast
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
COPIED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}


def rooms() -> dict[str, list[str]]:
    """The modules that have a docstring, by room; the verbs of `cli` have --help instead."""
    found: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        described = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
        if described and parts[1] not in ("cli", "__main__"):
            room = "cloze" if parts[1] == "__init__" else parts[1]
            found.setdefault(room, []).append(".".join(parts).removesuffix(".__init__"))
    return {room: found[room] for room in sorted(found, key=lambda room: (room != "cloze", room))}


def on_config(config: Any) -> Any:
    config.nav.append({"Reference": [{room: f"api/{room}.md"} for room in rooms()]})
    return config


def on_files(files: Files, config: Any) -> Files:
    for source, page in COPIED.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, target in COPIED.items():
            text = text.replace(f"]({other})", f"]({target})")
        files.append(File.generated(config, page, content=text))
    for room, modules in rooms().items():
        text = "\n\n".join([f"# {room}", *(f"::: {module}" for module in modules)])
        files.append(File.generated(config, f"api/{room}.md", content=text))
    return files

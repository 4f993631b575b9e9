"""Make the locks anew: every package that `make` installs, with the hashes of its files.

    make locks                       keep the versions, as far as pyproject.toml allows
    make locks UPGRADE=--upgrade     take the newest ones

    requirements-torch.lock     PyTorch, without hashes: the file differs from index to index. Its
                                version is changed by hand.
    requirements.lock           all else that the package, its extras and its tests need
    requirements-cuda.lock      what PyTorch needs besides on Linux, unless built for CPUs only
    requirements-docs.lock      what `make docs` needs
    requirements-tools.lock     what `make locks` and `make release` need

The locks hold for every system and Python that pyproject.toml names. No address of an index goes
into them: pip and uv know from their own settings where to look.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TORCH, MAIN, CUDA = (Path(f"requirements{part}.lock") for part in ("-torch", "", "-cuda"))
DOCS, TOOLS = Path("requirements-docs.lock"), Path("requirements-tools.lock")
RUN = ["pyproject.toml", "tools/pipeline.in", "--extra", "all"]  # whatever it takes to run it
FOR_CUDA = re.compile(r"(nvidia-|cuda-|triton$)")
ENTRY = re.compile(r"^(?P<name>[a-z0-9._-]+)==.*\n(?:    .*\n)*", re.M)


def compiled(inputs: list[str], known: list[Path], upgrade: bool) -> dict[str, list[str]]:
    """The entries of a lock by package; a package may have one for some systems, one for others."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "lock"
        lock.write_text("".join(path.read_text() for path in known if path.exists()))
        command = [sys.executable, "-m", "uv", "pip", "compile", *inputs, "--quiet", "--universal"]
        command += ["--python-version", "3.11", "--generate-hashes", "--no-header"]
        command += ["--constraints", str(TORCH), "--output-file", str(lock)]
        subprocess.run([*command, *(["--upgrade"] if upgrade else [])], check=True)
        entries: dict[str, list[str]] = {}
        for found in ENTRY.finditer(lock.read_text().replace(folder, "")):
            entries.setdefault(found["name"], []).append(found[0])
        return entries


def write(path: Path, what: str, entries: dict[str, list[str]]) -> None:
    head = f"# {what} Made by: make locks\n"
    path.write_text(head + "".join(text for own in entries.values() for text in own))
    print(f"{path}: {len(entries)} packages")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--upgrade", action="store_true")
    upgrade = parser.parse_args().upgrade
    project = [*RUN, "--extra", "dev"]
    found = compiled(project, [MAIN, CUDA], upgrade)
    del found["torch"]
    cuda = {name: entries for name, entries in found.items() if FOR_CUDA.match(name)}
    rest = {name: entries for name, entries in found.items() if name not in cuda}
    write(MAIN, "Every package that make demo and make test install, PyTorch excepted.", rest)
    write(CUDA, "What PyTorch for CUDA needs besides, on Linux.", cuda)
    docs = compiled(["tools/docs.in"], [DOCS], upgrade)
    write(DOCS, "Every package that make docs installs.", docs)
    write(
        TOOLS,
        "What make locks and make release need.",
        compiled(["tools/tools.in"], [TOOLS], upgrade),
    )


if __name__ == "__main__":
    main()

"""The version, which files name and pyproject.toml reads; and the commit, in a checkout."""

import subprocess
from pathlib import Path

__version__ = "0.1.0"


def commit() -> str:
    """The commit of the code that runs, where it runs from a checkout; else the version."""
    here = Path(__file__)

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=here.parent, capture_output=True, text=True, timeout=10, check=True
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)  # not just installed inside some other work
        return git("describe", "--always", "--dirty", "--abbrev=12")
    except (OSError, subprocess.SubprocessError):
        return f"version {__version__}"

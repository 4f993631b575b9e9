"""The version, which goes into files and pyproject.toml; and the commit, in a checkout."""

import subprocess
from pathlib import Path

__version__ = "0.1.0"


def commit() -> str:
    """The commit of the running code if it runs from a checkout, otherwise the version."""
    here = Path(__file__)

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=here.parent, capture_output=True, text=True, timeout=10, check=True
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)  # not installed inside another repository
        return git("describe", "--always", "--dirty", "--abbrev=12")
    except (OSError, subprocess.SubprocessError):
        return f"version {__version__}"

"""Which files pytest leaves out when it collects the doctests of `src`; tests need no network."""

import os
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # what is not in the Hub's cache is refused at once

SOURCE = Path(__file__).parent / "src"

# Triton's kernels can be imported only where Triton is installed, which means where CUDA is.
collect_ignore = [
    str(file)
    for file in SOURCE.rglob("*.py")
    if find_spec("triton") is None and "\nimport triton" in file.read_text(encoding="utf-8")
]

"""Reading arrays and running networks needs NumPy, PyTorch, safetensors and checked configs."""

import subprocess
import sys

BLOCKED = ("pyarrow", "rich", "typer", "numba", "spacy", "matplotlib")
CODE = f"""
import sys
for name in {BLOCKED!r}:
    sys.modules[name] = None
import numpy as np
from cloze.readers.batch import collate
from cloze.readers.encode_points import encode_points
from cloze.readers.encoded import EncodedSplit
from cloze.readers.reader import Reader
"""


def test_nothing_slow_is_imported_before_an_answer() -> None:
    """sympy takes two seconds, and some of PyTorch's innocent functions import it."""
    code = """
import sys
import torch
from cloze.readers.shipped_models import shipped_models
from cloze.readers.reader import Reader
from cloze.readers.registry import blank, kinds
Reader.from_pretrained(shipped_models()[0])
with torch.device("meta"):
    for kind in kinds().values():
        blank(kind.config(), 40)
assert "sympy" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_readers_import_without_the_rest_of_the_product() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

"""Reading arrays and running networks needs NumPy, PyTorch and safetensors, nothing else."""

import subprocess
import sys

BLOCKED = ("pyarrow", "pydantic", "yaml", "rich", "typer", "numba", "spacy", "matplotlib")
CODE = f"""
import sys
for name in {BLOCKED!r}:
    sys.modules[name] = None
import numpy as np
from cloze.readers.batch import collate
from cloze.readers.encoded import EncodedSplit, encode_points
from cloze.readers.reader import Reader
"""


def test_readers_import_without_the_rest_of_the_product() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

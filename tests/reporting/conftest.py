"""The same made-up news that the evaluation is tested on."""

from tests.evaluation.conftest import make_press

__all__ = ["make_press"]

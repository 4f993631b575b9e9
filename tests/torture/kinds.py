"""Every kind of file that a command reads."""

from tests.torture import (
    kinds_of_corpora,
    kinds_of_models,
    kinds_of_runs,
    kinds_of_stories,
    kinds_of_work,
)
from tests.torture.kind import Kind

KINDS: tuple[Kind, ...] = (
    *kinds_of_stories.KINDS,
    *kinds_of_corpora.KINDS,
    *kinds_of_models.KINDS,
    *kinds_of_runs.KINDS,
    *kinds_of_work.KINDS,
)

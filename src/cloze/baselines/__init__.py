"""The paper's baselines (section 3.1) and two controls, each an `Answerer`.

    BASELINES["word-distance"]().answer(corpus.read("valid"))

A factory imports its module when it is called, so that naming the baselines costs nothing.
"""

from collections.abc import Callable
from importlib import import_module

from cloze.baselines.baseline import Baseline


def _factory(module: str, name: str) -> Callable[[], Baseline]:
    def make() -> Baseline:
        baseline: Baseline = getattr(import_module(f"cloze.baselines.{module}"), name)()
        return baseline

    return make


BASELINES: dict[str, Callable[[], Baseline]] = {
    "maximum-frequency": _factory("frequency", "MaximumFrequency"),
    "exclusive-frequency": _factory("frequency", "ExclusiveFrequency"),
    "word-distance": _factory("word_distance", "WordDistance"),
    "frame-semantic": _factory("frames", "FrameSemantic"),
    "question-only": _factory("controls", "QuestionOnly"),
    "first-mention": _factory("controls", "FirstMention"),
}

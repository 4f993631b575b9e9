"""cloze-reader: teaching machines to read and comprehend.

Articles with bullet-point summaries become anonymised cloze questions; baselines and neural
readers answer them; tables, curves and heat maps show what was read.

    import cloze

    article = cloze.story("ferry")
    answer = cloze.load().ask(article, "The X ran aground with 214 people on board")
    print(answer.name, answer.probability)

Each name here is imported when it is first used: `import cloze` itself loads neither PyTorch nor
spaCy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloze import waiting
from cloze.errors import UserError
from cloze.version import __version__

if TYPE_CHECKING:
    from cloze.answering import Answerer, Ranking, ranked
    from cloze.ask.asking import Answer, Model
    from cloze.ask.examples import story
    from cloze.corpus.store import Corpus
    from cloze.front_door import build, evaluate, load, report, train
    from cloze.stories import Story

__all__ = [
    "Answer",
    "Answerer",
    "Corpus",
    "Model",
    "Ranking",
    "Story",
    "UserError",
    "__version__",
    "build",
    "evaluate",
    "load",
    "ranked",
    "report",
    "story",
    "train",
]

waiting.be_brief()

_HOMES = {
    "Answer": "cloze.ask.asking",
    "Answerer": "cloze.answering",
    "Corpus": "cloze.corpus.store",
    "Model": "cloze.ask.asking",
    "Ranking": "cloze.answering",
    "ranked": "cloze.answering",
    "Story": "cloze.stories",
    "story": "cloze.ask.examples",
} | dict.fromkeys(("build", "evaluate", "load", "report", "train"), "cloze.front_door")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cloze' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__

"""The kinds of readers: the config, the network and the batches of each.

Every file in `readers/kinds/` is a reader and registers itself. A reader of your own does the same,
in a module of its own:

    class MyConfig(ReaderConfig):
        name: ClassVar[str] = "My Reader"
        kind: Literal["mine"] = "mine"

    @register(MyConfig)
    class MyNetwork(Network): ...

Once that module is imported, "mine" is a kind like any other. The command line imports it with
`cloze --import my_module VERB ...`, or automatically if an installed package has the entry point
`mine = "my_module"` in the group `cloze.readers`. A saved model only names its kind; nothing in its
folder is ever imported.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Annotated, Any, TypeVar

import torch
from pydantic import BeforeValidator, SerializeAsAny

from cloze.config import ChosenBy, check
from cloze.errors import UserError
from cloze.readers import kinds as built_in
from cloze.readers.batch import Batch, collate
from cloze.readers.config import ReaderConfig
from cloze.readers.network import Network

GROUP = "cloze.readers"  # of entry points
DEFAULT = "attentive"

Collate = Callable[..., Batch]  # with the arguments of `cloze.readers.batch.collate`
N = TypeVar("N", bound=type[Network])


@dataclass(frozen=True)
class Kind:
    config: type[ReaderConfig]
    network: type[Network]
    collate: Collate


_KINDS: dict[str, Kind] = {}


def register(config: type[ReaderConfig], *, collate: Collate = collate) -> Callable[[N], N]:
    """A decorator for the network of a new kind, whose name is the default of `config.kind`."""
    kind = config.model_fields["kind"].default
    if not isinstance(kind, str):
        raise TypeError(f'{config.__name__} needs a kind: Literal["name"] = "name"')

    def add(network: N) -> N:
        before = _KINDS.get(kind)
        if before is not None and before.network.__module__ != network.__module__:
            raise UserError(
                f"the kind of reader '{kind}' is registered twice",
                where=network.__module__,
                fix=f"{before.network.__module__} has it already: choose another name",
            )
        _KINDS[kind] = Kind(config, network, collate)
        return network

    return add


def kinds() -> dict[str, Kind]:
    """Every known kind: ours, those of installed packages, and those already imported."""
    _import_built_in()
    for entry in entry_points(group=GROUP):
        if entry.name not in _KINDS:
            entry.load()
    return dict(sorted(_KINDS.items()))


def kind_of(name: str) -> Kind:
    _import_built_in()
    if name not in _KINDS:
        for entry in entry_points(group=GROUP, name=name):
            entry.load()
    if name not in _KINDS:
        raise UserError(
            f"there is no kind of reader called '{name}', only {', '.join(sorted(_KINDS))}",
            fix="if it is in a module of your own: cloze --import MODULE VERB ...",
        )
    return _KINDS[name]


@cache
def _import_built_in() -> None:
    for module in pkgutil.iter_modules(built_in.__path__):
        importlib.import_module(f"{built_in.__name__}.{module.name}")


def schema_of(values: Mapping[str, Any]) -> type[ReaderConfig]:
    """The class that checks a reader's settings, by its kind."""
    return kind_of(str(values.get("kind", DEFAULT))).config


AnyReaderConfig = Annotated[SerializeAsAny[ReaderConfig], BeforeValidator(ChosenBy(schema_of))]


def config_of(values: Mapping[str, Any], *, where: object = None) -> ReaderConfig:
    """The config of the kind that the values name; all their errors are reported at once."""
    return check(schema_of(values), values, where=where)


def build(config: ReaderConfig, tokens: int, *, seed: int) -> Network:
    """The network of a config; its weights depend only on config, number of token ids and seed."""
    network = blank(config, tokens, seed=seed)
    network.fill(torch.Generator().manual_seed(seed))
    return network


def blank(config: ReaderConfig, tokens: int, *, seed: int = 0) -> Network:
    """The network before its weights are drawn; PyTorch's global generator is left untouched."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        try:
            return kind_of(config.kind).network(config, tokens)
        except (RuntimeError, TypeError, OverflowError, MemoryError) as problem:
            what = f"a reader of this size cannot be made ({str(problem).splitlines()[0]})"
            raise UserError(what, fix="choose smaller sizes") from None

"""JSON and YAML spoilt as values: one lost, odd, doubled, renamed or nested too deep."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

import yaml

from tests.torture.mutations import Mutation, bytes_changed

_DEEP, _LONG = "\x01deep\x01", "\x01long\x01"  # stand for what no library would write
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 255, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**63, 2**70, 10**30,
    0.5, -0.5, 1e308, -1e-300, float("nan"), float("inf"), "", " ", "odd", "0", "-1", "\x00", "\ud800",
    "a\nb", "\u2028", "@entity999999999", "@entity4294967296", "@placeholder", "../../odd", "/", ".",
    "a" * 300, "train", "2020-99-99", [], [[]], [None], {}, {"odd": {}}, _DEEP, _LONG,
)  # fmt: skip


def json_changed(content: bytes, random: Random) -> bytes:
    """One to three values of a JSON file are others."""
    return _written(_changed(json.loads(content), random)).encode(errors="surrogatepass")


def json_line_changed(content: bytes, random: Random) -> bytes:
    lines = content.splitlines()
    place = random.randrange(len(lines))
    lines[place] = json_changed(lines[place], random)
    return b"\n".join(lines) + b"\n"


def yaml_changed(content: bytes, random: Random) -> bytes:
    """As JSON, which is YAML too, or in YAML's own form."""
    value = _changed(yaml.safe_load(content), random)
    if random.random() < 0.5:
        return _written(value).encode(errors="surrogatepass")
    try:
        return yaml.safe_dump(value, allow_unicode=True).encode(errors="surrogatepass")
    except (yaml.YAMLError, RecursionError):
        return bytes_changed(content, random)


def inside_text(change: Mutation) -> Mutation:
    """The texts of a JSON file are changed, and not its form."""

    def changed(content: bytes, random: Random) -> bytes:
        value = json.loads(content)
        texts = [place for place in _places(value) if isinstance(_at(place), str)]
        if texts:
            container, key = random.choice(texts)
            spoilt = change(container[key].encode(errors="surrogatepass"), random)
            container[key] = spoilt.decode(errors="replace")
        return _written(value).encode(errors="surrogatepass")

    return changed


def _changed(value: Any, random: Random) -> Any:
    whole = {"whole": copy.deepcopy(value)}
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = _places(whole)
        inner = places[1:]  # the root itself is changed too, but rarely
        container, key = random.choice(inner if inner and random.random() < 0.97 else places)
        random.choice(_CHANGES)(container, key, random)
        if "whole" not in whole:
            break
    return whole.get("whole")


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a value: the list or dict that holds it, and where."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        container = waiting.pop()
        inside = container.items() if isinstance(container, dict) else enumerate(container)
        for key, inner in list(inside):
            found.append((container, key))
            if isinstance(inner, dict | list):
                waiting.append(inner)
    return found


def _at(place: tuple[Any, Any]) -> Any:
    return place[0][place[1]]


def _odd(container: Any, key: Any, random: Random) -> None:
    container[key] = copy.deepcopy(random.choice(ODD))


def _lose(container: Any, key: Any, random: Random) -> None:
    del container[key]


def _wrap(container: Any, key: Any, random: Random) -> None:
    container[key] = random.choice(([container[key]], {"odd": container[key]}))


def _add(container: Any, key: Any, random: Random) -> None:
    if isinstance(container, dict):
        container[random.choice(("odd", "", "format", "files"))] = random.choice(
            (container[key], 3)
        )
    else:
        container.insert(key, copy.deepcopy(random.choice((container[key], *ODD))))


def _near(container: Any, key: Any, random: Random) -> None:
    """A number beside the right one, a text that is a little different."""
    value = container[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        container[key] = random.choice((value + 1, value - 1, -value, value * 1000, str(value)))
    elif isinstance(value, str):
        spoilt = bytes_changed(value.encode(errors="surrogatepass"), random)
        container[key] = spoilt.decode(errors="replace")
    elif isinstance(value, list):
        random.shuffle(value)


def _swap(container: Any, key: Any, random: Random) -> None:
    other = random.choice(list(container) if isinstance(container, dict) else range(len(container)))
    container[key], container[other] = container[other], container[key]


_CHANGES: tuple[Callable[[Any, Any, Random], None], ...] = (
    *(_odd, _odd, _odd, _lose, _wrap, _add, _near, _near, _swap),
)


def _written(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    text = text.replace(json.dumps(_DEEP), "[" * 50_000 + "]" * 50_000)
    return text.replace(json.dumps(_LONG), "9" * 5000)

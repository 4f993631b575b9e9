"""Which split a story belongs to: by month of publication, by list of ids, or by hash of its id."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from cloze.errors import UserError
from cloze.randomness import key_of
from cloze.stories import Story

SplitOf = Callable[[Story], str | None]  # None: the rule cannot tell
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def parse_rule(rule: str, here: Path = Path()) -> SplitOf:
    """A rule as written on the command line; stories that it does not name are train.

    train                              every story
    months:valid=2015-03,test=2015-04  by month of publication, as in the paper
    ids:valid=valid.txt,test=test.txt  by files with an id on each line (relative to `here`)
    hash:valid=5,test=5                percentages, by a stable hash of the id

    >>> split_of = parse_rule("months:valid=2015-03,test=2015-04")
    >>> split_of(Story("x", "", (), date="2015-03-23"))
    'valid'
    """
    kind, parts = _parsed(rule)
    if not parts:
        check_name(kind)
        return lambda _: kind
    if kind == "months":
        return _by_month(parts)
    if kind == "ids":
        return _by_ids(parts, here)
    if kind == "hash":
        return _by_hash(parts)
    raise UserError(
        f"'{kind}' is not a rule for splits", fix="use months:, ids:, hash: or the name of a split"
    )


def lists_of(rule: str) -> list[Path]:
    """The files that a rule reads.

    >>> [path.name for path in lists_of("ids:valid=valid.txt,test=test.txt")]
    ['valid.txt', 'test.txt']
    """
    kind, parts = _parsed(rule)
    return [Path(name) for name in parts.values()] if kind == "ids" else []


def _parsed(rule: str) -> tuple[str, dict[str, str]]:
    kind, colon, rest = rule.partition(":")
    parts: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise UserError(f"'{part}' in the rule '{rule}' does not say SPLIT=VALUE")
        check_name(name)
        parts[name] = value
    return kind, parts


def check_name(split: str) -> None:
    if not _NAME.fullmatch(split):
        raise UserError(f"'{split}' is not a name for a split", fix="such as train, valid or test")


def renamed(splits: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """The splits under the names that others have for them.

    >>> renamed(["train", "valid", "extra"], {"train": "training", "valid": "validation"})
    {'train': 'training', 'valid': 'validation', 'extra': 'extra'}
    """
    found = {split: names.get(split, split) for split in splits}
    for split, name in found.items():
        if list(found.values()).count(name) > 1:
            what = f"the splits {split} and {name} would both be called {name}"
            raise UserError(what, fix="export them apart: --split")
    return found


def _by_month(parts: dict[str, str]) -> SplitOf:
    for month in parts.values():
        if not re.fullmatch(r"\d{4}-\d\d", month):
            raise UserError(f"'{month}' is not a month", fix="write it as 2015-03")
    split_of_month = {month: split for split, month in parts.items()}

    def split_of(story: Story) -> str | None:
        if story.date is None or not re.match(r"\d{4}-\d\d", story.date):
            return None
        return split_of_month.get(story.date[:7], "train")

    return split_of


def _by_ids(parts: dict[str, str], here: Path) -> SplitOf:
    split_of_id: dict[str, str] = {}
    for split, name in parts.items():
        try:
            ids = (here / name).read_text(encoding="utf-8").split()
        except FileNotFoundError:
            raise UserError("no such list of ids", where=name) from None
        except UnicodeDecodeError:
            raise UserError("is not UTF-8", where=name) from None
        except OSError as problem:
            raise UserError(f"cannot be read ({problem.strerror})", where=name) from None
        for one in ids:
            if split_of_id.setdefault(one, split) != split:
                raise UserError(f"id {one} is in two lists", where=name)
    return lambda story: split_of_id.get(story.id, "train")


def _by_hash(parts: dict[str, str]) -> SplitOf:
    bounds: list[tuple[float, str]] = []
    total = 0.0
    for split, value in parts.items():
        try:
            share = float(value)
        except ValueError:
            raise UserError(f"'{value}' is not a percentage") from None
        total += share
        if share < 0 or total > 100:
            raise UserError("the percentages of the splits must add up to between 0 and 100")
        bounds.append((total / 100, split))

    def split_of(story: Story) -> str:
        lot = key_of(story.id) / 2**64
        return next((split for bound, split in bounds if lot < bound), "train")

    return split_of

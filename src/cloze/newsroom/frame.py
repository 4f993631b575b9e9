"""Event frames: who takes part, what is told about it, and how a highlight says the same.

A desk (a file in ``desks/``) is a list of frames. This one has two facts; the sentences of a fact
are ways to tell it in the article, and a line after ``>`` puts it in other words for a highlight:

    # acquisition
    buyer = company
    target = new company
    chief = person at buyer, chief executive
    values: price = money
    - {buyer} has agreed to buy {target} for {price}.
    > {target} is being sold to {buyer}

    - {chief} promised that nobody at {target} would lose a job.
    > {chief} rules out job losses at {target}

A role has a kind (``kinds.txt``). ``new`` means that it cannot be someone from another event;
``at`` and ``of`` tie it to another role, so that a company keeps its chief executive throughout
the story; after the comma comes the person's job (``*`` for any).
A slot may ask for a form: ``{chief.his}``, ``{target.bare}`` (see ``teller``).
"""

import re
from dataclasses import dataclass

_SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_ROLE = re.compile(r"(\w+) = (new )?(\w+)(?: (?:at|of) (\w+))?(?:, (.+))?")


@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    form: str


Template = tuple[str | Slot, ...]


@dataclass(frozen=True, slots=True)
class Role:
    name: str
    kind: str
    new: bool
    anchor: str | None
    job: str | None


@dataclass(frozen=True, slots=True)
class Fact:
    tellings: tuple[Template, ...]
    highlights: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    name: str
    roles: tuple[Role, ...]
    values: tuple[tuple[str, str], ...]  # slot, table
    facts: tuple[Fact, ...]  # the first is the event itself, the others may be left untold


def parse_template(line: str) -> Template:
    """
    >>> parse_template("{buyer} keeps the {target.bare} name.")
    (Slot(name='buyer', form=''), ' keeps the ', Slot(name='target', form='bare'), ' name.')
    """
    pieces: list[str | Slot] = []
    end = 0
    for match in _SLOT.finditer(line):
        if match.start() > end:
            pieces.append(line[end : match.start()])
        pieces.append(Slot(match[1], match[2] or ""))
        end = match.end()
    if end < len(line):
        pieces.append(line[end:])
    return tuple(pieces)


def parse_desk(text: str) -> tuple[Frame, ...]:
    return tuple(_parse_frame(part) for part in re.split(r"^# ", text, flags=re.M)[1:])


def _parse_frame(text: str) -> Frame:
    text = re.sub(r"\n    ", " ", text)  # a long line continues after four spaces
    head, _, body = text.partition("\n- ")
    name, *lines = head.strip().split("\n")
    roles: list[Role] = []
    values: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith("values: "):
            for pair in line.removeprefix("values: ").split(", "):
                slot, _, table = pair.partition(" = ")
                values.append((slot, table or slot))
        else:
            match = _ROLE.fullmatch(line)
            if match is None:
                raise ValueError(f"frame {name}: not a role: {line}")
            roles.append(Role(match[1], match[3], bool(match[2]), match[4], match[5]))
    facts: list[Fact] = []
    for block in ("- " + body).strip().split("\n\n"):
        marked = [(line[:2], parse_template(line[2:])) for line in block.split("\n")]
        facts.append(
            Fact(
                tuple(template for mark, template in marked if mark == "- "),
                tuple(template for mark, template in marked if mark == "> "),
            )
        )
    known = {role.name for role in roles} | {slot for slot, _ in values}
    for piece in (p for fact in facts for t in fact.tellings + fact.highlights for p in t):
        if isinstance(piece, Slot) and piece.name not in known:
            raise ValueError(f"frame {name}: unknown slot {piece.name}")
    return Frame(name, tuple(roles), tuple(values), tuple(facts))

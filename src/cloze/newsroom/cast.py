"""The cast of a story: events whose roles are filled, some of them by the same people and places.

Two events of the same frame with different people, and one person in two events, are what makes a
story worth reading: neither the verb nor the name alone tells who did what.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cloze.newsroom.dice import Dice
from cloze.newsroom.frame import Frame, Role
from cloze.newsroom.names import Entity, Namer
from cloze.newsroom.values import JOBS, Value, draw_value

_REUSE = {"city": 0.6, "country": 0.6, "person": 0.15}
_REUSE_OTHERS = 0.35
PEOPLE = {"person": None, "woman": True, "man": False}  # kind -> whether it is a woman


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    frame: Frame
    roles: dict[str, Entity]
    values: dict[str, Value]


class Cast:
    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.namer = Namer(dice)
        self._people: dict[tuple[str, str | None], list[Entity]] = {}  # by kind and job of the role
        self._tied: dict[tuple[Entity, str, str | None], Entity] = {}
        self._values: set[tuple[str, str]] = set()
        self.home = self.namer.country()

    def event(self, frame: Frame, told: Sequence[Event] = (), x: Entity | None = None) -> Event:
        """Fill the roles; an event like one already told shares at most one of its roles,
        and never the first.

        A profile describes the one in its role x.
        """
        twin = any(event.frame is frame for event in told)
        roles: dict[str, Entity] = {} if x is None else {"x": x}
        shared = 0
        for role in frame.roles:
            if role.name in roles:
                continue
            entity = self._tied_to(role, roles) or (
                None if twin and (shared or not roles) else self._known(role, roles)
            )
            if entity is None:
                entity = self._new(role, roles)
            elif role.kind not in ("city", "country"):
                shared += 1
            roles[role.name] = entity
        values = {slot: self._value(table) for slot, table in frame.values}
        return Event(frame, roles, values)

    def nationality(self, country: Entity) -> Entity:
        key = (country, "nationality", None)
        if key not in self._tied:
            self._tied[key] = self.namer.nationality(country)
        return self._tied[key]

    def extra(self, kind: str, job: str | None = None) -> Entity:
        """Someone who takes part in no event: a newspaper, a spokeswoman."""
        return self.namer.person(job) if kind in PEOPLE else self._thing(kind, None)

    def _tied_to(self, role: Role, roles: dict[str, Entity]) -> Entity | None:
        if role.anchor is None:
            return None
        return self._tied.get((roles[role.anchor], role.kind, role.job))

    def _known(self, role: Role, roles: dict[str, Entity]) -> Entity | None:
        if role.new or role.anchor is not None:
            return None
        taken = set(roles.values())
        known = [e for e in self._people.get((role.kind, role.job), ()) if e not in taken]
        if not known or not self._dice.chance(_REUSE.get(role.kind, _REUSE_OTHERS)):
            return None
        return self._dice.pick(known)

    def _new(self, role: Role, roles: dict[str, Entity]) -> Entity:
        anchor = roles[role.anchor] if role.anchor else None
        if role.kind in PEOPLE:
            job = self._dice.pick(JOBS) if role.job == "*" else role.job
            entity = self.namer.person(job, PEOPLE[role.kind])
        elif role.kind == "nationality":
            return self.nationality(anchor or self.home)
        else:
            entity = self._thing(role.kind, anchor)
        if anchor is not None:
            self._tied[anchor, role.kind, role.job] = entity
        if anchor is None or role.kind not in PEOPLE:  # one firm's chief is not another's
            self._people.setdefault((role.kind, role.job), []).append(entity)
        return entity

    def _thing(self, kind: str, anchor: Entity | None) -> Entity:
        if kind == "country":
            known = self._people.get((kind, None), [])
            return self.home if self.home not in known else self.namer.country()
        city = anchor.full.text if anchor is not None and anchor.kind == "city" else None
        country = anchor if anchor is not None and anchor.kind == "country" else self.home
        return self.namer.thing(kind, city, country)

    def _value(self, table: str) -> Value:
        """A value not used before if the table has one: two crimes in a story should differ."""
        for _ in range(8):
            value = draw_value(self._dice, table)
            if (table, value.told) not in self._values:
                break
        self._values.add((table, value.told))
        return value

"""The article: two to five events of one desk, told in turn around one protagonist."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cloze.newsroom.cast import Cast, Event
from cloze.newsroom.desks import ASIDES, DESKS, PROFILES
from cloze.newsroom.dice import Dice
from cloze.newsroom.frame import Fact, Frame, Slot, Template
from cloze.newsroom.kinds import PLURAL
from cloze.newsroom.names import Entity
from cloze.newsroom.teller import Teller

_SAME_FRAME = 0.35  # a second takeover, a second arrest
_OTHER_DESK = 0.1
_TOLD_OF_THE_FIRST = 0.85  # of the facts beside the event itself
_STAY = 0.6  # with the same event for another sentence
_ASIDE, _PROFILE = 0.04, 0.35  # behind a sentence
_DATELINE = 0.3
_LEAD_IN = 0.6  # before another event
_SIZES = (  # words after which no fact is added, events at most, facts told of the others
    (70, 2, 0.4),
    (110, 3, 0.4),
    (180, 4, 0.6),
    (360, 5, 0.9),
)
_SIZE_WEIGHTS = (0.5, 0.3, 0.15, 0.05)
_LEAD_INS = (
    "Meanwhile, ",
    "At the same time, ",
    "Separately, ",
    "Elsewhere, ",
    "In another development, ",
    "In other news, ",
)


@dataclass(slots=True, eq=False)
class Article:
    teller: Teller
    cast: Cast
    protagonist: Entity
    told: list[tuple[Event, Fact]] = field(default_factory=list)  # the main event first
    slots: list[set[str]] = field(default_factory=list)  # the roles filled in telling each
    profiles: dict[Entity, Event] = field(default_factory=dict)
    used: set[Template] = field(default_factory=set)
    in_paragraph: int = 0

    def tell(self, dice: Dice, event: Event, fact: Fact, lead_in: str = "") -> bool:
        """Tell a fact in words not used before, if there are any left."""
        fresh = [telling for telling in fact.tellings if telling not in self.used]
        if not fresh:
            return False
        telling = dice.pick(fresh)
        self.used.add(telling)
        if self.told:
            before, x = self.told[-1][0], event.roles.get("x")
            breaks = event is not before and x not in before.roles.values() and dice.chance(0.9)
            breaks = breaks or self.in_paragraph >= 3
            breaks = breaks or (self.in_paragraph == 2 and dice.chance(0.5))
            self.teller.write("\n\n" if breaks else " ")
            self.in_paragraph = 0 if breaks else self.in_paragraph
        starts_with_quote = isinstance(telling[0], str) and telling[0].startswith('"')
        self.teller.tell(event, telling, "" if starts_with_quote else lead_in)
        self.told.append((event, fact))
        self.slots.append({piece.name for piece in telling if isinstance(piece, Slot)})
        self.in_paragraph += 1
        return True


def write_article(dice: Dice) -> Article:
    cast = Cast(dice)
    limit, most, told = _SIZES[dice.weighted(_SIZE_WEIGHTS)]
    events = _choose_events(dice, cast, dice.between(2, most))
    article = Article(Teller(dice, cast), cast, _protagonist(dice, events[0]))
    if dice.chance(_DATELINE):
        _dateline(dice, cast, events[0], article.teller)
    lead_ins = dice.shuffled(_LEAD_INS)
    for event, fact in _turns(dice, events, told):
        if article.teller.words() >= limit:
            break
        opens = article.told and fact is event.frame.facts[0]
        lead_in = lead_ins.pop() if opens and lead_ins and dice.chance(_LEAD_IN) else ""
        if not article.tell(dice, event, fact, lead_in):
            continue
        if dice.chance(_PROFILE):
            _profile(dice, article)
        if dice.chance(_ASIDE):
            aside = cast.event(dice.pick(ASIDES))
            article.tell(dice, aside, aside.frame.facts[0])
    return article


def _choose_events(dice: Dice, cast: Cast, count: int) -> list[Event]:
    desk = dice.pick(DESKS)
    frames: list[Frame] = [_pick_frame(dice, desk)]
    for _ in range(count - 1):
        again = [frame for frame in frames if frames.count(frame) == 1]
        if again and dice.chance(_SAME_FRAME):
            frames.append(dice.pick(again))
        else:
            source = dice.pick(DESKS) if dice.chance(_OTHER_DESK) else desk
            frames.append(_pick_frame(dice, [frame for frame in source if frame not in frames]))
    events: list[Event] = []
    for frame in frames:
        events.append(cast.event(frame, events))
    return events


def _pick_frame(dice: Dice, frames: Sequence[Frame]) -> Frame:
    """As in the news, some things happen every day and others seldom: weights 1, 1/2, 1/3, ..."""
    return frames[dice.weighted([1 / rank for rank in range(1, len(frames) + 1)])]


def _protagonist(dice: Dice, event: Event) -> Entity:
    """One of the first two roles: they carry the event."""
    return dice.pick(list(event.roles.values())[:2])


def _profile(dice: Dice, article: Article) -> None:
    """A fact about the protagonist, or another of the event last told, if already introduced."""
    event, _ = article.told[-1]
    x = article.protagonist if dice.chance(0.9) else dice.pick(list(event.roles.values()))
    if x not in article.teller.told or x.label not in ("PERSON", "ORG", "GPE"):
        return
    if x not in article.profiles:
        kind = x.kind if x.label != "ORG" else "group" if x.kind in PLURAL else "organisation"
        article.profiles[x] = article.cast.event(PROFILES[kind], x=x)
    profile = article.profiles[x]
    untold = [fact for fact in profile.frame.facts if (profile, fact) not in article.told]
    if untold:
        article.tell(dice, profile, dice.pick(untold))


def _turns(dice: Dice, events: list[Event], told: float) -> list[tuple[Event, Fact]]:
    """Each event before its other facts, the main event first, and the threads interwoven."""
    threads: list[list[tuple[Event, Fact]]] = []
    for event in events:
        core, *others = event.frame.facts
        keep = told if threads else _TOLD_OF_THE_FIRST
        kept = [fact for fact in dice.shuffled(others) if dice.chance(keep)]
        threads.append([(event, fact) for fact in [core, *kept]])
    turns = [threads[0].pop(0)]
    current = threads[0]
    while any(threads):
        if not current or not dice.chance(_STAY):
            current = dice.pick([thread for thread in threads if thread])
        turns.append(current.pop(0))
    return turns


def _dateline(dice: Dice, cast: Cast, event: Event, teller: Teller) -> None:
    cities = [entity for entity in event.roles.values() if entity.kind == "city"]
    city = cities[0] if cities else cast.extra("city")
    teller.mention(city, city.full)
    if dice.chance(0.5):
        teller.write(", ")
        teller.mention(cast.home, cast.home.full)
    teller.write(" -- ")

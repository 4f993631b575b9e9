"""Highlights: what the article told, in other words."""

from cloze.newsroom.article import Article
from cloze.newsroom.cast import Event
from cloze.newsroom.dice import Dice
from cloze.newsroom.frame import Slot, Template
from cloze.newsroom.names import Entity
from cloze.newsroom.teller import Teller

_FOUR = 0.45  # four highlights, otherwise three
_JOINED = 0.2  # two facts in one highlight
_UNTOLD = 0.02  # a name that the article does not have, as happens in the news
_MAIN = 2.5  # how much likelier a highlight is about the main event or the protagonist
_JOINTS = (", while ", "; ", ", and ")


Clause = tuple[Event, Template]


def write_highlights(dice: Dice, article: Article) -> list[Teller]:
    left = _order(dice, article)
    highlights: list[Teller] = []
    for _ in range(4 if dice.chance(_FOUR) else 3):
        teller = Teller(dice, article.cast, article.teller)
        joined = dice.chance(_JOINED) and len(left) > 1
        clauses = [left.pop(0) for _ in range(2 if joined else 1) if left]
        lead_in = ""
        for event, template in clauses:
            teller.tell(event, template, lead_in)
            lead_in = dice.pick(_JOINTS)
        if clauses:
            highlights.append(teller)
    return highlights


def _order(dice: Dice, article: Article) -> list[Clause]:
    """A clause for each fact, important ones first; then the main event in yet other words."""
    facts = list(range(len(article.told)))
    clauses: list[Clause] = []
    while facts:
        events = [article.told[i][0] for i in facts]
        i = facts.pop(dice.weighted([_weight(article, event) for event in events]))
        event, fact = article.told[i]
        fitting = [t for t in fact.highlights if dice.chance(_UNTOLD) or _is_told(article, i, t)]
        fitting = [t for t in fitting if t not in (template for _, template in clauses)]
        if fitting:
            weights = [_MAIN if _names(event, t, article.protagonist) else 1.0 for t in fitting]
            clauses.append((event, fitting[dice.weighted(weights)]))
    event, fact = article.told[0]
    again = [t for t in fact.highlights if _is_told(article, 0, t) and (event, t) not in clauses]
    return clauses + [(event, template) for template in again]


def _weight(article: Article, event: Event) -> float:
    central = event is article.told[0][0] or article.protagonist in event.roles.values()
    return _MAIN if central else 1.0


def _names(event: Event, template: Template, entity: Entity) -> bool:
    slots = (piece.name for piece in template if isinstance(piece, Slot))
    return any(event.roles.get(slot) is entity for slot in slots)


def _is_told(article: Article, i: int, template: Template) -> bool:
    """Whether the sentence that told the fact, or the one that told its event, says all of it."""
    event = article.told[i][0]
    core = next(j for j, (other, _) in enumerate(article.told) if other is event)
    said = article.slots[i] | article.slots[core]
    return all(piece.name in said for piece in template if isinstance(piece, Slot))

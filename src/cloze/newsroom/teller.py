"""Telling: templates become text, and every name is marked where it is written.

A slot asks for a form of its entity:

    {chief}         "chief executive Ada Wexford" first, then "Wexford" or "Ms Wexford"
    {chief.plain}   the same, never with the job
    {chief.bare}    the name alone, for "a {place.bare} court"
    {chief.s}       "Wexford's"
    {chief.or_he}   "She" if nobody else can be meant, otherwise the name
    {chief.he} {chief.him} {chief.his} {chief.man} {chief.job}   words, not mentions
"""

import re

from cloze.newsroom.cast import Cast, Event
from cloze.newsroom.dice import Dice
from cloze.newsroom.frame import Slot, Template
from cloze.newsroom.names import Entity, Form
from cloze.newsroom.values import JOBS

Marked = tuple[int, int, Entity]  # start, end

_VOWEL = re.compile(r"[aeio8AEIO]|1[18]\b|[uU](?!ni|se)")
_WORDS = frozenset({"he", "him", "his", "man"})
_SENTENCE_END = (". ", "? ", "! ", '." ', '?" ', '!" ')


class Teller:
    """Writes one text: the article, or (with what the article has told) a highlight."""

    def __init__(self, dice: Dice, cast: Cast, article: "Teller | None" = None) -> None:
        self._dice = dice
        self._cast = cast
        self._article = article
        self._pieces: list[str] = []
        self._length = 0
        self.mentions: list[Marked] = []
        self.told: set[Entity] = set()
        self.abbreviated: set[Entity] = set()
        self.with_job: set[Entity] = set()
        self.courteous: bool = dice.chance(0.25) if article is None else article.courteous
        self._sentence_start = True
        self._before: set[Entity] = set()
        self._now: set[Entity] = set()

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def words(self) -> int:
        return len(self.text.split())

    def tell(self, event: Event, template: Template, lead_in: str = "") -> None:
        """One sentence, or a few that belong together."""
        self._before, self._now = self._now, set()
        self._sentence_start = True
        if lead_in:
            self.write(lead_in)
            if isinstance(template[0], str):
                template = (template[0][0].lower() + template[0][1:], *template[1:])
        for piece in template:
            if isinstance(piece, str):
                self.write(piece)
            elif piece.name in event.values:
                value = event.values[piece.name]
                self.write(value.told if self._article is None else value.summed)
            else:
                self._slot(event.roles[piece.name], piece)

    def write(self, text: str) -> None:
        if self._pieces and _VOWEL.match(text) and self._pieces[-1][-3:] in (" a ", "A ", "a "):
            self._pieces[-1] = self._pieces[-1][:-1] + "n "
            self._length += 1
        if self._sentence_start:
            text = text[0].upper() + text[1:]
        self._pieces.append(text)
        self._length += len(text)
        opened = self._sentence_start and text == '"'
        self._sentence_start = opened or text.endswith(_SENTENCE_END)

    def mention(self, entity: Entity, form: Form, the: bool = True) -> None:
        if form.the and the:
            self.write("the ")
        self.write(form.text)
        self.mentions.append((self._length - len(form.text), self._length, entity))
        self.told.add(entity)
        self._now.add(entity)

    def _slot(self, entity: Entity, slot: Slot) -> None:
        form = slot.form
        if form in _WORDS:
            self.write(entity.pronouns[form])
        elif form == "job":
            self.write(entity.job or "")
            self.with_job.add(entity)
        elif form == "bare":
            self.mention(entity, self._later(entity), the=False)
        elif form == "or_he" and self._unmistakable(entity) and self._dice.chance(0.8):
            self._now.add(entity)
            self.write(entity.pronouns["he"])
        elif self._article is not None:
            self._sum_up(entity, with_job=form != "plain")
        elif entity in self.told:
            self._again(entity)
        else:
            self._introduce(entity, with_job=form != "plain")
        if form == "s":
            self.write("'" if entity.pronouns["he"] == "they" else "'s")

    def _unmistakable(self, entity: Entity) -> bool:
        alike = [
            e for e in self._before if (e.label, e.pronouns) == (entity.label, entity.pronouns)
        ]
        return self._article is None and alike == [entity]

    def _introduce(self, entity: Entity, with_job: bool) -> None:
        dice = self._dice
        if entity.job and with_job:
            titled = entity.job[0].isupper()
            if titled or dice.chance(0.65):
                if entity.job in JOBS and dice.chance(0.12):
                    self._nationality(" ")
                self.write(entity.job + " ")
                self.with_job.add(entity)
        elif entity.kind == "city" and with_job and dice.chance(0.2):
            self.write("the ")
            self._nationality(" city of ")
        self.mention(entity, entity.full)
        if entity.abbreviation and entity.short and dice.chance(0.85):
            self.write(" (")
            self.mention(entity, entity.short, the=False)
            self.write(")")
            self.abbreviated.add(entity)

    def _nationality(self, after: str) -> None:
        nationality = self._cast.nationality(self._cast.home)
        self.mention(nationality, nationality.full)
        self.write(after)

    def _again(self, entity: Entity) -> None:
        person = entity.label == "PERSON"
        form = self._later(entity)
        if person and form is entity.short:
            if entity.job and entity.job[0].isupper() and self._dice.chance(0.5):
                self.write(entity.job + " ")
            elif self.courteous:
                self.write(entity.pronouns["honorific"] + " ")
        self.mention(entity, form)

    def _later(self, entity: Entity) -> Form:
        told = entity in (self._article or self).told
        if not told or entity.short is None or self._dice.chance(0.15):
            return entity.full
        if entity.abbreviation and entity not in (self._article or self).abbreviated:
            return entity.full
        if entity.short.text in self._cast.namer.shared_surnames:
            return entity.full
        return entity.short

    def _sum_up(self, entity: Entity, with_job: bool) -> None:
        known = self._article is not None and entity in self._article.with_job
        introduce = with_job and known and entity not in self.told
        if entity.job and introduce and self._dice.chance(0.15):
            self.write(entity.job + " ")
        short = entity in self.told or self._dice.chance(0.4)
        self.mention(entity, self._later(entity) if short else entity.full)

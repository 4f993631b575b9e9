"""What a reader's probabilities have been worth, measured once and stored with the reader.

    of 395 answers on CNN valid with a probability of 0.83 to 0.92,  86 % were right
    of 412 answers on CNN valid with a probability of 0.92 to 0.97,  94 % were right

`cloze calibrate` measures it. The temperature sharpens or softens a reader's probabilities so that
they are right as often as they say; the record tells a person what one of them means.
"""

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from cloze.paper import corpus_title
from cloze.shape import Shape

UNSURE = 0.5  # if no more than this share of the answers was right, the reader is not sure


class Level(Shape):
    """Answers of about the same probability, and how many of them were right."""

    least: float = Field(ge=0, le=1)  # the lowest probability that belongs here
    answers: PositiveInt
    right: NonNegativeInt

    @property
    def share(self) -> float:
        return self.right / self.answers


class Confidence(Shape):
    temperature: PositiveFloat  # that the logits are divided by
    corpus: str  # what it was measured on
    split: str
    questions: PositiveInt
    error: float = Field(ge=0, le=1)  # expected calibration error, under the temperature
    levels: list[Level] = Field(min_length=1)  # from the least sure to the surest

    def level(self, probability: float) -> Level:
        """The level of an answer with this probability; the lowest if it is below all of them."""
        above = [level for level in self.levels if probability >= level.least]
        return above[-1] if above else self.levels[0]

    def is_sure(self, probability: float) -> bool:
        return self.level(probability).share > UNSURE

    def meaning(self, probability: float) -> str:
        """One line for people: "of answers this sure, 93 % were right on CNN valid"."""
        percent = 100 * self.level(probability).share
        much = "over 99" if percent > 99 else f"{percent:.0f}"  # nothing is right forever
        said = (
            f"of answers this sure, {much} % were right on {corpus_title(self.corpus)} {self.split}"
        )
        return said if self.is_sure(probability) else f"not sure: {said}"

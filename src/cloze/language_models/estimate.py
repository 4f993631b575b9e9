"""What a run would ask and cost, before anything is sent."""

from collections.abc import Iterable
from dataclasses import dataclass

from cloze.document import Point
from cloze.language_models.budget import Price
from cloze.language_models.model import LanguageModel


@dataclass(frozen=True)
class Estimate:
    questions: int
    kept: int  # have a reply already
    tokens_read: int  # of the others, by the length of their prompts
    tokens_written: int  # at most
    first: str  # the first prompt

    def text(self, price: Price | None) -> str:
        said = (
            f"{self.questions:,} questions, {self.kept:,} of them with a reply already; about "
            f"{self.tokens_read:,} tokens to read and at most {self.tokens_written:,} to write"
        )
        if price is not None:
            said += f", about {price.of(self.tokens_read, self.tokens_written):,.2f} in all"
        return said


def estimate(model: LanguageModel, points: Iterable[Point], *, seed: int = 0) -> Estimate:
    questions = kept = read = written = 0
    first = ""
    for request, known in model.known(points, seed=seed):
        questions += 1
        first = first or request.text
        if known:
            kept += 1
        else:
            read += request.tokens_read
            written += request.tokens_written
    return Estimate(questions, kept, read, written, first)

"""The messages of the interface, as its OpenAPI description describes them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from cloze.ask.article import HAS_TEXT
from cloze.ask.gap import HAS_GAP, HAS_TWO_GAPS
from cloze.text import After

MOST_CHARACTERS = 50_000  # more than 8,000 tokens of most prose

# Described here and checked in `cloze.ask.article`, whose message is better than Pydantic's.
_HAS_TEXT: JsonDict = {"pattern": HAS_TEXT}
_HAS_ONE_GAP: JsonDict = {"pattern": HAS_GAP, "not": {"pattern": HAS_TWO_GAPS}}


class Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Form = Annotated[str, Field(min_length=1, max_length=500)]


class JoinNames(Message):
    join: tuple[Form, Form] = Field(description="Two names that are one.")


class NameApart(Message):
    apart: Form = Field(description="A form of a name that is somebody else.")


class CutName(Message):
    cut: tuple[Form, Form] = Field(description="Two names, one after the other, that are not one.")


class NotAName(Message):
    no_name: Form = Field(description="A word that is no name.")


Correction = JoinNames | NameApart | CutName | NotAName


class ReadRequest(Message):
    """An article, and perhaps a question with a gap in it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "article": "The BBC producer allegedly struck by Jeremy Clarkson will not press"
                    " charges against the host, his lawyer said. Clarkson had attacked Oisin Tymon,"
                    " an internal investigation found.",
                    "question": "Producer X will not press charges against Jeremy Clarkson",
                }
            ]
        }
    )

    article: str = Field(
        max_length=MOST_CHARACTERS,
        description="The article, at most 8,000 tokens; blank lines separate its paragraphs.",
        json_schema_extra=_HAS_TEXT,
    )
    highlights: list[Annotated[str, Field(max_length=1000)]] = Field(
        default=[],
        max_length=20,
        description="Sentences that sum the article up. Their names are offered as gaps.",
    )
    question: Annotated[str, Field(max_length=2000, json_schema_extra=_HAS_ONE_GAP)] | None = Field(
        default=None,
        description="A sentence in which X, @placeholder or ___ stands for the missing name, or one"
        " that begins with who, whom, whose, which, where or what (the words of the server's"
        " language).",
    )
    corrections: list[Correction] = Field(
        default=[],
        max_length=200,
        description="What is wrong with the names that were found, in forms as /api/read returns"
        " them; applied in order to all texts. A correction of a form that is not there does"
        " nothing.",
    )
    film: bool = Field(
        default=False,
        strict=True,
        description="Whether to return how the answer changes from word to word of the question.",
    )
    models: list[Annotated[str, Field(max_length=100)]] | None = Field(
        default=None,
        max_length=20,
        description="Which readers answer, by their names in /api/models; null: all.",
    )


class Words(Message):
    """A text in words; a whole name is one word. The four lists are equally long."""

    words: list[str] = Field(description="As written in the text.")
    tokens: list[str] = Field(description="What the reader sees: words in lower case, markers.")
    after: list[After] = Field(description="The spacing after each word.")
    entities: list[int | None] = Field(description="The entity that each word names, if any.")


class Named(Message):
    """An entity: all the mentions that share a marker."""

    id: int
    name: str = Field(description="The fullest of its names.")
    type: str = Field(description="PERSON, ORG, GPE, ...")
    names: list[str] = Field(description="Every form of the name in the texts.")
    mentions: list[int] = Field(description="Where it is in the article: indices of words.")


class Gap(Message):
    word: int = Field(description="Which word of the sentence is left out.")
    entity: int = Field(description="Whose name that is.")
    question: str = Field(description="The sentence with ___ in its place: a question to send.")


class Sentence(Message):
    """A highlight, or one of the article's first sentences, and the names that could be the gap."""

    source: Literal["highlight", "lead"]
    text: Words
    gaps: list[Gap]


class Asked(Message):
    text: Words
    gap: int = Field(description="Which word is the gap.")


class Candidate(Message):
    entity: int
    name: str
    score: float = Field(description="Higher is better; a reader's is the probability.")
    probability: Annotated[float, Field(ge=0, le=1)] | None = Field(
        description="null if the model counts or measures instead, as baselines do."
    )


class Answer(Message):
    """What one model says: the article's entities, the likeliest first."""

    model: str
    candidates: list[Candidate]
    attention: list[list[float]] | None = Field(
        description="A row for each thing read: one row for the Attentive Reader, a row for each"
        " word of the question for the Impatient Reader; a weight for each word of the article."
        " null if the reader has no attention.",
    )
    film: list[list[float]] | None = Field(
        description="For a reader that rereads, the probabilities of the candidates, in their"
        " order, after each word of the question; null for others, and unless it was asked for."
    )
    sure: bool | None = Field(
        description="Whether answers as sure as the first candidate were mostly right where the"
        " reader was calibrated; null where it was not."
    )
    meaning: str | None = Field(
        description="The same for people: of answers this sure, 93 % were right on CNN valid."
    )
    outside: bool = Field(
        description="Whether the reader found some other word likelier than every candidate."
    )
    windows: int = Field(
        description="How many overlapping windows the article was read in: more than one if it is"
        " longer than the reader reads at once."
    )


class ReadResponse(Message):
    article: Words
    entities: list[Named]
    sentences: list[Sentence]
    unknown: dict[str, list[int]] = Field(
        description="For each reader that was named, the words of the article that its vocabulary"
        " does not have: it reads them all as one word."
    )
    question: Asked | None
    answers: list[Answer] = Field(description="One for each model, if there was a question.")


class Result(Message):
    """How a reader did where it was measured."""

    questions: str = Field(description="Which ones: CNN valid.")
    number: int
    right: float = Field(description="In percent.")
    low: float = Field(description="Of the 95 % interval.")
    high: float


class ModelCard(Message):
    """A model that this server has loaded."""

    name: str
    kind: str = Field(description="reader, baseline, or whatever its author calls it.")
    title: str = Field(description="As tables call it: Attentive Reader, Word distance model.")
    parameters: int | None = Field(description="How many weights a reader has; null for others.")
    trained_on: str | None = Field(description="The corpus; null for what learnt nothing.")
    results: list[Result] = Field(description="What its card says of its accuracy.")


class Example(Message):
    """A made-up story, to try the readers on."""

    article: str
    highlights: list[str]


class Problem(Message):
    """Why a request was refused."""

    error: str = Field(description="A short name for programs: no_gap, too_long, busy, ...")
    message: str = Field(description="One line for people: what is wrong and how to fix it.")
    field: str | None = Field(description="The part of the request that is at fault, if one is.")

"""The shipped parser on sentences of our own."""

import json
import shutil
from pathlib import Path

import pytest

from cloze.errors import UserError
from cloze.propbank import rules
from cloze.propbank.frame import Frame
from cloze.propbank.parser import SHIPPED, Parser, shipped
from cloze.propbank.pipeline import load_pipeline


def frames_of(text: str) -> dict[str, dict[str, str]]:
    doc = load_pipeline()(text)
    return {
        frame.roleset: {a.label: doc[a.start : a.end].text for a in frame.arguments}
        for frame in shipped().parse([doc])[0]
    }


@pytest.mark.parametrize(
    ("text", "roleset", "expected"),
    [
        (
            "Kim gave a book to Suse.",
            "give.01",
            {"ARG0": "Kim", "ARG1": "a book", "ARG2": "to Suse"},
        ),
        ("The book was written by Tom.", "write.01", {"ARG0": "by Tom", "ARG1": "The book"}),
        ("Mike is president.", "be.01", {"ARG1": "Mike", "ARG2": "president"}),
        ("The man who sold the car left.", "sell.01", {"ARG0": "The man", "R-ARG0": "who"}),
        ("Anna wants to buy a boat.", "buy.01", {"ARG0": "Anna", "ARG1": "a boat"}),
        ("The window broke.", "break.01", {"ARG1": "The window"}),
        ("Police arrested him and took his phone.", "take.01", {"ARG0": "Police"}),
    ],
)
def test_who_did_what_to_whom(text: str, roleset: str, expected: dict[str, str]):
    found = frames_of(text)
    assert roleset in found
    assert found[roleset].items() >= expected.items()


def test_one_verb_has_several_senses():
    assert "run.01" in frames_of("She runs the company.")
    assert "run.02" in frames_of("She ran to the shop.")


def test_an_auxiliary_has_its_own_sense_and_no_arguments():
    found = frames_of("The crowd was watching.")
    assert found["be.03"] == {}
    assert found["watch.01"]["ARG0"] == "The crowd"


def test_what_a_document_is_parsed_with_changes_nothing():
    texts = ["Kim gave Suse a book.", "", "He slept, she left, and nobody who saw it spoke.", "Oh!"]
    docs = list(load_pipeline().pipe(texts))
    together = shipped().parse(docs)
    assert together == [shipped().parse([doc])[0] for doc in docs]
    assert together[1] == []
    for doc, frames in zip(docs, together, strict=True):
        for frame in frames:
            assert all(0 <= a.start < a.end <= len(doc) for a in frame.arguments)


def test_predicates_may_be_given():
    doc = load_pipeline()("The sale surprised Kim.")
    (frame,) = shipped().parse_given([doc], [[2]])[0]
    assert isinstance(frame, Frame)
    assert (frame.predicate, frame.roleset) == (2, "surprise.01")
    argument = frame.argument("ARG1")
    assert argument is not None
    assert doc[argument.start : argument.end].text == "Kim"
    assert shipped().parse([]) == []


def test_the_plain_rules_turn_the_passive_round():
    doc = load_pipeline()("The book was written by Tom.")
    assert {a.label: doc[a.start : a.end].text for a in rules.arguments(doc, 3)} == {
        "ARG0": "by Tom",
        "ARG1": "The book",
    }


def test_the_shipped_model_is_small_and_has_its_licence():
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 10e6
    assert "CC BY-SA 4.0" in (SHIPPED / "NOTICE.md").read_text()


def test_a_saved_model_is_the_same_model(tmp_path: Path):
    shipped().save(tmp_path, {})
    again = Parser.load(tmp_path)
    doc = load_pipeline()("Kim told Suse that the old house had been sold.")
    assert again.parse([doc]) == shipped().parse([doc])
    first, second = (d / "weights.safetensors" for d in (SHIPPED, tmp_path))
    assert first.read_bytes() == second.read_bytes()


def test_a_damaged_model_is_told(tmp_path: Path):
    with pytest.raises(UserError, match="no such file"):
        Parser.load(tmp_path)
    shutil.copy(SHIPPED / "names.json", tmp_path)
    (tmp_path / "weights.safetensors").write_bytes(b"\x00" * 64)
    with pytest.raises(UserError, match="is not a PropBank model"):
        Parser.load(tmp_path)
    shutil.copy(SHIPPED / "weights.safetensors", tmp_path)
    names = json.loads((tmp_path / "names.json").read_text())
    del names["rolesets"]
    (tmp_path / "names.json").write_text(json.dumps(names))
    with pytest.raises(UserError, match="is not a PropBank model"):
        Parser.load(tmp_path)

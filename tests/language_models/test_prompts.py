"""Templates, requests, and the hash under which a reply is kept."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cloze.document import Point
from cloze.errors import UserError
from cloze.language_models.forms import Form, items
from cloze.language_models.prompts import Prompt
from cloze.language_models.request import Interface, Settings, request_for

SETTINGS = Settings("http://here/v1", "little", Interface.CHAT, Prompt.built_in("chat"))


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize("form", Form)
def test_a_prompt_shows_what_its_form_has(
    interface: Interface, form: Form, points: list[Point]
) -> None:
    item = items(points[0], form)[0]
    text = Prompt.built_in(interface).fill(item)
    assert ("Article:" in text) == form.has_article
    assert item.article in text
    assert text.index(item.question) > (text.index(item.article) if form.has_article else -1)
    for candidate in item.candidates:
        assert f"\n{candidate.label}\n" in text


@pytest.mark.parametrize(
    "template",
    [
        "{{ nobody }}",
        "{% for x in candidates %}",
        "{{ article.__class__.__mro__[1].__subclasses__() }}",
        "{{ 1 / 0 }}",
        "{{ candidates[10 ** 9] }}",
    ],
)
def test_a_template_with_a_fault_is_refused(
    template: str, points: list[Point], tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text(template)
    with pytest.raises(UserError, match=r"mine\.txt: the prompt template is not valid"):
        Prompt.from_file(tmp_path / "mine.txt").fill(items(points[0], Form.MARKERS)[0])


def test_whatever_is_different_is_kept_apart(points: list[Point]) -> None:
    item, other = items(points[0], Form.MARKERS)[:2]
    different = [
        replace(SETTINGS, address="http://there/v1"),
        replace(SETTINGS, model="large"),
        replace(SETTINGS, interface=Interface.COMPLETIONS),
        replace(SETTINGS, prompt=Prompt(SETTINGS.prompt.text + "{# the same words #}")),
        replace(SETTINGS, max_tokens=33),
        replace(SETTINGS, parameters={"top_p": 0.5}),
    ]
    keys = [request_for(item, settings).key for settings in (SETTINGS, *different)]
    keys.append(request_for(other, SETTINGS).key)
    assert len(set(keys)) == len(keys)
    assert request_for(item, SETTINGS).key == keys[0]


def test_a_parameter_can_be_added_changed_and_left_out(points: list[Point]) -> None:
    parameters = {"temperature": None, "max_tokens": None, "max_completion_tokens": 9}
    item = items(points[0], Form.MARKERS)[0]
    body = json.loads(request_for(item, replace(SETTINGS, parameters=parameters)).body)
    assert set(body) == {"model", "messages", "max_completion_tokens"}
    assert body["messages"][0]["content"] == SETTINGS.prompt.fill(item)

"""A request to a server, and the hash under which its reply is kept.

The hash covers the address, the model, the whole request and the version of the prompt: a second
model, another temperature or a changed template never gets a reply that was kept for another.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from cloze.language_models.forms import Item
from cloze.language_models.prompts import Prompt


class Interface(StrEnum):
    CHAT = "chat"
    COMPLETIONS = "completions"

    @property
    def path(self) -> str:
        return "chat/completions" if self is Interface.CHAT else "completions"


@dataclass(frozen=True)
class Settings:
    """All that a request holds beside its question."""

    address: str  # of the interface, whole
    model: str
    interface: Interface
    prompt: Prompt
    max_tokens: int = 32
    parameters: Mapping[str, Any] = field(default_factory=dict)  # added to every request
    stop: tuple[str, ...] = ("\n",)  # where a completion ends

    def with_room(self, tokens: int) -> "Settings":
        """For a reply of several lines."""
        return replace(self, max_tokens=max(self.max_tokens, tokens), stop=("\n\n",))


@dataclass(frozen=True)
class Request:
    key: str
    address: str
    model: str
    form: str
    question: str  # its id
    text: str  # the prompt
    body: bytes
    tokens_read: int  # estimates, for budgets: the server counts in its own way
    tokens_written: int  # at most


def request_for(item: Item, settings: Settings) -> Request:
    return request_of(settings.prompt.fill(item), item.form, item.question_id, settings)


def request_of(text: str, form: str, question: str, settings: Settings) -> Request:
    body = _body(text, settings)
    whole = [settings.address, settings.model, settings.prompt.version, body]
    content = json.dumps(whole, sort_keys=True, ensure_ascii=False).encode()
    sent = json.dumps(body, ensure_ascii=False).encode()
    return Request(
        hashlib.sha256(content).hexdigest(),
        settings.address,
        settings.model,
        form,
        question,
        text,
        sent,
        estimated_tokens(text),
        settings.max_tokens,
    )


def estimated_tokens(text: str) -> int:
    """Without the model's tokenizer: about four bytes to a token, a little less with markers."""
    return len(text.encode()) * 2 // 7 + 1


def _body(text: str, settings: Settings) -> dict[str, Any]:
    """A parameter given as null is left out, for servers that refuse it."""
    body: dict[str, Any] = {"model": settings.model}
    if settings.interface is Interface.CHAT:
        body["messages"] = [{"role": "user", "content": text}]
    else:
        body["prompt"] = text
        body["stop"] = list(settings.stop)
    body |= {"max_tokens": settings.max_tokens, "temperature": 0, **settings.parameters}
    return {name: value for name, value in body.items() if value is not None}

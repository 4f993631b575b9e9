"""Where the server is, and the key to it, which is never written anywhere.

The key comes only from an environment variable. It is held in one object, which prints as nothing
and removes the key from whatever a server says.
"""

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

from cloze.errors import UserError
from cloze.language_models.request import Interface

HIDDEN = "[key]"


class Key:
    """A secret, or none."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.strip()

    def __repr__(self) -> str:
        return "Key(…)" if self._secret else "Key()"

    def __bool__(self) -> bool:
        return bool(self._secret)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}

    def hide(self, text: str) -> str:
        """What a server said, without the key that it may repeat."""
        return text.replace(self._secret, HIDDEN) if self._secret else text

    @classmethod
    def from_environment(cls, variable: str) -> "Key":
        secret = os.environ.get(variable, "")
        if any(character.isspace() or not character.isprintable() for character in secret.strip()):
            raise UserError(f"the key in {variable} is not one word", fix="set it again")
        if not secret.isascii():
            raise UserError(f"the key in {variable} is not ASCII", fix="set it again")
        return cls(secret)


@dataclass(frozen=True)
class Address:
    url: str  # of the interface, whole
    interface: Interface
    local: bool  # on this machine


def parse_address(given: str, interface: Interface | None = None) -> Address:
    """http://localhost:8000/v1, or the whole address of the interface, which then says which it is.

    >>> parse_address("http://localhost:8000/v1").url
    'http://localhost:8000/v1/chat/completions'
    >>> parse_address("https://example.org/v1/completions").interface
    <Interface.COMPLETIONS: 'completions'>
    """
    parts = _parts(given)
    path = parts.path.rstrip("/")
    whole = next((each for each in Interface if path.endswith(f"/{each.path}")), None)
    if whole and interface and whole is not interface:
        raise UserError(
            f"this is the address of the {whole} interface, not of {interface}", where=given
        )
    chosen = whole or interface or Interface.CHAT
    path = path if whole else f"{path}/{chosen.path}"
    return Address(urlunsplit(parts._replace(path=path)), chosen, _is_local(parts.hostname or ""))


def check_key(key: Key, address: Address, *, unencrypted: bool) -> None:
    """No key goes over plain http beyond this machine unless that was asked for."""
    if key and not address.local and address.url.startswith("http:") and not unencrypted:
        raise UserError(
            "the key would be sent over plain http",
            where=address.url,
            fix="use https, unset the key, or say --send-key-unencrypted",
        )


def _parts(given: str) -> SplitResult:
    try:
        parts = urlsplit(given)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError as problem:
        raise UserError(
            f"is no address ({problem})", fix="as in http://localhost:8000/v1"
        ) from None
    if parts.username is not None or parts.password is not None or _secrets(parts):
        raise UserError(
            "the address of the server holds a password or a key",
            fix="leave it out, and put the key into an environment variable (--key-from)",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise UserError("is no address", where=given, fix="as in http://localhost:8000/v1")
    return parts


def _secrets(parts: SplitResult) -> list[str]:
    names = (name.lower() for name, _ in parse_qsl(parts.query))
    return [name for name in names if any(word in name for word in ("key", "token", "secret"))]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

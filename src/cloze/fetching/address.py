"""Addresses as they stand in a list, and as they are sent to a server."""

from typing import NamedTuple
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit

_MOST_CHARACTERS = 4096
# What may stand in a path or a query; the per cent sign, so that nothing is encoded twice.
_SAFE = "%/:?#[]@!$&'()*+,;=-._~|"


class NoAddress(ValueError):
    """It cannot be asked for, and why."""


class Address(NamedTuple):
    url: str  # in ASCII, without a fragment
    host: str
    origin: str  # http://host:port


def parsed(given: str) -> Address:
    """
    >>> parsed("HTTP://Example.org/Zoë?a=b c#top").url
    'http://example.org/Zo%C3%AB?a=b%20c'
    >>> parsed("file:///etc/passwd")
    Traceback (most recent call last):
        ...
    cloze.fetching.address.NoAddress: no http or https address
    """
    if len(given) > _MOST_CHARACTERS:
        raise NoAddress("an address of over 4,096 characters")
    try:
        parts = urlsplit(given.strip())
        host, port = parts.hostname or "", parts.port
        name = host if ":" in host else host.encode("idna").decode()
    except (ValueError, UnicodeError):
        raise NoAddress("no address") from None
    if parts.scheme not in ("http", "https") or not name:
        raise NoAddress("no http or https address")
    if parts.username is not None or parts.password is not None:
        raise NoAddress("an address that holds a password")
    return _address(parts, name.lower(), port)


def _address(parts: SplitResult, host: str, port: int | None) -> Address:
    shown = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[parts.scheme]
    place = shown if port in (None, usual) else f"{shown}:{port}"
    path, query = quote(parts.path or "/", safe=_SAFE), quote(parts.query, safe=_SAFE)
    origin = f"{parts.scheme}://{place}"
    return Address(urlunsplit((parts.scheme, place, path, query, "")), host, origin)


def led_to(url: str, location: str) -> str:
    """Where a redirect leads.

    >>> led_to("http://a.org/b/c", "../d")
    'http://a.org/d'
    """
    try:
        return parsed(urljoin(url, location)).url
    except NoAddress as problem:
        raise NoAddress(f"leads to {problem}") from None
    except ValueError:
        raise NoAddress("leads to no address") from None

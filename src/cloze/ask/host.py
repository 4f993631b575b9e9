"""The `Host` of a request: parsed, not compared by how it begins."""

import ipaddress
import re
from collections.abc import Collection, Iterable
from functools import lru_cache

LOOPBACK = frozenset(["localhost", "127.0.0.1", "::1"])

_AUTHORITY = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{0,5})?", re.A)


def is_for(hosts: Collection[str], headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request with these headers is meant for one of `hosts`: it has one `Host`."""
    values = [value for name, value in headers if name == b"host"]
    return len(values) == 1 and parse_host(values[0].decode("latin-1")) in hosts


@lru_cache(maxsize=64)
def parse_host(value: str) -> str | None:
    """The name or address without its port, or None for what is neither.

    >>> parse_host("LocalHost:8015"), parse_host("[0:0::1]:80"), parse_host("127.0.0.1")
    ('localhost', '::1', '127.0.0.1')
    >>> parse_host("[::1].evil.com"), parse_host("localhost:80@evil.com"), parse_host("")
    (None, None, None)
    """
    found = _AUTHORITY.fullmatch(value.lower())
    if found is None:
        return None
    return found["name"] if found["v6"] is None else _address(found["v6"])


def _address(text: str) -> str | None:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        return None

"""Connections to public addresses only.

A list of addresses comes from elsewhere, and so do redirects and what names resolve to. None of
them may lead to this machine, to its network, or to a cloud's own services, unless that is allowed.
A name is resolved once and what it resolved to is connected to, so that it cannot change between.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from typing import Any

import httpcore

_MOST_TRIED = 3  # addresses of one name
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class Private(Exception):
    """The host has no public address."""


class PublicOnly(httpcore.AsyncNetworkBackend):
    def __init__(self, allow_local: bool) -> None:
        self._allow_local = allow_local
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        addresses = await self._addresses(host, port)
        for number, address in enumerate(addresses, 1):
            try:
                return await self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses):
                    raise
        raise httpcore.ConnectError("no such host")

    async def _addresses(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (socket.gaierror, UnicodeError):
            raise httpcore.ConnectError("no such host") from None
        addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
        if not self._allow_local:
            addresses = [address for address in addresses if is_public(address)]
            if not addresses:
                raise Private
        return addresses[:_MOST_TRIED]

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def is_public(address: str) -> bool:
    """
    >>> [is_public(each) for each in ("93.184.216.34", "127.0.0.1", "169.254.169.254", "10.1.2.3")]
    [True, False, False, False]
    >>> is_public("::ffff:127.0.0.1"), is_public("64:ff9b::a00:1"), is_public("2606:2800:220:1::")
    (False, False, True)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        within = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if found in _NAT64:
            within = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if within is not None:
            return is_public(str(within))
    return found.is_global and not found.is_multicast

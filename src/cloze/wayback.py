"""Addresses in the Wayback Machine: https://web.archive.org/web/20150401000000id_/http://…

`id_` behind the timestamp asks for the page as it was captured, without the archive's own bar and
links. The published lists of CNN and Daily Mail articles hold such addresses.
"""

import re

ADDRESS_FIELD = "Cloze-Address"  # of a record in a WARC: the address as it stood in the list
_WRAPPED = re.compile(r"https?://[^/]+/(?:\w+/)?web/\d{1,14}(?:[a-z]{2}_)?/(.+)", re.I | re.S)
_ONE_SLASH = re.compile(r"^(https?):/+", re.I)


def unwrapped(address: str) -> str:
    """The address of the page itself.

    >>> unwrapped("http://web.archive.org/web/20150401000000id_/http://www.cnn.com/2015/a")
    'http://www.cnn.com/2015/a'
    >>> unwrapped("http://www.cnn.com/2015/a")
    'http://www.cnn.com/2015/a'
    """
    found = _WRAPPED.fullmatch(address)
    if found is None:
        return address
    inner = found[1] if "://" in found[1] or ":/" in found[1] else f"http://{found[1]}"
    return _ONE_SLASH.sub(lambda start: f"{start[1]}://", inner)


def is_wrapped(address: str) -> bool:
    return _WRAPPED.fullmatch(address) is not None

"""The capture of a page in the Wayback Machine that is closest to when it was published."""

import json
import re
from urllib.parse import urlencode

from cloze.fetching.account import Outcome
from cloze.fetching.client import Got, Trouble
from cloze.stories import date_in

MOST_BYTES = 1 << 20
_EARLIEST = "19960101"  # the archive has nothing older: the closest capture is the first
_TIMESTAMP = re.compile(r"\d{4,14}")


def question(archive: str, address: str, around: str | None) -> str:
    """The address at which the archive's index answers.

    >>> question("https://web.archive.org", "http://cnn.com/2015/03/09/a", None)[:66]
    'https://web.archive.org/cdx/search/cdx?url=http%3A%2F%2Fcnn.com%2F'
    """
    near = around or re.sub(r"\D", "", date_in(address) or "") or _EARLIEST
    about = {
        "url": address,
        "output": "json",
        "fl": "timestamp,original",
        "filter": "statuscode:200",
        "sort": "closest",
        "closest": f"{near}0101"[:8],
        "limit": "1",
    }
    return f"{archive}/cdx/search/cdx?{urlencode(about)}"


def capture(archive: str, got: Got) -> str | Trouble:
    """The address of the capture that the index named."""
    if got.status != 200:
        return Trouble(f"the archive's index: {got.status}", again=False)
    try:
        rows = json.loads(got.content)
        if not rows:
            return Trouble("no capture", Outcome.MISSING, again=False)
        timestamp, original = rows[1]
        if not _TIMESTAMP.fullmatch(timestamp):
            raise ValueError
    except (ValueError, LookupError, TypeError, RecursionError):
        return Trouble("the archive's index: not understood", again=False)
    return f"{archive}/web/{timestamp}id_/{original}"

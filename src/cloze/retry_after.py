"""How long a server asks to be left alone."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_to_wait(retry_after: str, most: float = 600.0) -> float | None:
    """What a Retry-After header asks for, in seconds or as a date, but not more than `most`.

    >>> seconds_to_wait("2.5"), seconds_to_wait("soon"), seconds_to_wait("")
    (2.5, None, None)
    """
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            moment = parsedate_to_datetime(retry_after)
        except (ValueError, TypeError):
            return None
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), most) if seconds == seconds else None

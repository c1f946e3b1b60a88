from collections.abc import Mapping
from datetime import UTC, datetime

MAX_RETRY_AFTER_SECONDS = 86_400
_LONGEST_DATE = 64
"""In characters; the longest HTTP date has 33."""


def retry_after_seconds(headers: Mapping[str, str]) -> int | None:
    """Return Retry-After in whole seconds from 0 to a day; None if absent or unreadable.

    A date is compared with the response's Date header, because both come from one clock; without Date it is
    ignored.
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        # Truncate first: Python refuses to convert thousands of digits.
        return min(int(text.lstrip("0")[:10] or "0"), MAX_RETRY_AFTER_SECONDS)
    until, sent = _http_date(text), _http_date(headers.get("date", ""))
    if until is None or sent is None:
        return None
    return max(0, min(int((until - sent).total_seconds()), MAX_RETRY_AFTER_SECONDS))


def _http_date(text: str) -> datetime | None:
    """Parse an HTTP date; None if invalid. Untrusted input, so overlong text is not parsed at all."""
    if not 0 < len(text) <= _LONGEST_DATE:
        return None
    # Imported late: few answers have a date to read, and the library is large.
    from email.utils import parsedate_to_datetime

    try:
        parsed = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)

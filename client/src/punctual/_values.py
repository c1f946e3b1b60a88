"""Python values as the API wants them: instants, conditions, queries and bodies."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import msgspec

from punctual._model import Model, Ref
from punctual._operation import id_of

When = str | datetime | timedelta
"""An instant: RFC 3339, a datetime with a zone, or how long ago (`"24h"`, a timedelta)."""
IfMatch = str | int
"""A revision, an ETag with its quotes, or `"*"` for any revision."""

_AGO = re.compile(r"([0-9]{1,6})(s|m|h|d|w)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_REPLACEMENT, _ESCAPED = "\ufffd".encode(), b"\\ufffd"


def instant(value: When, now: datetime) -> str:
    """An instant in RFC 3339. Text other than `"24h"` and its like stays as it is, for the API to read."""
    if isinstance(value, str):
        ago = _AGO.fullmatch(value.strip())
        return value if ago is None else instant(timedelta(**{_UNITS[ago[2]]: int(ago[1])}), now)
    if isinstance(value, timedelta):
        try:
            return _rfc3339(now - value)
        except OverflowError:
            raise ValueError(f"{value} ago is before the first year of the calendar") from None
    return _rfc3339(value)


def _rfc3339(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"{value.isoformat()} has no time zone: give one, such as tzinfo=timezone.utc")
    text = value.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def etag(value: IfMatch | None) -> str | None:
    """The value of If-Match: a revision gets its quotes."""
    return f'"{value}"' if isinstance(value, int) else value


def revision_of(job: Ref, if_match: IfMatch | None) -> str:
    """The value of an If-Match that is required: what was given, or else the revision of the job object."""
    revision = getattr(job, "revision", None) if if_match is None else if_match
    value = etag(revision)
    if value is None:
        raise ValueError(
            'say what the change is based on: give the job itself, if_match=revision, or if_match="*"'
        )
    return value


def query_of(members: Mapping[str, Any]) -> dict[str, str]:
    """The parameters of a query that are given."""
    return {name: _text(value) for name, value in members.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else id_of(value)


def members_of(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a body that are given; None is given, and UNSET is not."""
    return {name: value for name, value in members.items() if value is not msgspec.UNSET}


def joined(document: dict[str, Any], **groups: Any) -> dict[str, Any]:
    """A body with flattened groups: each is what was given as a whole, and its members that were given alone.

    Raises ValueError if one member is given in both ways.
    """
    for name, (whole, single) in groups.items():
        given = members_of(single)
        if whole is msgspec.UNSET:
            if given:
                document[name] = given
            continue
        if given:
            raise ValueError(f"give {sorted(given)[0]} either inside {name} or by itself, not both")
        document[name] = whole
    return document


def encode(body: Any) -> bytes:
    """JSON that the API reads as it was meant; ValueError or TypeError for what JSON cannot say."""
    encoded = msgspec.json.encode(_checked(body))
    # Gateways put this character in the place of bytes that are no UTF-8, so the API takes it escaped only.
    return encoded.replace(_REPLACEMENT, _ESCAPED)


def _checked(value: Any) -> Any:
    """The same value, with instants as texts; numbers that are no JSON, and instants without zones, are refused."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"JSON has no {value}: send null, a number or a text instead")
        return value
    if isinstance(value, datetime):
        return _rfc3339(value)
    if isinstance(value, bytes | bytearray | memoryview):
        raise TypeError("JSON has no bytes: decode them to a text first")
    if isinstance(value, Mapping):
        return {name: _checked(each) for name, each in value.items()}
    if isinstance(value, Sequence):
        return [_checked(each) for each in value]
    if isinstance(value, Model):
        members = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        return _checked(members_of({encoded: getattr(value, name) for encoded, name in members}))
    # A dataclass, a set, a UUID, and so on; TypeError for what has no meaning in JSON.
    return _checked(msgspec.to_builtins(value, builtin_types=(datetime,)))

"""Encodes wake-ups as message bodies and decodes them. A body with a newer version is rejected."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from shared.domain.delivery.destination import DESTINATION
from shared.domain.dispatch.wakeup import MAX_KEYS, Wakeup
from shared.domain.errors import InvalidValueError, NewerMessageError
from shared.domain.ids import parse_execution_id
from shared.names import Lane, QueueName

VERSION = 2
FIRST_VERSION = 1
"""Without destinations and waiting. Such messages may be in flight during a deployment."""
MAX_WAITED = 1_000_000
MAX_TENANT = 40
_DESTINATION = re.compile(DESTINATION)
_LANES = {lane.value: lane for lane in Lane}
_QUEUES = {queue.value: queue for queue in QueueName}


def _is_count(value: Any, most: float = float("inf")) -> bool:
    # A bool is an int of Python's, and none of JSON's.
    return type(value) is int and 0 <= value <= most


def _are_destinations(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, str) and (not each or _DESTINATION.fullmatch(each)) for each in value
    )


_REQUIRED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "v": (lambda v: type(v) is int and FIRST_VERSION <= v <= VERSION, "a version"),
    "lane": (lambda lane: isinstance(lane, str) and lane in _LANES, "the name of a lane"),
    "tenant": (lambda tenant: isinstance(tenant, str) and 1 <= len(tenant) <= MAX_TENANT, "a tenant's id"),
    "keys": (lambda keys: isinstance(keys, list) and 1 <= len(keys) <= MAX_KEYS, f"1 to {MAX_KEYS} ids"),
    "not_before": (_is_count, "a time in milliseconds"),
}
_OPTIONAL: dict[str, tuple[Callable[[Any], bool], str]] = {
    "to": (lambda to: to is None or _are_destinations(to), "a list of destinations"),
    "via": (lambda via: via is None or (isinstance(via, str) and via in _QUEUES), "the name of a queue"),
    "waited": (lambda waited: _is_count(waited, MAX_WAITED), f"0 to {MAX_WAITED}"),
    "ends_at": (lambda ends_at: ends_at is None or _is_count(ends_at), "a time in milliseconds"),
}
_FIELDS = _REQUIRED | _OPTIONAL
"""Checks of each field of versions 1 and 2, and what it must be: ids and times, and no URL, secret or payload."""


def encode_wakeup(wakeup: Wakeup) -> str:
    body: dict[str, Any] = {
        "v": VERSION,
        "lane": wakeup.lane,
        "tenant": wakeup.tenant_id,
        "keys": [str(key) for key in wakeup.keys],
        "not_before": wakeup.not_before,
    }
    optional = {
        "to": list(wakeup.destinations) or None,
        "via": wakeup.via,
        "waited": min(wakeup.waited, MAX_WAITED) or None,
        "ends_at": wakeup.ends_at,
    }
    body |= {name: value for name, value in optional.items() if value is not None}
    return orjson.dumps(body).decode()


def decode_wakeup(body: str) -> Wakeup:
    """Decode a message body; raises InvalidValueError with a readable reason.

    A body with a newer version, or with a lane or queue that only a newer version knows, raises
    NewerMessageError, whatever else the body contains.
    """
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidValueError("unreadable message: it must be JSON") from error
    if not isinstance(message, dict):
        raise InvalidValueError("unreadable message: it must be an object")
    if _is_newer(message):
        raise NewerMessageError("a newer version wrote the message")
    _check(message)
    parsed = [parse_execution_id(key) for key in message["keys"]]
    to, via = message.get("to"), message.get("via")
    # Of equal keys the first one counts.
    destinations = dict(zip(reversed(parsed), reversed(to), strict=True)) if to else {}
    keys = tuple(dict.fromkeys(parsed))
    return Wakeup(
        lane=_LANES[message["lane"]],
        tenant_id=message["tenant"],
        keys=keys,
        not_before=message["not_before"],
        destinations=tuple([destinations[key] for key in keys]) if to else (),
        via=None if via is None else _QUEUES[via],
        waited=message.get("waited", 0),
        ends_at=message.get("ends_at"),
    )


def _is_newer(message: Mapping[str, Any]) -> bool:
    """Whether the body has a version, a lane or a queue that only a newer release knows."""
    version, lane, via = (message.get(name) for name in ("v", "lane", "via"))
    return (
        (type(version) is int and version > VERSION)
        or (isinstance(lane, str) and lane not in _LANES)
        or (isinstance(via, str) and via not in _QUEUES)
    )


def _check(message: Mapping[str, Any]) -> None:
    """InvalidValueError where a field is missing, unknown or wrong; its text repeats nothing of the body."""
    for name, (admits, expected) in _FIELDS.items():
        if name in message and not admits(message[name]):
            raise InvalidValueError(f"unreadable message: {name} must be {expected}")
    missing = [name for name in _REQUIRED if name not in message]
    if missing:
        raise InvalidValueError(f"unreadable message: {missing[0]} is missing")
    if message.keys() - _FIELDS.keys():
        raise InvalidValueError("unreadable message: it has a field of no known version")
    if message["v"] == FIRST_VERSION and message.keys() & _OPTIONAL.keys():
        raise InvalidValueError("unreadable message: version 1 has no such field")
    if message.get("to") is not None and len(message["to"]) != len(message["keys"]):
        raise InvalidValueError("unreadable message: one destination is needed for each key")
    if not all(isinstance(key, str) for key in message["keys"]):
        raise InvalidValueError("unreadable message: each key must be text")

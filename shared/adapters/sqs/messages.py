"""Encodes wake-ups as message bodies and decodes them. A body with a newer version is rejected."""

import re
from collections.abc import Callable
from typing import Any, TypeGuard

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
_DESTINATION = re.compile(f"(?:{DESTINATION})?")
_LANES = frozenset(lane.value for lane in Lane)
_QUEUES = frozenset(queue.value for queue in QueueName)


def _is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def _are_texts(value: object, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(isinstance(member, str) for member in value)


# Hand-written, because pydantic's import takes longer than the rest of a tick's start.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "v": (lambda value: _is_number(value) and FIRST_VERSION <= value <= VERSION, "not a known version"),
    "lane": (lambda value: isinstance(value, str) and value in _LANES, "not a lane"),
    "tenant": (
        lambda value: isinstance(value, str) and 0 < len(value) <= MAX_TENANT,
        "not the name of a tenant",
    ),
    "keys": (
        lambda value: _are_texts(value, MAX_KEYS) and value,
        f"not a list of 1 to {MAX_KEYS} execution ids",
    ),
    "not_before": (_is_number, "not a time in milliseconds"),
    "to": (
        lambda value: (
            value is None
            or (_are_texts(value, MAX_KEYS) and all(_DESTINATION.fullmatch(member) for member in value))
        ),
        "not a list of destinations",
    ),
    "via": (lambda value: value is None or (isinstance(value, str) and value in _QUEUES), "not a queue"),
    "waited": (lambda value: _is_number(value) and value <= MAX_WAITED, f"not a number up to {MAX_WAITED}"),
    "ends_at": (lambda value: value is None or _is_number(value), "not a time in milliseconds"),
}
"""By field: whether a value of versions 1 and 2 is valid, and what an invalid one is."""
_OPTIONAL: dict[str, Any] = {"to": None, "via": None, "waited": 0, "ends_at": None}


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
        raise InvalidValueError("unreadable message: no JSON") from error
    if not isinstance(message, dict):
        raise InvalidValueError("unreadable message: no JSON object")
    if _is_newer(message):
        raise NewerMessageError("a newer version wrote the message")
    if message.keys() - _FIELDS.keys():
        raise InvalidValueError("unreadable message: an unknown field")
    fields: dict[str, Any] = {**_OPTIONAL, **message}
    for name, (is_valid, fault) in _FIELDS.items():
        if name not in fields:
            raise InvalidValueError(f"unreadable message: {name} is missing")
        if not is_valid(fields[name]):
            raise InvalidValueError(f"unreadable message: {name} is {fault}")
    if fields["v"] == FIRST_VERSION and message.keys() & _OPTIONAL.keys():
        raise InvalidValueError("unreadable message: version 1 has no such field")
    if fields["to"] is not None and len(fields["to"]) != len(fields["keys"]):
        raise InvalidValueError("unreadable message: one destination is needed for each key")
    positions = {parse_execution_id(key): number for number, key in reversed([*enumerate(fields["keys"])])}
    keys = tuple(sorted(positions, key=positions.__getitem__))
    return Wakeup(
        lane=Lane(fields["lane"]),
        tenant_id=fields["tenant"],
        keys=keys,
        not_before=fields["not_before"],
        destinations=tuple(fields["to"][positions[key]] for key in keys) if fields["to"] else (),
        via=QueueName(fields["via"]) if fields["via"] is not None else None,
        waited=fields["waited"],
        ends_at=fields["ends_at"],
    )


def _is_newer(message: dict[str, Any]) -> bool:
    """Whether a field has a version, a lane or a queue that only a newer release knows."""
    version, lane, queue = (message.get(name) for name in ("v", "lane", "via"))
    return (
        (_is_number(version) and version > VERSION)
        or (isinstance(lane, str) and lane not in _LANES)
        or (isinstance(queue, str) and queue not in _QUEUES)
    )

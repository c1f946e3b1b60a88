"""JSON as RFC 8259 means it, and stricter where two readers could disagree about a document."""

import json
from typing import Any

import orjson

MAX_DEPTH = 32
_OPEN, _CLOSE = b"[{", b"]}"


class MalformedRequestError(Exception):
    """The body is not one JSON document that every reader reads alike. The text says why."""


def parse(body: bytes) -> Any:
    """The document; MalformedRequestError for anything but strict UTF-8 JSON.

    Refused besides broken syntax: depth over 32, a key twice in one object, numbers beyond 64 bits or the
    range of doubles, lone surrogates, a byte order mark.
    """
    if not body:
        raise MalformedRequestError("a JSON body is required")
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        _check_depth(body)
    try:
        orjson.loads(body)
        return json.loads(body, object_pairs_hook=_without_twins, parse_int=_whole, parse_float=_finite)
    except orjson.JSONDecodeError as fault:
        raise MalformedRequestError(f"not valid JSON: {fault.msg}") from fault
    except ValueError as fault:
        raise MalformedRequestError(f"not valid JSON: {fault}") from fault


def _check_depth(body: bytes) -> None:
    """Counted on the bytes, before any parser may recurse."""
    depth, in_string, escaped = 0, False, False
    for byte in body:
        if in_string:
            in_string = escaped or byte != 0x22
            escaped = byte == 0x5C and not escaped
        elif byte == 0x22:
            in_string = True
        elif byte in _OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                raise MalformedRequestError(f"nested more than {MAX_DEPTH} deep")
        elif byte in _CLOSE:
            depth -= 1


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twin[:64]!r} stands twice in one object")
    return members


def _whole(digits: str) -> int:
    if len(digits) > 20 or not -(1 << 63) <= (number := int(digits)) < 1 << 64:
        raise ValueError("a whole number is beyond 64 bits")
    return number


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is beyond the range of doubles")
    return number

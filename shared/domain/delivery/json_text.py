"""JSON in bodies and results, whose text is sent on as it is."""

import json

from shared.domain.errors import InvalidValueError

MAX_DEPTH = 32
"""The deepest nesting of a result, of a request's own body beside results, and of the body of a target."""


def read_json(text: bytes) -> object:
    """The value, with numbers as texts; InvalidValueError for anything but JSON in UTF-8 that is nested at most
    `MAX_DEPTH` deep."""
    if _depth(text) > MAX_DEPTH:
        raise InvalidValueError(f"nested more than {MAX_DEPTH} deep")
    try:
        # Numbers are not converted: some would overflow, and others take long.
        return json.loads(text.decode(), parse_int=str, parse_float=str, parse_constant=_refuse)
    except ValueError as error:
        raise InvalidValueError("not valid JSON in UTF-8") from error


def _depth(text: bytes) -> int:
    """Counted on the bytes: a recursive parser could exhaust the stack."""
    depth = deepest = 0
    in_string = escaped = False
    if text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return 0
    for byte in text:
        if in_string:
            in_string = escaped or byte != 0x22
            escaped = byte == 0x5C and not escaped
        elif byte == 0x22:
            in_string = True
        elif byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")

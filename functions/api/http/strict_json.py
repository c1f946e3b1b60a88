"""A JSON parser (RFC 8259) that refuses every document that two parsers could read differently."""

import json
from typing import Any

import orjson

MAX_DEPTH = 32
_OPEN, _CLOSE = b"[{", b"]}"
_REPLACEMENT = "\ufffd".encode()


class MalformedRequestError(Exception):
    """The body is not one JSON document that all parsers read alike. The message says why."""


def parse(body: bytes) -> Any:
    """The document; MalformedRequestError for anything but strict UTF-8 JSON.

    Refused besides broken syntax: nesting deeper than 32, a key twice in one object, integers beyond 64 bits,
    numbers beyond the range of doubles, lone surrogates, a byte order mark, a raw U+FFFD.
    """
    if not body:
        raise MalformedRequestError("a JSON body is required")
    if _REPLACEMENT in body:
        raise MalformedRequestError(
            "the body has the character U+FFFD, which gateways put in the place of bytes that are not UTF-8: "
            "send the body in UTF-8, or write the character as \\ufffd"
        )
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        _check_depth(body)
    try:
        # orjson checks the syntax strictly; the standard parser then sees the key pairs and the digits.
        orjson.loads(body)
        return _DECODER.decode(body.decode())
    except orjson.JSONDecodeError as error:
        raise MalformedRequestError(
            f"not valid JSON: {error.msg}, in line {error.lineno}, column {error.colno}"
        ) from error
    except ValueError as error:
        raise MalformedRequestError(f"not valid JSON: {error}") from error


def _check_depth(body: bytes) -> None:
    """Count on the bytes: a recursive parser could exhaust the stack."""
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


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {duplicate[:64]!r} stands twice in one object")
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


_DECODER = json.JSONDecoder(object_pairs_hook=_without_duplicates, parse_int=_whole, parse_float=_finite)

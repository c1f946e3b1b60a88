"""Reads JSON files that may hold several values in a row, as command lines print them."""

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final, NoReturn

from punctual.importers.job import UnreadableSourceError

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_DEPTH: Final = 100
"""Levels of a value that is written as YAML."""


def read_values(data: bytes, name: str) -> Iterator[Any]:
    """Yield the JSON values of a file. Raises UnreadableSourceError with the file and the line."""
    if len(data) > MAX_BYTES:
        raise UnreadableSourceError(f"{name}: more than {MAX_BYTES // 1024 // 1024} MiB; split the file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableSourceError(f"{name}: not UTF-8") from None
    decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
    position = 0
    while rest := text[position : position + 1]:
        if rest.isspace():
            position += 1
            continue
        try:
            value, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise UnreadableSourceError(f"{name}:{error.lineno}: not JSON: {error.msg}") from None
        except RecursionError:
            raise UnreadableSourceError(f"{name}: nested too deeply") from None
        except ValueError as error:
            raise UnreadableSourceError(f"{name}: {error}") from None
        yield value


def read_value(text: str) -> Any:
    """Return the JSON value of a text. Raises ValueError where a member comes twice, for numbers that no JSON number
    can be once they are read, and for more than `MAX_DEPTH` levels."""
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not _is_flat(value, MAX_DEPTH):
        raise ValueError("nested too deeply")
    return value


def _is_flat(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(levels > 0 and _is_flat(each, levels - 1) for each in inner)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same member twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")

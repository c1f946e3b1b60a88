"""Reads JSON files that may hold several values in a row, as command lines print them."""

import json
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from punctual.importers.job import UnreadableSourceError

MAX_BYTES: Final = 64 * 1024 * 1024


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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same member twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")

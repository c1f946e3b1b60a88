"""Stored values as JSON, with the names of their fields: nothing has to be listed, and nothing is forgotten."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, IntEnum
from typing import Any

from shared.domain.ids import ExecutionId

SECRET = frozenset({"owner"})
"""Fields that are left out, as are all bytes: sealed requests and URLs, keys, hashes and fingerprints."""


def plain(value: Any) -> Any:
    """The value as JSON. Instants stay UTC milliseconds."""
    match value:
        case ExecutionId():
            return str(value)
        case IntEnum():
            return value.name.lower()
        case Enum():
            return value.value
        case Mapping():
            return {str(plain(name)): plain(each) for name, each in value.items()}
        case frozenset():
            return sorted(plain(each) for each in value)
        case tuple() | list():
            return [plain(each) for each in value]
    if is_dataclass(value):
        return _members(value)
    return value


def _members(value: Any) -> dict[str, Any]:
    named = {field.name: getattr(value, field.name) for field in fields(value)}
    return {
        name: plain(each)
        for name, each in named.items()
        if not (name in SECRET or name.startswith("_") or isinstance(each, bytes))
    }

"""Writes values of a stage as lines of its file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from infra.config import StageConfig
from infra.stage_files.read import FIELDS

_KEYS = {field: key for key, field in FIELDS.items()}


def stage_lines(changed: Mapping[str, object], base: StageConfig) -> Iterator[str]:
    """Lines of TOML that make these fields from a stage. Dotted keys, so that their order does not matter."""
    for field, value in changed.items():
        key = _KEYS.get(field, field)
        given = getattr(base, field)
        if is_dataclass(value) and type(value) is type(given):
            yield from (
                f"{key}.{each.name} = {_toml(getattr(value, each.name))}"
                for each in fields(value)
                if getattr(value, each.name) != getattr(given, each.name)
            )
        elif is_dataclass(value):
            yield from (f"{key}.{each.name} = {_toml(getattr(value, each.name))}" for each in fields(value))
        else:
            yield f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if is_dataclass(value):
        given = {each.name: getattr(value, each.name) for each in fields(value)}
        members = (f"{name} = {_toml(member)}" for name, member in given.items() if member is not None)
        return f"{{ {', '.join(members)} }}"
    if value is None:
        return "false"
    # JSON writes texts, numbers and flags as TOML does.
    return f"{value:_}" if type(value) is int else json.dumps(value)

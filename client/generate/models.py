"""`models.py` of the client: a struct for each object, and a Literal for each enumeration of requests."""

from collections.abc import Iterator, Mapping
from typing import Any

from client.generate import names
from client.generate.schemas import (
    GenerationError,
    Schema,
    Types,
    attribute,
    class_name,
    is_request,
    literal,
    optional,
)

HEAD = '''"""The objects of the API. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal

from msgspec import UNSET, UnsetType, field

from punctual._model import BatchResults, Instant, Model, Request
'''


def models(schemas: Mapping[str, Schema]) -> str:
    """The source of the module."""
    types = Types(schemas)
    parts = [HEAD]
    parts += [
        f"{class_name(name)} = {literal(each['enum'])}\n" for name, each in schemas.items() if "enum" in each
    ]
    classes = {name: each for name, each in schemas.items() if "properties" in each}
    taken = [class_name(name) for name in schemas] + list(names.UNIONS.values())
    if twice := {name for name in taken if taken.count(name) > 1}:
        raise GenerationError(f"two schemas are called {sorted(twice)}: rename one in names.CLASSES")
    for name, each in classes.items():
        parts.append("\n".join(_class(types, name, each)))
    for union, name in names.UNIONS.items():
        parts.append("\n".join(_union(types, name, [schemas[each] for each in union])))
    return "\n\n".join(parts)


def _class(types: Types, name: str, schema: Schema) -> Iterator[str]:
    base = names.BASES.get(name, "Request" if is_request(name) else "Model")
    yield from _head(class_name(name), base, schema.get("description", ""), is_request(name))
    hidden = [attribute(member) for member in names.HIDDEN.get(name, ())]
    if missing := set(hidden) - {attribute(member) for member in schema["properties"]}:
        raise GenerationError(f"names.HIDDEN has {sorted(missing)} of {name}, which are no members of it")
    if hidden:
        yield f"    _hidden: ClassVar[frozenset[str]] = frozenset({hidden!r})\n"
    required = set(schema.get("required", ()))
    for member, each in schema["properties"].items():
        if is_request(name):
            yield from _request_member(types, member, each, member in required)
        else:
            yield from _answer_member(types, member, each, member in required)


def _head(name: str, base: str, description: str, is_strict: bool) -> Iterator[str]:
    strict = ", forbid_unknown_fields=True" if is_strict else ""
    yield f"class {name}({base}, frozen=True, kw_only=True{strict}):"
    yield f"    {docstring(description or f'The members of a {name}.')}\n"


def _union(types: Types, name: str, schemas: list[Schema]) -> Iterator[str]:
    """A model with the members of several; those that not all of them have can be absent."""
    yield from _head(name, "Model", " Or: ".join(each.get("description", "") for each in schemas), False)
    members = {member: each for schema in schemas for member, each in schema["properties"].items()}
    for member, each in members.items():
        in_all = all(member in schema.get("required", ()) for schema in schemas)
        yield from _answer_member(types, member, each, in_all)


def _answer_member(types: Types, member: str, schema: Schema, is_required: bool) -> Iterator[str]:
    """A member that can be null or absent is None when an older deployment does not send it."""
    kind = types.answer(schema)
    if not is_required and not kind.endswith("| None"):
        kind += " | None"
    yield _field(member, kind, "None" if kind.endswith("| None") else None)
    yield from _note(schema)


def _request_member(types: Types, member: str, schema: Schema, is_required: bool) -> Iterator[str]:
    kind = types.request(schema, member)
    yield _field(member, kind if is_required else optional(kind), None if is_required else "UNSET")
    yield from _note(schema)


def _field(member: str, kind: str, default: str | None) -> str:
    name = attribute(member)
    renamed = [f"name={member!r}"] if name != member else []
    if not renamed:
        return f"    {name}: {kind}" + (f" = {default}" if default else "")
    return (
        f"    {name}: {kind} = field({', '.join([*([f'default={default}'] if default else []), *renamed])})"
    )


def _note(schema: Schema) -> Iterator[str]:
    if description := schema.get("description"):
        yield f"    {docstring(description)}"


def docstring(text: str, indent: str = "    ") -> str:
    """A docstring of lines that are not too long."""
    from textwrap import wrap

    clean = text.replace("\\", "\\\\").replace('"""', "'''").strip()
    lines: list[Any] = []
    for paragraph in clean.split("\n\n"):
        lines += (
            ["", *wrap(" ".join(paragraph.split()), 100)] if lines else wrap(" ".join(paragraph.split()), 100)
        )
    joined = f"\n{indent}".join(lines).replace(f"\n{indent}\n", "\n\n")
    end = f"\n{indent}" if len(lines) > 1 or joined.endswith('"') else ""
    return f'"""{joined}{end}"""'

"""`_bodies.py` of the client: bodies whose groups of members are arguments of their own."""

from collections.abc import Iterator

from client.generate import names
from client.generate.models import docstring
from client.generate.operations import Described, body_arguments
from client.generate.schemas import Schema, attribute

HEAD = '''"""Bodies from flat arguments. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from punctual._model import Instant
from punctual._values import joined, members_of
from punctual.models import (
{models}
)
'''
FUNCTIONS = {"createJob": "new_job", "putJob": "keyed_job", "updateJob": "job_patch"}


def function_name(each: Described) -> str:
    """The name of the function that makes the body of an operation."""
    return FUNCTIONS[each.id]


def bodies(found: list[Described]) -> str:
    """The source of the module."""
    code = "\n\n".join(_function(each) for each in found if each.id in names.FLATTENED)
    head = HEAD.format(models="\n".join(f"    {name}," for name in found[0].types.models_in(code)))
    return f"{head}\n\n{code}"


def _function(each: Described) -> str:
    assert each.body is not None
    listed = sorted(body_arguments(each), key=lambda one: one.default is not None)
    given = ", ".join(
        f"{one.name}: {one.kind}" + (f" = {one.default}" if one.default else "") for one in listed
    )
    flat = names.FLATTENED[each.id]
    whole = {member: schema for member, schema in each.body["properties"].items() if member not in flat}
    groups = ", ".join(
        f"{group}=({group}, {{{', '.join(pairs_of(each.schemas[schema]))}}})"
        for group, schema in flat.items()
    )
    text = (
        f"The body of `{each.id}`. The members of {' and '.join(f'`{group}`' for group in flat)} are given by "
        "themselves, or together as in the API."
    )
    return (
        f"def {function_name(each)}(*, {given}) -> dict[str, Any]:\n    {docstring(text)}\n"
        f"    document = members_of({{{', '.join(pairs_of({'properties': whole}))}}})\n"
        f"    return joined(document, {groups})\n"
    )


def pairs_of(schema: Schema, instant: str = "") -> Iterator[str]:
    """The members of a body, as the entries of a dict."""
    for member in schema["properties"]:
        value = attribute(member)
        if member in names.REFERENCES:
            value = f"self._client.reference({value})"
        elif instant and member in names.AGO:
            value = f"{instant}({value})"
        yield f'"{member}": {value}'

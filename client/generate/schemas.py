"""The types of Python for the schemas of the document."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from client.generate import names

Schema = Mapping[str, Any]
REF = "#/components/schemas/"
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


class GenerationError(Exception):
    """The document has something that a table of `names.py` must decide first."""


def attribute(member: str) -> str:
    """The name of a member in Python."""
    name = names.RENAMED.get(member, member)
    return f"{name}_" if iskeyword(name) else name


def class_name(schema: str) -> str:
    """The name of a model: that of the schema, and for answers without `Out`."""
    return names.CLASSES.get(schema, schema.removesuffix("Out"))


def is_request(schema: str) -> bool:
    """Whether the schema is part of requests."""
    return schema.endswith(("In", "Patch"))


def optional(kind: str) -> str:
    """The type of a member that need not be given."""
    bare = kind.removesuffix(" | None")
    return f"{bare} | UnsetType" + (" | None" if bare != kind else "")


def literal(values: Iterable[Any]) -> str:
    return f"Literal[{', '.join(repr(value) for value in values if value is not None)}]"


@dataclass(frozen=True)
class Types:
    """The types of members, in answers and in requests."""

    schemas: Mapping[str, Schema]

    def models_in(self, code: str) -> list[str]:
        """The models that the code of a module names."""
        words = set(re.findall(r"\w+", re.sub(r'"""(.|\n)*?"""', "", code)))
        known = {class_name(name) for name in self.schemas} | set(names.UNIONS.values())
        return sorted(known & words)

    def answer(self, schema: Schema) -> str:
        """The type of a member of an answer. Enumerations are open: their values are texts."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(REF)
            return "str" if "enum" in self.schemas[name] else class_name(name)
        if "anyOf" in schema:
            return self._any_of(schema["anyOf"], self.answer)
        if schema.get("format") == "date-time":
            return "datetime"
        if schema.get("type") == "array":
            return f"tuple[{self.answer(schema['items'])}, ...]"
        if schema.get("type") == "object":
            values = schema["additionalProperties"]
            return f"dict[str, {self.answer(values) if isinstance(values, Mapping) else 'Any'}]"
        return PLAIN[schema["type"]]

    def request(self, schema: Schema, member: str = "", *, is_argument: bool = False) -> str:
        """The type of a member of a request. Arguments also take mappings in the place of models."""
        if "$ref" in schema:
            return self._request_reference(schema["$ref"].removeprefix(REF), is_argument)
        if "enum" in schema:
            is_nullable = any(each == {"type": "null"} for each in schema.get("anyOf", ()))
            return literal(schema["enum"]) + (" | None" if is_nullable else "")
        if "anyOf" in schema:
            return self._any_of(
                schema["anyOf"], lambda each: self.request(each, member, is_argument=is_argument)
            )
        if schema.get("type") == "array":
            return f"Sequence[{self.request(schema['items'], is_argument=is_argument)}]"
        if "properties" in schema:
            return self._same_members(schema)
        if schema.get("type") == "object":
            values = schema.get("additionalProperties")
            if values is True and is_argument and member in names.PARTS:
                return f"{class_name(names.PARTS[member])} | Mapping[str, Any]"
            return f"Mapping[str, {self.request(values) if isinstance(values, Mapping) else 'Any'}]"
        if schema.get("type") == "string" and (member in names.INSTANTS | names.AGO):
            return "When" if is_argument and member in names.AGO else "Instant"
        return PLAIN[schema["type"]] if "type" in schema else "Any"

    def _request_reference(self, name: str, is_argument: bool) -> str:
        if "enum" in self.schemas[name] or not is_argument:
            return class_name(name)
        return f"{class_name(name)} | Mapping[str, Any]"

    def _same_members(self, schema: Schema) -> str:
        """The name of the schema that an inline copy repeats."""
        for name, other in self.schemas.items():
            if "properties" in other and other["properties"].keys() == schema["properties"].keys():
                return class_name(name)
        raise GenerationError(
            f"an inline object with {sorted(schema['properties'])} is the copy of no schema"
        )

    def _any_of(self, choices: list[Schema], read: Any) -> str:
        kinds = [each for each in choices if each != {"type": "null"}]
        null = " | None" if len(kinds) < len(choices) else ""
        if len(kinds) == 1:
            return f"{read(kinds[0])}{null}"
        parts = tuple(each.get("$ref", "").removeprefix(REF) for each in kinds)
        if not any(parts):
            return "Any"  # Plain JSON values.
        if parts not in names.UNIONS:
            raise GenerationError(f"a member is one of {parts}: name the model in names.UNIONS")
        return names.UNIONS[parts] + null

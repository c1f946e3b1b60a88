"""The operations of the document, as the generator reads them, and `_operations.py` of the client."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from client.generate import names
from client.generate.schemas import REF, GenerationError, Schema, Types, attribute, class_name, optional

JSON = "application/json"
KEY_HEADER, REVISION_HEADER = "Idempotency-Key", "If-Match"
HEAD = '''"""The operations of the API. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from punctual import models
from punctual._operation import Auth, Operation, Repeat
'''


@dataclass(frozen=True)
class Argument:
    """An argument of a method: its name, type and default, and what it sends."""

    name: str
    kind: str
    default: str | None
    description: str = ""


@dataclass(frozen=True)
class Described:
    """One operation of the document."""

    method: str
    path: str
    raw: Mapping[str, Any]
    types: Types

    @cached_property
    def id(self) -> str:
        return str(self.raw["operationId"])

    @cached_property
    def constant(self) -> str:
        """The name of the operation in `_operations.py`."""
        return "".join(f"_{each}" if each.isupper() else each for each in self.id).upper()

    @cached_property
    def group(self) -> str:
        """The group of its method, with dots; GenerationError for an operation that has no method."""
        return self._method.rpartition(".")[0]

    @cached_property
    def name(self) -> str:
        return self._method.rpartition(".")[2]

    @cached_property
    def _method(self) -> str:
        if self.id not in names.METHODS:
            raise GenerationError(f"{self.id} has no method: add it to METHODS in client/generate/names.py")
        return names.METHODS[self.id]

    @cached_property
    def schemas(self) -> Mapping[str, Schema]:
        return self.types.schemas

    @cached_property
    def answers(self) -> dict[int, str]:
        """The class of each success, by its status."""
        found = {}
        for status, response in self.raw["responses"].items():
            if status.startswith("2"):
                found[int(status)] = self.types.answer(response["content"][JSON]["schema"])
        return found

    @cached_property
    def body(self) -> Schema | None:
        """The schema of the body."""
        content = self.raw.get("requestBody", {}).get("content", {})
        return self.schemas[content[JSON]["schema"]["$ref"].removeprefix(REF)] if content else None

    @cached_property
    def body_is_required(self) -> bool:
        return bool(self.raw.get("requestBody", {}).get("required", False))

    def parameters(self, place: str) -> list[Mapping[str, Any]]:
        """The parameters in the path, the query or the headers."""
        return [
            each
            for each in self.raw.get("parameters", ())
            if each["in"] == place and not (self.method == "get" and each["name"] in names.LEFT_OUT)
        ]

    @cached_property
    def header_names(self) -> list[str]:
        return [each["name"] for each in self.parameters("header")]

    @cached_property
    def needs_token(self) -> bool:
        return any("callbackToken" in each for each in self.raw.get("security", ()))

    @cached_property
    def items(self) -> str | None:
        """The member of a page with its entries; None for an operation without pages."""
        if not any(each["name"] == "cursor" for each in self.parameters("query")):
            return None
        page = next(name for name in self.schemas if class_name(name) == next(iter(self.answers.values())))
        lists: list[str] = [
            name for name, each in self.schemas[page]["properties"].items() if each.get("type") == "array"
        ]
        if len(lists) != 1 or not self.name.startswith("list"):
            raise GenerationError(f"{self.id} has pages: call its method list, with one list in each page")
        return lists[0]

    @cached_property
    def item_type(self) -> str:
        """The class of the entries of a page."""
        page = next(name for name in self.schemas if class_name(name) == next(iter(self.answers.values())))
        return self.types.answer(self.schemas[page]["properties"][self.items]["items"])

    @cached_property
    def repeat(self) -> str:
        """When the request may be sent again after a lost answer."""
        if KEY_HEADER in self.header_names:
            return "KEY"
        if self.id in names.REPEATS:
            return names.REPEATS[self.id]
        if self.method in ("get", "delete"):
            return "ALWAYS"
        raise GenerationError(f"say in REPEATS of client/generate/names.py whether {self.id} may be repeated")

    @cached_property
    def auth(self) -> str:
        if self.needs_token:
            return "TOKEN"
        return "KEY" if self.raw.get("security") else "NONE"


def described(document: Mapping[str, Any]) -> list[Described]:
    """Every operation; GenerationError for entries of the tables that name none."""
    types = Types(document["components"]["schemas"])
    found = [
        Described(method, path, raw, types)
        for path, methods in document["paths"].items()
        for method, raw in methods.items()
    ]
    ids = {each.id for each in found if each.group}
    for table in ("METHODS", "REPEATS", "FLATTENED", "BY_CLIENT", "PAIRS"):
        if unknown := set(getattr(names, table)) - ids:
            raise GenerationError(f"names.{table} has {sorted(unknown)}, which the document does not have")
    return found


def operations(found: list[Described]) -> str:
    """The source of `_operations.py`."""
    return "\n".join([HEAD, *(_constant(each) for each in found)])


def _constant(each: Described) -> str:
    answers = ", ".join(f"{status}: models.{kind}" for status, kind in each.answers.items())
    union = " | ".join(f"models.{kind}" for kind in dict.fromkeys(each.answers.values()))
    extra = "" if each.repeat == "ALWAYS" and each.auth == "KEY" else f", Repeat.{each.repeat}"
    extra += "" if each.auth == "KEY" else f", Auth.{each.auth}"
    text = f'"{each.id}", "{each.method.upper()}", "{each.path}", {{{answers}}}{extra}'
    return f"{each.constant}: Operation[{union}] = Operation({text})\n"


def arguments(each: Described) -> tuple[list[Argument], list[Argument]]:
    """The positional arguments of a method, and those by name."""
    return [_path_argument(part) for part in each.parameters("path")], list(_by_name(each))


def _path_argument(parameter: Mapping[str, Any]) -> Argument:
    name = str(parameter["name"])
    kind = "Ref" if name.endswith("_id") else "str"
    return Argument(name.removesuffix("_id"), kind, None, parameter.get("description", ""))


def _by_name(each: Described) -> Iterator[Argument]:
    if each.needs_token:
        yield Argument("token", "str", None, "The `X-Callback-Token` of the call that the attempt made.")
    if each.body is not None:
        yield from body_arguments(each)
    for parameter in each.parameters("query"):
        member = parameter["name"]
        kind = _query_type(each, member, parameter["schema"])
        yield Argument(attribute(member), f"{kind} | None", "None", parameter.get("description", ""))
    for parameter in each.parameters("header"):
        name, kind = names.HEADERS[parameter["name"]]
        yield Argument(name, kind, "None", parameter.get("description", ""))


def _query_type(each: Described, member: str, schema: Schema) -> str:
    if member in names.REFERENCES:
        return "Ref"
    return each.types.request(schema, member, is_argument=True)


def body_arguments(each: Described) -> Iterator[Argument]:
    """The arguments for the members of a body, required ones first."""
    assert each.body is not None
    flat = names.FLATTENED.get(each.id, {})
    required = set(each.body.get("required", ())) - set(flat)
    for group in flat.values():
        yield from _members(each, each.schemas[group], set(), is_patch=each.method == "patch")
    yield from _members(each, each.body, required, is_patch=False)


def _members(each: Described, schema: Schema, required: set[str], *, is_patch: bool) -> Iterator[Argument]:
    for member, described_by in sorted(
        schema["properties"].items(), key=lambda item: item[0] not in required
    ):
        kind = each.types.request(described_by, member, is_argument=True)
        if member in names.REFERENCES:
            kind = "Ref | None"
        is_nullable = kind == "Any" or kind.endswith("| None")
        kind = kind if is_nullable or not is_patch else f"{kind} | None"
        is_open = member not in required
        yield Argument(
            attribute(member),
            optional(kind) if is_open and kind != "Any" else kind,
            "UNSET" if is_open else None,
            described_by.get("description", ""),
        )

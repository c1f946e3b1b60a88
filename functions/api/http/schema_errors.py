"""The errors of a JSON body against its schema: pointers into the body, and what to send instead."""

import re
from collections.abc import Iterator, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from functions.api.http.suggestions import unknown_member
from shared.domain.delivery.signing import SECRET_NAME
from shared.domain.errors import InvalidValueError
from shared.domain.jobs.new_job import TAG, TAG_TEXT
from shared.domain.workflows.graph import KEY, KEY_TEXT

Path = Sequence[int | str]
_TEXTS = {
    "missing": "this member is required",
    "string_type": "must be a string",
    "string_unicode": "must be a string of Unicode characters",
    "int_type": "must be a whole number, without quotes",
    "int_from_float": "must be a whole number, without a fraction",
    "bool_type": "must be true or false, without quotes",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "list_type": "must be an array",
    "frozen_set_type": "must be an array",
    "none_required": "must be null, or left out",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "literal_error": "must be one of {expected}",
    "enum": "must be one of {expected}",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
}
"""By the types of errors of the library that validates. A property test finds a type that is missing here."""
_PATTERNS = {
    TAG: f"must be {TAG_TEXT}",
    KEY: f"must be {KEY_TEXT}",
    SECRET_NAME: "must be 1 to 64 lower-case letters, digits and inner hyphens, such as billing",
}
_LONGER = {"timeout_seconds": "; a receiver that works longer answers 202 and reports its outcome later"}
"""What follows the range of a member whose value is too large."""


class BodyError(NamedTuple):
    """A broken rule, and the path of the member that breaks it."""

    path: Path
    error: InvalidValueError


def body_errors(error: ValidationError, document: Any, model: type[BaseModel]) -> list[BodyError]:
    """Every broken rule once. Values may be secret: no text repeats one."""
    details = error.errors(include_url=False, include_input=False)
    paths = [_resolved(_without_branch(each), document) for each in details]
    others = [path for path, each in zip(paths, details, strict=True) if each["type"] != "none_required"]
    found: dict[tuple[Path, str], BodyError] = {}
    for path, each in zip(paths, details, strict=True):
        # A member that may be null is a union, and each of its branches reports an error.
        if each["type"] == "none_required" and any(other[: len(path)] == path for other in others):
            continue
        for one in _errors(each, path, model):
            found.setdefault((one.path, str(one.error)), one)
    return list(found.values())


def pointer_to(path: Sequence[int | str]) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _without_branch(detail: ErrorDetails) -> Path:
    """The location of an error without the branch for null at its end, which an object may have as a member."""
    location = detail["loc"]
    is_branch = detail["type"] == "none_required" and location[-1:] == ("none",)
    return location[:-1] if is_branch else location


def _resolved(location: Path, document: Any) -> Path:
    """The members of a location that the document has, and a missing member at its end.

    Locations also name branches of unions and keys of mappings, which are no members.
    """
    path: list[int | str] = []
    for number, part in enumerate(location):
        is_there, child = _child(document, part)
        is_missing = isinstance(document, dict) and number == len(location) - 1
        if is_there:
            document = child
        elif not (is_missing and re.fullmatch("[a-z_]+", str(part))):
            continue
        path.append(part)
    return tuple(path)


def _child(document: Any, part: int | str) -> tuple[bool, Any]:
    """Whether a value has this member or entry, and the member."""
    if isinstance(document, dict):
        return part in document, document.get(part)
    if isinstance(document, list) and isinstance(part, int) and part < len(document):
        return True, document[part]
    return False, None


def _errors(detail: ErrorDetails, path: Path, model: type[BaseModel]) -> Iterator[BodyError]:
    context: dict[str, Any] = detail.get("ctx") or {}
    kind, cause = detail["type"], context.get("error")
    if isinstance(cause, InvalidValueError):
        yield from (BodyError((*path, *each.path), each) for each in cause.each())
    else:
        text = str(cause) if kind == "value_error" else _text(kind, context, path, model)
        yield BodyError(path, InvalidValueError(text))


def _text(kind: str, context: dict[str, Any], path: Path, model: type[BaseModel]) -> str:
    name = str(path[-1]) if path else ""
    if kind == "extra_forbidden":
        return unknown_member(name, _members(_model_at(path[:-1], model)))
    if kind in ("greater_than_equal", "less_than_equal"):
        limits = _limits_at(path, model)
        if limits is not None:
            more = _LONGER.get(name, "") if kind == "less_than_equal" else ""
            return f"must be from {limits[0]} to {limits[1]}{more}"
    if kind == "int_type" and name.endswith("_seconds"):
        return "must be a whole number of seconds, without quotes and without a unit"
    if kind == "string_type" and (example := _example_at(path, model)):
        return f'must be a string, such as "{example}"'
    if kind == "string_pattern_mismatch" and context["pattern"] in _PATTERNS:
        return _PATTERNS[context["pattern"]]
    expected = str(context.get("expected", "")).replace(" or ", ", ").replace("'", "")
    return _TEXTS[kind].format(**(context | {"expected": expected}))


def _model_at(path: Path, model: type[BaseModel]) -> type[BaseModel] | None:
    """The schema of the object at a path; None where any member is allowed."""
    found: Any = model
    for part in path:
        if isinstance(part, int):
            continue  # The schema of an array's member is that of its entries.
        field = _field_at((part,), found)
        found = next((each for each in _types(field.annotation) if _is_model(each)), None) if field else None
        if found is None:
            return None
    return found if _is_model(found) else None


def _members(model: type[BaseModel] | None) -> dict[str, str]:
    """The path of each member of an object and of the objects inside of it, by name; the outer one counts, and then
    the first."""
    fields = _fields(model)
    nested = {
        path.rpartition(".")[2]: f"{outer}.{path}"
        for outer, field in reversed(fields.items())
        for inner in _types(field.annotation)
        if _is_model(inner)
        for path in _members(inner).values()
    }
    return nested | {name: name for name in fields}


def _fields(model: type[BaseModel] | None) -> dict[str, FieldInfo]:
    """The fields of a schema by the names that clients use."""
    return (
        {field.alias or name: field for name, field in model.model_fields.items()}
        if model is not None
        else {}
    )


def _field_at(path: Path, model: type[BaseModel]) -> FieldInfo | None:
    return _fields(_model_at(path[:-1], model)).get(str(path[-1])) if path else None


def _limits_at(path: Path, model: type[BaseModel]) -> tuple[Any, Any] | None:
    """The least and the largest value at a path, if it has both."""
    field = _field_at(path, model)
    metadata = [*field.metadata, *_metadata(field.annotation)] if field is not None else []
    least = next((each.ge for each in metadata if isinstance(each, Ge)), None)
    largest = next((each.le for each in metadata if isinstance(each, Le)), None)
    return None if least is None or largest is None else (least, largest)


def _example_at(path: Path, model: type[BaseModel]) -> str | None:
    field = _field_at(path, model)
    if field is None:
        return None
    nested = (getattr(each, "examples", None) for each in _metadata(field.annotation))
    examples = [each for some in (field.examples, *nested) for each in some or ()]
    return str(examples[0]) if examples else None


def _types(annotation: Any) -> Iterator[Any]:
    """The types of an annotation, without null and metadata; of an array, those of its entries."""
    if get_origin(annotation) is Annotated:
        yield from _types(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, UnionType, list):
        for each in get_args(annotation):
            yield from _types(each)
    elif annotation is not NoneType:
        yield annotation


def _metadata(annotation: Any) -> list[Any]:
    """The metadata of an annotation, and of the fields that it holds."""
    if get_origin(annotation) is Annotated:
        inner, *found = get_args(annotation)
        nested = [more for each in found for more in getattr(each, "metadata", ())]
        return [*found, *nested, *_metadata(inner)]
    if get_origin(annotation) in (Union, UnionType):
        return [more for each in get_args(annotation) for more in _metadata(each)]
    return []


def _is_model(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, BaseModel)

"""Request bodies as schemas. Only here is a broken schema the client's fault."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from functions.api import strict_json
from functions.api.faults import schema_problem
from functions.api.merge_patch import patched
from functions.api.models.jobs import JobIn

Body = TypeVar("Body", bound=BaseModel)


def read_body(body: bytes, schema: type[Body]) -> Body:
    """The body as the schema has it; MalformedRequestError or a problem with all errors."""
    return _validated(strict_json.parse(body), schema)


def read_optional(body: bytes, schema: type[Body]) -> Body:
    """The same, where no body at all means an empty object."""
    return _validated(strict_json.parse(body) if body else {}, schema)


def read_job(document: Any) -> JobIn:
    """One job out of a larger body."""
    return _validated(document, JobIn)


def read_patched_job(patch: Any, document: dict[str, Any]) -> JobIn:
    """A job's document after a merge patch."""
    return _validated(patched(document, patch), JobIn)


def _validated(value: Any, schema: type[Body]) -> Body:
    try:
        return schema.model_validate(value)
    except ValidationError as fault:
        raise schema_problem(fault) from fault

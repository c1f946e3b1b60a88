"""Request bodies as schemas. A schema error is the client's error here, and a bug everywhere else."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from functions.api.http import strict_json
from functions.api.http.error_mapping import schema_problem

Body = TypeVar("Body", bound=BaseModel)


def read_body(body: bytes, schema: type[Body]) -> Body:
    """MalformedRequestError for broken JSON, ProblemError with all schema errors."""
    return validate(strict_json.parse(body), schema)


def read_optional_body(body: bytes, schema: type[Body]) -> Body:
    """As `read_body`; no body at all means an empty object."""
    return validate(strict_json.parse(body) if body else {}, schema)


def validate(value: Any, schema: type[Body]) -> Body:
    """A parsed JSON value as the schema; ProblemError with all schema errors."""
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        raise schema_problem(error) from error

"""Request bodies as schemas. A schema error is the client's error here, and a bug everywhere else."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from functions.api.http.error_mapping import errors_problem
from functions.api.http.schema_errors import body_errors

Body = TypeVar("Body", bound=BaseModel)


def validate(value: Any, schema: type[Body]) -> Body:
    """A parsed JSON value as the schema; ProblemError with all schema errors."""
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        raise errors_problem(body_errors(error, value, schema)) from error

"""The form of every schema."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Seconds = Annotated[int, Field(strict=True)]
InstantOut = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""RFC 3339 in UTC, to the millisecond."""
EXAMPLES = "x-examples"
"""Where a schema keeps its examples, by name: the document shows them beside each body and answer."""


class Schema(BaseModel):
    """Strict: no coercion between JSON types, no unknown field."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def shown_by(examples: dict[str, Any]) -> ConfigDict:
    """The configuration of a schema that has examples."""
    return ConfigDict(json_schema_extra={EXAMPLES: examples})

"""The form of every schema."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Seconds = Annotated[int, Field(strict=True)]


class Schema(BaseModel):
    """Strict: no coercion between JSON types, no unknown field."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

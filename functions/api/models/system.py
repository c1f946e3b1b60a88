"""What every operation may answer."""

from typing import Literal

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.models.schema import shown_by
from shared.domain.tenancy.quota import Quota


class HealthOut(BaseModel):
    """The API answers."""

    model_config = shown_by({"well": {"status": "ok"}})

    status: Literal["ok"]


class FieldErrorOut(BaseModel):
    """One thing that is wrong with a body."""

    pointer: str = Field(description="A JSON pointer (RFC 6901) into the body; empty for the whole of it.")
    detail: str


class ProblemOut(BaseModel):
    """Every error, as RFC 9457 has it."""

    type: str = Field(
        description="What clients compare; each answer names those that it may have.",
        json_schema_extra={"pattern": "^urn:punctual:problem:[a-z-]+$"},
    )
    title: str = Field(description="The same words for every problem of this type.")
    status: int
    detail: str = Field(description="What is wrong with this request.")
    instance: str = Field(description="Finds the request in the operator's logs.")
    errors: list[FieldErrorOut] | SkipJsonSchema[None] = Field(
        None, description="With a 422: everything that is wrong with the body."
    )
    quota: str | SkipJsonSchema[None] = Field(
        None,
        description="With a 429: which quota or rate is used up.",
        json_schema_extra={"enum": [quota.value for quota in Quota]},
    )

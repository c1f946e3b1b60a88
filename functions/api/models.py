"""Schemas that several resources share. Lengths of time end in `_seconds`, instants in `_at`."""

import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from shared.domain.delivery.outcome_callbacks import NO_CALLBACK
from shared.domain.delivery.signing import SECRET_NAME
from shared.domain.delivery.target import MAX_URL_CHARACTERS
from shared.domain.errors import ScheduleError
from shared.domain.jobs.job_key import KEY, SET
from shared.domain.schedules.schedule import format_instant, parse_instant
from shared.domain.tenancy.quota import Quota

EXAMPLES = "x-examples"
"""The key under which a schema keeps its examples, by name. The OpenAPI document shows them."""
MAX_INSTANT_CHARACTERS = 64
Seconds = Annotated[int, Field(strict=True)]
Instant = Annotated[str, Field(max_length=MAX_INSTANT_CHARACTERS, examples=["2030-01-01T09:00:00Z"])]
"""An instant as a client writes it; the domain parses it."""
InstantOut = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""RFC 3339 in UTC, to the millisecond."""
CallbackUrl = Annotated[
    str, Field(max_length=MAX_URL_CHARACTERS, json_schema_extra={"pattern": f"^({NO_CALLBACK}$|https?://)"})
]
"""The URL that is called with the outcome of an execution, or `none`."""
JobKey = Annotated[str, StringConstraints(pattern=KEY)]
"""The key that the owner gives to a recurring job."""
SetName = Annotated[str, StringConstraints(pattern=SET)]
"""The name of a set of jobs with keys."""
SecretName = Annotated[str, StringConstraints(pattern=SECRET_NAME)]
"""The name of signing secrets."""


def read_instant(name: str, text: str | None) -> int | None:
    """An instant in milliseconds; None for None. ScheduleError of the member `name` for any other text."""
    if text is None:
        return None
    try:
        return parse_instant(text, None)
    except ScheduleError as error:
        raise ScheduleError(f"{name}: {str(error).removeprefix('at: ')}", field=name) from error


def instant_errors(instants: Mapping[str, str | None]) -> Iterator[ScheduleError]:
    """An error for each text that is no instant, by the names of their members."""
    for name, text in instants.items():
        try:
            read_instant(name, text)
        except ScheduleError as error:
            yield error


Document = dict[str, Any]
"""A representation as plain JSON values."""


def document_of(model: BaseModel) -> Document:
    return model.model_dump(mode="json", by_alias=True)


def is_none(value: object) -> bool:
    return value is None


# Else each cold start reads the metadata of every installed library, to find plugins of pydantic.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
LEFT_OUT = Field(None, exclude_if=is_none)
"""The default of a member that is left out where it does not apply."""


class Representation(BaseModel):
    """What the API returns. A model's validator is built at its first use: a request needs few of them."""

    model_config = ConfigDict(defer_build=True)


class Schema(Representation):
    """Strict: no coercion between JSON types, no unknown field."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FieldErrorOut(Representation):
    """One error in a body."""

    pointer: str = Field(
        description="A JSON pointer (RFC 6901) into the body; empty for the body as a whole."
    )
    detail: str


class ProblemOut(Representation):
    """A problem document (RFC 9457): the form of every error."""

    type: str = Field(
        description="The type of problem. Clients compare this member, never the title.",
        json_schema_extra={"pattern": "^urn:punctual:problem:[a-z-]+$"},
    )
    title: str = Field(description="The same words for every problem of this type.")
    status: int
    detail: str = Field(description="The reason why this request was refused.")
    instance: str = Field(description="The request's id, under which operators find it in their logs.")
    errors: list[FieldErrorOut] | SkipJsonSchema[None] = Field(
        None, description="With a 422: every error in the body.", exclude_if=is_none
    )
    quota: str | SkipJsonSchema[None] = Field(
        None,
        exclude_if=is_none,
        description="With a 429: the quota or rate limit that was reached.",
        json_schema_extra={"enum": [quota.value for quota in Quota]},
    )


def with_examples(examples: dict[str, Any], *, populate_by_name: bool = False) -> ConfigDict:
    """The configuration of a schema that has examples."""
    return ConfigDict(json_schema_extra={EXAMPLES: examples}, populate_by_name=populate_by_name)


def instant_out(at_ms: int | None) -> str | None:
    """An instant in the form of `InstantOut`; None stays None."""
    return format_instant(at_ms) if at_ms is not None else None

"""Schemas of the request that a job makes, and of its retry policy."""

from functools import cached_property
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import (
    ConfigDict,
    Field,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import LEFT_OUT, Representation, Schema, Seconds
from functions.api.resources.jobs.auth_models import AuthIn, AuthOut, auth_out
from shared.domain.delivery.alerts import Alerts
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import (
    MAX_ATTEMPTS,
    MAX_RETRY_DELAY_SECONDS,
    MAX_RETRY_SPAN_SECONDS,
    RetryPolicy,
)
from shared.domain.delivery.target import (
    HEADER_NAME,
    HEADER_VALUE,
    MAX_HEADERS,
    MAX_URL_CHARACTERS,
    header_errors,
)
from shared.domain.errors import InvalidValueError, raise_any
from shared.names import MAX_PAYLOAD_BYTES

_BODIES = ("body", "json")
BACKOFF = ("base_seconds", "factor", "cap_seconds")
"""The members that `delays_seconds` replaces."""
_DEFAULTS = RetryPolicy()
DelaySeconds = Annotated[Seconds, Field(ge=1, le=MAX_RETRY_DELAY_SECONDS)]
DelaysSeconds = Annotated[list[DelaySeconds], Field(min_length=1, max_length=MAX_ATTEMPTS - 1)]
GiveUpSeconds = Annotated[Seconds, Field(ge=1, le=MAX_RETRY_SPAN_SECONDS)]


class RequestIn(Schema):
    """The request to make. At most one of `body` (text, sent as it is) and `json` (sent as JSON)."""

    model_config = ConfigDict(json_schema_extra={"not": {"type": "object", "required": list(_BODIES)}})

    url: Annotated[str, Field(max_length=MAX_URL_CHARACTERS)] = Field(
        description="Absolute, with a public host; port 443, or 1024 and above. Deployed stacks call https.",
        examples=["https://example.com/hooks/report"],
        json_schema_extra={"format": "uri", "pattern": "^https?://"},
    )
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] = "POST"
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="Headers of the request. Those that Punctual or the connection sets are refused.",
        json_schema_extra={
            "maxProperties": MAX_HEADERS,
            "propertyNames": {"pattern": HEADER_NAME},
            "additionalProperties": {"type": "string", "pattern": HEADER_VALUE},
        },
    )
    body: Annotated[str, Field(json_schema_extra={"maxLength": MAX_PAYLOAD_BYTES})] | None = Field(
        None, description=f"Text that is sent as it is, in UTF-8; at most {MAX_PAYLOAD_BYTES:,} bytes."
    )
    json_: Any = Field(None, alias="json", description="Any value; sent as JSON, with its content type.")
    auth: AuthIn | None = Field(
        None,
        description=(
            "What the call has as its `Authorization` header, beside Punctual's own signature: an identity token, "
            "which the receiver verifies with the public keys of this deployment, or a signature of AWS. Null: none."
        ),
    )

    @model_validator(mode="after")
    def _has_lawful_content(self) -> Self:
        if {"body", "json_"} <= self.model_fields_set:
            raise InvalidValueError("body and json exclude each other", path=("json",))
        errors = [*header_errors(self.headers)]
        if len(self._content) > MAX_PAYLOAD_BYTES:
            member = "json" if "json_" in self.model_fields_set else "body"
            errors.append(InvalidValueError(f"may have at most {MAX_PAYLOAD_BYTES} bytes", path=(member,)))
        raise_any(errors)
        return self

    @cached_property
    def _content(self) -> bytes:
        """The body as it is sent."""
        return orjson.dumps(self.json_) if "json_" in self.model_fields_set else (self.body or "").encode()

    def request(
        self, *, on_success: str | None = None, on_failure: str | None = None, alerts: Alerts | None = None
    ) -> Request:
        """A JSON body adds its content type unless the headers have one."""
        headers = tuple(self.headers.items())
        if "json_" in self.model_fields_set and not any(
            name.lower() == "content-type" for name in self.headers
        ):
            headers = (*headers, ("Content-Type", "application/json"))
        return Request(
            method=self.method,
            url=self.url,
            headers=headers,
            body=self._content,
            on_success=on_success,
            on_failure=on_failure,
            alerts=alerts,
            auth=None if self.auth is None else self.auth.auth,
        )


class RetryIn(Schema):
    """The number of attempts and the delays between them.

    The delay before retry n is random between 0 and min(cap, base x factor^(n-1)) (full jitter). With
    `delays_seconds` it is the n-th entry of that table, less a random tenth at most.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"required": ["delays_seconds"], "properties": {"delays_seconds": {"type": "array"}}},
            "then": {"not": {"anyOf": [{"required": [name]} for name in BACKOFF]}},
        }
    )

    max_attempts: Annotated[Seconds, Field(ge=1, le=MAX_ATTEMPTS)] = Field(
        _DEFAULTS.max_attempts,
        description="Includes the first attempt. With `delays_seconds`: one more than the table has entries.",
    )
    base_seconds: DelaySeconds = _DEFAULTS.base_seconds
    factor: Annotated[Seconds, Field(ge=1, le=10)] = _DEFAULTS.factor
    cap_seconds: DelaySeconds = _DEFAULTS.cap_seconds
    delays_seconds: DelaysSeconds | None = Field(
        None, description="One delay for each retry; replaces base, factor and cap."
    )
    give_up_after_seconds: GiveUpSeconds | None = Field(
        None, description="No attempt starts later than this after the due time, not even the first."
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.base_seconds > self.cap_seconds:
            raise InvalidValueError("base_seconds must not be above cap_seconds", path=("base_seconds",))
        if self.delays_seconds is not None:
            self._agrees_with_table(len(self.delays_seconds) + 1)
        _ = self.policy  # Raises where the policy is invalid.
        return self

    def _agrees_with_table(self, attempts: int) -> None:
        if named := self.model_fields_set & set(BACKOFF):
            raise InvalidValueError(
                f"delays_seconds takes the place of {', '.join(sorted(named))}", path=("delays_seconds",)
            )
        if "max_attempts" in self.model_fields_set and self.max_attempts != attempts:
            raise InvalidValueError(
                f"with these delays_seconds max_attempts is {attempts}", path=("max_attempts",)
            )

    @cached_property
    def policy(self) -> RetryPolicy:
        """InvalidValueError where all delays together are too long."""
        table = tuple(self.delays_seconds or ())
        return RetryPolicy(
            max_attempts=len(table) + 1 if table else self.max_attempts,
            base_seconds=self.base_seconds,
            factor=self.factor,
            cap_seconds=self.cap_seconds,
            delays_seconds=table,
            give_up_after_seconds=self.give_up_after_seconds,
        )


class RetryOut(Representation):
    """The stored retry policy. Members that do not apply are left out."""

    max_attempts: int
    base_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    factor: int | SkipJsonSchema[None] = LEFT_OUT
    cap_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    delays_seconds: list[int] | SkipJsonSchema[None] = LEFT_OUT
    give_up_after_seconds: int | SkipJsonSchema[None] = LEFT_OUT


class TargetOut(Representation):
    """The request without headers and body, which may hold secrets and are never shown again."""

    method: str
    url: str
    auth: AuthOut | SkipJsonSchema[None] = LEFT_OUT


def request_out(request: Request) -> TargetOut:
    return TargetOut(method=request.method, url=request.url, auth=auth_out(request.auth))

"""What a job calls, and how patiently."""

from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from functions.api.models.schema import Schema, Seconds
from shared.domain.delivery.outcome_callbacks import SILENT
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import (
    MAX_ATTEMPTS,
    MAX_RETRY_DELAY_SECONDS,
    MAX_RETRY_SPAN_SECONDS,
    RetryPolicy,
)
from shared.domain.delivery.target import HEADER_NAME, HEADER_VALUE, MAX_HEADERS, MAX_URL_CHARACTERS

_BODIES = ("body", "json")
BACKOFF = ("base_seconds", "factor", "cap_seconds")
"""What a table of delays takes the place of."""
_DEFAULTS = RetryPolicy()
DelaySeconds = Annotated[Seconds, Field(ge=1, le=MAX_RETRY_DELAY_SECONDS)]
DelaysSeconds = Annotated[list[DelaySeconds], Field(min_length=1, max_length=MAX_ATTEMPTS - 1)]
GiveUpSeconds = Annotated[Seconds, Field(ge=1, le=MAX_RETRY_SPAN_SECONDS)]


ListenerUrl = Annotated[
    str, Field(max_length=MAX_URL_CHARACTERS, json_schema_extra={"pattern": f"^({SILENT}$|https?://)"})
]
"""Whom to tell of an outcome."""


class RequestIn(Schema):
    """What to call. At most one of `body` (text, sent as it is) and `json` (sent as JSON)."""

    model_config = ConfigDict(json_schema_extra={"not": {"required": list(_BODIES)}})

    url: Annotated[str, Field(max_length=MAX_URL_CHARACTERS)] = Field(
        description="Absolute, with a public host; port 443 or 1024 and above. In the cloud https alone is called.",
        examples=["https://example.com/hooks/report"],
        json_schema_extra={"format": "uri", "pattern": "^https?://"},
    )
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] = "POST"
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="Sent along. Those that Punctual or the connection sets are refused.",
        json_schema_extra={
            "maxProperties": MAX_HEADERS,
            "propertyNames": {"pattern": HEADER_NAME},
            "additionalProperties": {"type": "string", "pattern": HEADER_VALUE},
        },
    )
    body: str | None = Field(None, description="Text that is sent as it is, in UTF-8.")
    json_: Any = Field(None, alias="json", description="Any value; sent as JSON, with its content type.")

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if {"body", "json_"} <= self.model_fields_set:
            raise ValueError("body and json exclude each other")
        return self

    def request(self, *, on_success: str | None = None, on_failure: str | None = None) -> Request:
        """The domain's value; a JSON body brings its content type unless one was given."""
        headers, body = tuple(self.headers.items()), (self.body or "").encode()
        if "json_" in self.model_fields_set:
            body = orjson.dumps(self.json_)
            if not any(name.lower() == "content-type" for name in self.headers):
                headers = (*headers, ("Content-Type", "application/json"))
        return Request(
            method=self.method,
            url=self.url,
            headers=headers,
            body=body,
            on_success=on_success,
            on_failure=on_failure,
        )


class RetryIn(Schema):
    """How often, how patiently and for how long.

    Full jitter up to min(cap, base x factor^(n-1)) before retry n; or with `delays_seconds` the n-th entry of
    that table, less up to a tenth of it.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"required": ["delays_seconds"], "properties": {"delays_seconds": {"type": "array"}}},
            "then": {"not": {"anyOf": [{"required": [name]} for name in BACKOFF]}},
        }
    )

    max_attempts: Annotated[Seconds, Field(ge=1, le=MAX_ATTEMPTS)] = Field(
        _DEFAULTS.max_attempts,
        description="The first one included; with `delays_seconds` one more than that has entries.",
    )
    base_seconds: DelaySeconds = _DEFAULTS.base_seconds
    factor: Annotated[Seconds, Field(ge=1, le=10)] = _DEFAULTS.factor
    cap_seconds: DelaySeconds = _DEFAULTS.cap_seconds
    delays_seconds: DelaysSeconds | None = Field(
        None, description="A table of waits, one for each retry, in the place of base, factor and cap."
    )
    give_up_after_seconds: GiveUpSeconds | None = Field(
        None, description="No attempt begins when the execution was due so long ago, not even the first."
    )

    _policy: RetryPolicy = PrivateAttr()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.base_seconds > self.cap_seconds:
            raise ValueError("base_seconds must not be above cap_seconds")
        if self.delays_seconds is not None:
            self._agrees_with_table(len(self.delays_seconds) + 1)
        table = tuple(self.delays_seconds or ())
        self._policy = RetryPolicy(
            max_attempts=len(table) + 1 if table else self.max_attempts,
            base_seconds=self.base_seconds,
            factor=self.factor,
            cap_seconds=self.cap_seconds,
            delays_seconds=table,
            give_up_after_seconds=self.give_up_after_seconds,
        )
        return self

    def _agrees_with_table(self, attempts: int) -> None:
        if named := self.model_fields_set & set(BACKOFF):
            raise ValueError(f"delays_seconds takes the place of {', '.join(sorted(named))}")
        if "max_attempts" in self.model_fields_set and self.max_attempts != attempts:
            raise ValueError(f"with these delays_seconds max_attempts is {attempts}")

    def policy(self) -> RetryPolicy:
        """The domain's value; validation has built it."""
        return self._policy


class RetryOut(BaseModel):
    """The same, as it is kept. What does not apply is left out."""

    max_attempts: int
    base_seconds: int | SkipJsonSchema[None] = None
    factor: int | SkipJsonSchema[None] = None
    cap_seconds: int | SkipJsonSchema[None] = None
    delays_seconds: list[int] | SkipJsonSchema[None] = None
    give_up_after_seconds: int | SkipJsonSchema[None] = None

    @model_serializer(mode="wrap")
    def _without_nulls(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class TargetOut(BaseModel):
    """The call, without headers and body: those may hold secrets and are not shown again."""

    method: str
    url: str

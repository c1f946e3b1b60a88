"""What a job calls, and how patiently."""

from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from functions.api.models.schema import Schema, Seconds
from shared.domain.request import Request
from shared.domain.target import HEADER_NAME, HEADER_VALUE, MAX_HEADERS, MAX_URL_CHARACTERS

_BODIES = ("body", "json")


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

    def request(self) -> Request:
        """The domain's value; a JSON body brings its content type unless one was given."""
        headers = tuple(self.headers.items())
        if "json_" not in self.model_fields_set:
            return Request(method=self.method, url=self.url, headers=headers, body=(self.body or "").encode())
        if not any(name.lower() == "content-type" for name in self.headers):
            headers = (*headers, ("Content-Type", "application/json"))
        return Request(method=self.method, url=self.url, headers=headers, body=orjson.dumps(self.json_))


class RetryIn(Schema):
    """How often and how patiently: full jitter up to min(cap, base x factor^(n-1)) before retry n."""

    max_attempts: Annotated[Seconds, Field(ge=1, le=20)] = 5
    base_seconds: Annotated[Seconds, Field(ge=1, le=86_400)] = 10
    factor: Annotated[Seconds, Field(ge=1, le=10)] = 2
    cap_seconds: Annotated[Seconds, Field(ge=1, le=86_400)] = 3_600

    @model_validator(mode="after")
    def _base_below_cap(self) -> Self:
        if self.base_seconds > self.cap_seconds:
            raise ValueError("base_seconds must not be above cap_seconds")
        return self


class TargetOut(BaseModel):
    """The call, without headers and body: those may hold secrets and are not shown again."""

    method: str
    url: str

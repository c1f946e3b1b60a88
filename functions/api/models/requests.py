"""What a job calls, and how patiently."""

from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import BaseModel, Field, model_validator

from functions.api.models.schema import Schema, Seconds
from shared.domain.request import Request


class RequestIn(Schema):
    """What to call. At most one of `body` (text, sent as it is) and `json` (sent as JSON)."""

    url: Annotated[str, Field(max_length=2048, examples=["https://example.com/hooks/report"])]
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    body: str | None = None
    json_: Any = Field(None, alias="json")

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

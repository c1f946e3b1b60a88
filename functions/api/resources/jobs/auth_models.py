"""Schemas of how an HTTP request authenticates itself, beside its signature."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import LEFT_OUT, Representation, Schema
from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.identity_token import (
    AUDIENCE,
    AUDIENCE_TEXT,
    MAX_AUDIENCE_CHARACTERS,
    OidcAuth,
)
from shared.domain.errors import InvalidValueError


class OidcAuthIn(Schema):
    """An identity token of OpenID Connect in the `Authorization` header."""

    audience: Annotated[str, Field(json_schema_extra={"maxLength": MAX_AUDIENCE_CHARACTERS})] = Field(
        description=f"The `aud` of the token, such as the URL of the receiver: {AUDIENCE_TEXT}.",
        examples=["https://reports.example.com"],
        json_schema_extra={"pattern": AUDIENCE},
    )


class AuthIn(Schema):
    """How the request authenticates itself: exactly one way."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    oidc: OidcAuthIn | SkipJsonSchema[None] = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if self.oidc is None:
            is_null = "oidc" in self.model_fields_set
            text = "must be an object" if is_null else f"name the way: one of {', '.join(AuthKind)}"
            raise InvalidValueError(text, path=("oidc",))
        return self

    @property
    def auth(self) -> OidcAuth:
        assert self.oidc is not None
        return OidcAuth(audience=self.oidc.audience)


class OidcAuthOut(Representation):
    """The audience of the token, which itself is never shown."""

    audience: str


class AuthOut(Representation):
    """How the request authenticates itself."""

    oidc: OidcAuthOut | SkipJsonSchema[None] = LEFT_OUT


def auth_out(auth: OidcAuth | None) -> AuthOut | None:
    return None if auth is None else AuthOut(oidc=OidcAuthOut(audience=auth.audience))

"""Schemas of how an HTTP request authenticates itself, beside its signature."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import LEFT_OUT, Representation, Schema
from shared.domain.delivery.aws_target import REGION, ROLE_ARN
from shared.domain.delivery.call_kind import AuthKind
from shared.domain.delivery.identity_token import (
    AUDIENCE,
    AUDIENCE_TEXT,
    MAX_AUDIENCE_CHARACTERS,
    OidcAuth,
)
from shared.domain.delivery.request_auth import Auth
from shared.domain.delivery.sigv4_auth import (
    MAX_REGION_CHARACTERS,
    MAX_SERVICE_CHARACTERS,
    SERVICE,
    SERVICE_TEXT,
    SigV4Auth,
)
from shared.domain.errors import InvalidValueError

MAX_ROLE_CHARACTERS = 576


class OidcAuthIn(Schema):
    """An identity token of OpenID Connect in the `Authorization` header."""

    audience: Annotated[str, Field(json_schema_extra={"maxLength": MAX_AUDIENCE_CHARACTERS})] = Field(
        description=f"The `aud` of the token, such as the URL of the receiver: {AUDIENCE_TEXT}.",
        examples=["https://reports.example.com"],
        json_schema_extra={"pattern": AUDIENCE},
    )


class SigV4AuthIn(Schema):
    """A signature of AWS (Signature Version 4), which a role of the tenant makes."""

    role: Annotated[str, Field(max_length=MAX_ROLE_CHARACTERS)] = Field(
        description="One of the tenant's target roles, which an operator registers.",
        examples=["arn:aws:iam::111122223333:role/punctual/acme"],
        json_schema_extra={"pattern": ROLE_ARN},
    )
    service: Annotated[str, Field(max_length=MAX_SERVICE_CHARACTERS)] = Field(
        description=f"The service of the signature: it {SERVICE_TEXT}.",
        examples=["execute-api"],
        json_schema_extra={"pattern": SERVICE},
    )
    region: Annotated[str, Field(max_length=MAX_REGION_CHARACTERS)] = Field(
        description="The region of the signature; that of the host, where the host is one of AWS.",
        examples=["eu-west-1"],
        json_schema_extra={"pattern": f"^{REGION}$"},
    )


class AuthIn(Schema):
    """How the request authenticates itself: exactly one way."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    oidc: OidcAuthIn | SkipJsonSchema[None] = None
    sigv4: SigV4AuthIn | SkipJsonSchema[None] = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        named = sorted(self.model_fields_set)
        for name in named:
            if getattr(self, name) is None:
                raise InvalidValueError("must be an object", path=(name,))
        if len(named) != 1:
            ways = " or ".join(AuthKind)
            text = f"name one way, {ways}" + (", not both" if named else "")
            raise InvalidValueError(text, path=(named[-1] if named else AuthKind.OIDC.value,))
        return self

    @property
    def auth(self) -> Auth:
        if self.sigv4 is not None:
            return SigV4Auth(**self.sigv4.model_dump())
        assert self.oidc is not None
        return OidcAuth(audience=self.oidc.audience)


class OidcAuthOut(Representation):
    """The audience of the token, which itself is never shown."""

    audience: str


class SigV4AuthOut(Representation):
    """Who signs for AWS. The signature itself is never shown."""

    role: str
    service: str
    region: str


class AuthOut(Representation):
    """How the request authenticates itself."""

    oidc: OidcAuthOut | SkipJsonSchema[None] = LEFT_OUT
    sigv4: SigV4AuthOut | SkipJsonSchema[None] = LEFT_OUT


def auth_out(auth: Auth | None) -> AuthOut | None:
    if auth is None:
        return None
    if isinstance(auth, SigV4Auth):
        return AuthOut(sigv4=SigV4AuthOut(role=auth.role, service=auth.service, region=auth.region))
    return AuthOut(oidc=OidcAuthOut(audience=auth.audience))

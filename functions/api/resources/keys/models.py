"""Schemas of API keys. The secret part of a key is shown once, in the response that creates it."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from functions.api.models import InstantOut, Representation, Schema, Seconds, with_examples
from functions.api.resources.keys import examples
from shared.domain.tenancy.tenant import (
    KEY_NAME,
    MAX_EXPIRY_SECONDS,
    MAX_OVERLAP_SECONDS,
    MIN_EXPIRY_SECONDS,
    Scope,
)


def _each_once(scopes: Any) -> Any:
    if isinstance(scopes, list) and len(scopes) != len({str(scope) for scope in scopes}):
        raise ValueError("each scope is named once")
    return scopes


Scopes = Annotated[
    frozenset[Annotated[Scope, Field(strict=False)]],
    Field(strict=False, min_length=1, max_length=len(Scope)),
    BeforeValidator(_each_once),
]
KeyName = Annotated[
    str, StringConstraints(min_length=1, max_length=64), Field(json_schema_extra={"pattern": KEY_NAME})
]
Expiry = Annotated[Seconds, Field(ge=MIN_EXPIRY_SECONDS, le=MAX_EXPIRY_SECONDS)]
Overlap = Annotated[Seconds, Field(ge=0, le=MAX_OVERLAP_SECONDS)]


class KeyIn(Schema):
    """A key to create."""

    model_config = with_examples(examples.KEY_IN)

    scopes: Scopes
    name: KeyName | None = None
    expires_in_seconds: Expiry | None = None


class KeyRotationIn(Schema):
    """How long the old key stays valid besides the new one."""

    model_config = with_examples(examples.KEY_ROTATION_IN)

    overlap_seconds: Overlap = 86_400
    expires_in_seconds: Expiry | None = Field(
        None, description="The life of the new key. Absent: it does not expire."
    )


class KeyOut(Representation):
    """A key without its secret."""

    model_config = with_examples(examples.KEY_OUT)

    id: str
    name: str | None
    scopes: list[Scope]
    state: Literal["live", "expired", "revoked"]
    created_at: InstantOut
    expires_at: InstantOut | None
    last_used_at: InstantOut | None = Field(description="Accurate to an hour.")


class NewKeyOut(KeyOut):
    """A new key. `api_key` is shown only once."""

    model_config = with_examples(examples.NEW_KEY_OUT)

    api_key: str


class WhoamiOut(Representation):
    """The tenant and the key of the request."""

    model_config = with_examples(examples.WHOAMI_OUT)

    tenant: str
    is_operator: bool = Field(
        description="Whether the key belongs to the operators, and manages all tenants."
    )
    key_id: str
    scopes: list[Scope]
    expires_at: InstantOut | None = Field(description="Null for a key that does not expire.")


class KeysOut(Representation):
    """All keys of a tenant, the oldest first. Expired and revoked keys stay listed for a while."""

    model_config = with_examples(examples.KEYS_OUT)

    keys: list[KeyOut]

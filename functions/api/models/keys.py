"""API keys and signing secrets. What is secret is shown once, when it is made."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

from functions.api.models.examples import accounts as examples
from functions.api.models.schema import InstantOut, Schema, Seconds, shown_by
from shared.domain.tenancy.tenant import KEY_NAME, Scope

MAX_OVERLAP_SECONDS = 30 * 86_400
MAX_EXPIRY_SECONDS = 10 * 366 * 86_400


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
Expiry = Annotated[Seconds, Field(ge=60, le=MAX_EXPIRY_SECONDS)]
Overlap = Annotated[Seconds, Field(ge=0, le=MAX_OVERLAP_SECONDS)]


class KeyIn(Schema):
    """A key to be created."""

    model_config = shown_by(examples.KEY_IN)

    scopes: Scopes
    name: KeyName | None = None
    expires_in_seconds: Expiry | None = None


class KeyRotationIn(Schema):
    """For how long the old key stays good beside the new one."""

    model_config = shown_by(examples.KEY_ROTATION_IN)

    overlap_seconds: Overlap = 86_400
    expires_in_seconds: Expiry | None = Field(None, description="The end of the new key; never, if absent.")


class KeyOut(BaseModel):
    """A key without its secret."""

    model_config = shown_by(examples.KEY_OUT)

    id: str
    name: str | None
    scopes: list[Scope]
    state: Literal["live", "expired", "revoked"]
    created_at: InstantOut
    expires_at: InstantOut | None
    last_used_at: InstantOut | None = Field(description="To within an hour.")


class NewKeyOut(KeyOut):
    """A new key. `api_key` is shown this once."""

    model_config = shown_by(examples.NEW_KEY_OUT)

    api_key: str


class KeysOut(BaseModel):
    """All keys of a tenant, the oldest first; dead ones are listed for a while."""

    model_config = shown_by(examples.KEYS_OUT)

    keys: list[KeyOut]


class SecretRotationIn(Schema):
    """For how long the old secrets sign beside the new one."""

    model_config = shown_by(examples.SECRET_ROTATION_IN)

    overlap_seconds: Overlap = 86_400


class SecretOut(BaseModel):
    """A signing secret, without the secret."""

    model_config = shown_by(examples.SECRET_OUT)

    id: str
    state: Literal["current", "overlapping", "retired"]
    created_at: InstantOut
    ends_at: InstantOut | None


class NewSecretOut(SecretOut):
    """A new signing secret. `signing_secret` is shown this once."""

    model_config = shown_by(examples.NEW_SECRET_OUT)

    signing_secret: str


class SecretsOut(BaseModel):
    """The secrets that sign callbacks, the current one first."""

    model_config = shown_by(examples.SECRETS_OUT)

    signing_secrets: list[SecretOut]

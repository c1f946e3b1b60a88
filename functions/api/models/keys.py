"""API keys and signing secrets. What is secret is shown once, when it is made."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from functions.api.models.schema import Schema, Seconds
from shared.domain.tenant import Scope

MAX_OVERLAP_SECONDS = 30 * 86_400
MAX_EXPIRY_SECONDS = 10 * 366 * 86_400
Scopes = Annotated[frozenset[Annotated[Scope, Field(strict=False)]], Field(strict=False, min_length=1)]
Expiry = Annotated[Seconds, Field(ge=60, le=MAX_EXPIRY_SECONDS)]
Overlap = Annotated[Seconds, Field(ge=0, le=MAX_OVERLAP_SECONDS)]


class KeyIn(Schema):
    """A key to be created."""

    scopes: Scopes
    name: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    expires_in_seconds: Expiry | None = None


class KeyRotationIn(Schema):
    """For how long the old key stays good beside the new one."""

    overlap_seconds: Overlap = 86_400
    expires_in_seconds: Expiry | None = Field(None, description="The end of the new key; never, if absent.")


class KeyOut(BaseModel):
    """A key without its secret."""

    id: str
    name: str | None
    scopes: list[Scope]
    state: Literal["live", "expired", "revoked"]
    created_at: str
    expires_at: str | None
    last_used_at: str | None = Field(description="To within an hour.")


class NewKeyOut(KeyOut):
    """A new key. `api_key` is shown this once."""

    api_key: str


class KeysOut(BaseModel):
    """All keys of a tenant, the oldest first; dead ones are listed for a while."""

    keys: list[KeyOut]


class SecretRotationIn(Schema):
    """For how long the old secrets sign beside the new one."""

    overlap_seconds: Overlap = 86_400


class SecretOut(BaseModel):
    """A signing secret, without the secret."""

    id: str
    state: Literal["current", "overlapping", "retired"]
    created_at: str
    ends_at: str | None


class NewSecretOut(SecretOut):
    """A new signing secret. `signing_secret` is shown this once."""

    signing_secret: str


class SecretsOut(BaseModel):
    """The secrets that sign callbacks, the current one first."""

    signing_secrets: list[SecretOut]

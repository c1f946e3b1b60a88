"""Tenants, as operators see them, and usage, as everybody sees their own."""

from typing import Annotated, Self

from pydantic import BaseModel, Field, StringConstraints, model_validator

from functions.api.models.keys import KeyOut, Scopes
from functions.api.models.schema import Schema, Seconds
from shared.domain.quota import Quota
from shared.domain.tenant import MAX_INDEX_SHARDS, MAX_WEIGHT, Scope, TenantState

Limit = Annotated[int, Field(strict=True, ge=0)]
Quotas = dict[Annotated[Quota, Field(strict=False)], Limit | None]


class TenantIn(Schema):
    """A tenant to be created, with a first key of these scopes."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=40), Field(examples=["acme"])]
    scopes: Scopes = frozenset({Scope.READ, Scope.WRITE})


class TenantPatch(Schema):
    """What is to be different. A quota of null goes back to the deployment's default."""

    state: Annotated[TenantState, Field(strict=False)] | None = None
    weight: Annotated[Seconds, Field(ge=1, le=MAX_WEIGHT)] | None = None
    index_shards: Annotated[Seconds, Field(ge=1, le=MAX_INDEX_SHARDS)] | None = None
    quotas: Quotas | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nothing is to be changed")
        for name in self.model_fields_set:
            if getattr(self, name) is None:
                raise ValueError(f"{name} cannot be null")
        return self


class TenantOut(BaseModel):
    """A tenant."""

    id: str
    state: TenantState
    created_at: str
    revision: int
    weight: int
    index_shards: int
    quotas: dict[str, int] = Field(description="The limits that hold.")
    own_quotas: list[str] = Field(description="The quotas that are not the deployment's defaults.")


class NewTenantOut(BaseModel):
    """A new tenant. `api_key` and `signing_secret` are shown this once."""

    tenant: TenantOut
    key: KeyOut
    api_key: str
    signing_secret: str


class TenantPageOut(BaseModel):
    """Tenants by their ids."""

    tenants: list[TenantOut]
    next_cursor: str | None


class QuotaOut(BaseModel):
    """One quota."""

    limit: int
    used: int | None = Field(description="Null where nobody counts it.")
    is_enforced: bool


class UsageOut(BaseModel):
    """What a tenant may have, and how much of it is in use."""

    tenant: str
    weight: int
    quotas: dict[str, QuotaOut]

"""Tenants, as operators see them, and usage, as everybody sees their own."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.models.examples import accounts as examples
from functions.api.models.keys import KeyOut, Scopes
from functions.api.models.requests import ListenerUrl
from functions.api.models.schema import EXAMPLES, InstantOut, Schema, Seconds, shown_by
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import (
    MAX_INDEX_SHARDS,
    MAX_WEIGHT,
    RESERVED_IDS,
    TENANT_ID,
    Scope,
    TenantState,
)

Limit = Annotated[Seconds, Field(ge=0)]
_LISTENERS = ("on_success", "on_failure")
Quotas = dict[Annotated[Quota, Field(strict=False)], Limit | None]


class TenantIn(Schema):
    """A tenant to be created, with a first key of these scopes."""

    model_config = shown_by(examples.TENANT_IN)

    id: Annotated[str, StringConstraints(min_length=1, max_length=40)] = Field(
        description=f"{', '.join(sorted(RESERVED_IDS))} are reserved.",
        json_schema_extra={"pattern": TENANT_ID},
    )
    scopes: Scopes = frozenset({Scope.READ, Scope.WRITE})


class TenantPatch(Schema):
    """What is to be different. A quota of null goes back to the deployment's default, a URL of null is taken away."""

    model_config = ConfigDict(json_schema_extra={EXAMPLES: examples.TENANT_PATCH, "minProperties": 1})

    state: Annotated[TenantState, Field(strict=False)] | SkipJsonSchema[None] = None
    weight: Annotated[Seconds, Field(ge=1, le=MAX_WEIGHT)] | SkipJsonSchema[None] = None
    index_shards: Annotated[Seconds, Field(ge=1, le=MAX_INDEX_SHARDS)] | SkipJsonSchema[None] = None
    quotas: Quotas | SkipJsonSchema[None] = None
    on_success: ListenerUrl | None = Field(
        None, description="Told of outcomes where a job says nothing of it."
    )
    on_failure: ListenerUrl | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nothing is to be changed")
        for name in self.model_fields_set:
            if getattr(self, name) is None and name not in _LISTENERS:
                raise ValueError(f"{name} cannot be null")
        return self

    def listeners(self) -> dict[str, str | None]:
        """The URLs that are named, those that are to be taken away among them."""
        return {name: getattr(self, name) for name in _LISTENERS if name in self.model_fields_set}


class TenantOut(BaseModel):
    """A tenant."""

    model_config = shown_by(examples.TENANT_OUT)

    id: str
    state: TenantState
    created_at: InstantOut
    revision: int
    weight: int
    index_shards: int
    quotas: dict[str, int] = Field(description="The limits that hold.")
    own_quotas: list[str] = Field(description="The quotas that are not the deployment's defaults.")
    on_success: str | None = Field(description="Told of outcomes where a job says nothing of it.")
    on_failure: str | None


class NewTenantOut(BaseModel):
    """A new tenant. `api_key` and `signing_secret` are shown this once."""

    model_config = shown_by(examples.NEW_TENANT_OUT)

    tenant: TenantOut
    key: KeyOut
    api_key: str
    signing_secret: str


class TenantPageOut(BaseModel):
    """Tenants by their ids."""

    model_config = shown_by(examples.TENANT_PAGE)

    tenants: list[TenantOut]
    next_cursor: str | None


class QuotaOut(BaseModel):
    """One quota."""

    limit: int
    used: int | None = Field(description="Null where nobody counts it.")
    is_enforced: bool = Field(description="False where the limit is the highest, which means none.")


class UsageOut(BaseModel):
    """What a tenant may have, and how much of it is in use."""

    model_config = shown_by(examples.USAGE_OUT)

    tenant: str
    weight: int
    quotas: dict[str, QuotaOut]

"""Schemas of tenants."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.alert_models import AlertsOut, TenantAlertsIn, alerts_change
from functions.api.models import (
    EXAMPLES,
    CallbackUrl,
    InstantOut,
    Representation,
    Schema,
    Seconds,
    with_examples,
)
from functions.api.resources.keys.models import KeyOut, Scopes
from functions.api.resources.tenants import examples
from shared.domain.delivery.aws_target import ROLE_ARN
from shared.domain.errors import InvalidValueError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.target_roles import MAX_ROLES
from shared.domain.tenancy.tenant import (
    MAX_INDEX_SHARDS,
    MAX_WEIGHT,
    RESERVED_IDS,
    TENANT_ID,
    Scope,
    TenantState,
)
from shared.usecases.tenancy.manage_tenants import TenantChange

Limit = Annotated[Seconds, Field(ge=0)]
Quotas = dict[Annotated[Quota, Field(strict=False)], Limit | None]
_CALLBACKS = ("on_success", "on_failure")
_REMOVABLE = (*_CALLBACKS, "alerts")
RoleArn = Annotated[str, Field(max_length=576, json_schema_extra={"pattern": ROLE_ARN})]


class TenantIn(Schema):
    """A tenant to create. Its first key has these scopes."""

    model_config = with_examples(examples.TENANT_IN)

    id: Annotated[str, StringConstraints(min_length=1, max_length=40)] = Field(
        description=f"{', '.join(sorted(RESERVED_IDS))} are reserved.",
        json_schema_extra={"pattern": TENANT_ID},
    )
    scopes: Scopes = frozenset({Scope.READ, Scope.WRITE})


class TenantPatch(Schema):
    """Members to change. A quota of null returns to the deployment's default; any other member of null is
    removed."""

    model_config = ConfigDict(json_schema_extra={EXAMPLES: examples.TENANT_PATCH, "minProperties": 1})

    state: Annotated[TenantState, Field(strict=False)] | SkipJsonSchema[None] = None
    weight: Annotated[Seconds, Field(ge=1, le=MAX_WEIGHT)] | SkipJsonSchema[None] = None
    index_shards: Annotated[Seconds, Field(ge=1, le=MAX_INDEX_SHARDS)] | SkipJsonSchema[None] = None
    quotas: Quotas | SkipJsonSchema[None] = None
    on_success: CallbackUrl | None = Field(
        None, description="Called with the outcome of executions whose job names no URL of its own."
    )
    on_failure: CallbackUrl | None = None
    alerts: TenantAlertsIn | None = Field(None, description="Replaced as a whole.")
    target_roles: Annotated[list[RoleArn], Field(max_length=MAX_ROLES)] | SkipJsonSchema[None] = Field(
        None,
        description=(
            "The roles with which the tenant's jobs reach targets in AWS, one for each account. Replaced as a whole; "
            "an empty array removes all."
        ),
    )

    @model_validator(mode="after")
    def _is_a_change(self) -> Self:
        if not self.model_fields_set:
            raise InvalidValueError(f"name what to change: {', '.join(type(self).model_fields)}")
        for name in self.model_fields_set:
            if getattr(self, name) is None and name not in _REMOVABLE:
                raise InvalidValueError("cannot be null; leave it out to keep it", path=(name,))
        return self

    def tenant_change(self) -> TenantChange:
        # A URL of null removes the default callback; an absent member leaves it as it is.
        callbacks = {name: getattr(self, name) for name in _CALLBACKS if name in self.model_fields_set}
        return TenantChange(
            state=self.state,
            weight=self.weight,
            index_shards=self.index_shards,
            quotas=self.quotas,
            listeners=callbacks,
            alerts=alerts_change(self.alerts) if "alerts" in self.model_fields_set else None,
            target_roles=tuple(self.target_roles) if self.target_roles is not None else None,
        )


class TenantOut(Representation):
    """The state, quotas and callbacks of a tenant, without secrets."""

    model_config = with_examples(examples.TENANT_OUT)

    id: str
    state: TenantState
    effective_at: InstantOut | None = Field(
        description=(
            "When the latest change between `active` and `suspended` takes effect: from then on no call of a "
            "suspended tenant begins, and calls of a resumed tenant begin again. Null before the first change."
        )
    )
    created_at: InstantOut
    revision: int
    weight: int
    index_shards: int
    quotas: dict[str, int] = Field(description="The limits in force.")
    own_quotas: list[str] = Field(description="The quotas that override the deployment's defaults.")
    target_roles: list[str] = Field(
        description="The roles with which its jobs reach targets in AWS, one for each account."
    )
    target_external_id: str | None = Field(
        description="The external id that the trust policies of these roles require. Null without a role."
    )
    on_success: str | None = Field(
        description="Called with the outcome of executions whose job names no URL of its own."
    )
    on_failure: str | None
    alerts: AlertsOut | None = Field(description="Announces events of executions whose job has no `alerts`.")


class NewTenantOut(Representation):
    """A new tenant. `api_key` and `signing_secret` are shown only once."""

    model_config = with_examples(examples.NEW_TENANT_OUT)

    tenant: TenantOut
    key: KeyOut
    api_key: str
    signing_secret: str


class TenantPageOut(Representation):
    """Tenants by id."""

    model_config = with_examples(examples.TENANT_PAGE)

    tenants: list[TenantOut]
    next_cursor: str | None

"""Schemas of the settings that a tenant changes itself."""

from typing import Self

from pydantic import ConfigDict, Field, model_validator

from functions.api.alert_models import AlertsOut, TenantAlertsIn, alerts_change
from functions.api.models import EXAMPLES, CallbackUrl, Representation, Schema, with_examples
from functions.api.resources.settings import examples
from shared.domain.errors import InvalidValueError
from shared.usecases.tenancy.manage_tenants import TenantChange

_SUCCESS = "Called with the outcome of executions whose job names no URL of its own."


class SettingsPatch(Schema):
    """Members to change. A member of null is removed, and so is one with the URL `none`."""

    model_config = ConfigDict(json_schema_extra={EXAMPLES: examples.SETTINGS_PATCH, "minProperties": 1})

    on_success: CallbackUrl | None = Field(None, description=_SUCCESS)
    on_failure: CallbackUrl | None = None
    alerts: TenantAlertsIn | None = Field(
        None, description="Announces events of executions whose job has no `alerts`; replaced as a whole."
    )

    @model_validator(mode="after")
    def _is_a_change(self) -> Self:
        if not self.model_fields_set:
            raise InvalidValueError(f"name what to change: {', '.join(type(self).model_fields)}")
        return self

    def tenant_change(self) -> TenantChange:
        # A member of null removes the default; an absent member leaves it as it is.
        sent = self.model_fields_set
        return TenantChange(
            listeners={name: getattr(self, name) for name in ("on_success", "on_failure") if name in sent},
            alerts=alerts_change(self.alerts) if "alerts" in sent else None,
        )


class SettingsOut(Representation):
    """The defaults of a tenant's jobs."""

    model_config = with_examples(examples.SETTINGS_OUT)

    on_success: str | None = Field(description=_SUCCESS)
    on_failure: str | None
    alerts: AlertsOut | None

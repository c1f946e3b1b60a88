"""Schemas of subscriptions to alerts, which jobs and tenants have."""

from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from functions.api.models import CallbackUrl, Representation, Schema, Seconds
from shared.domain.delivery.alerts import (
    ALERTS_DISABLED,
    DEFAULT_RULES,
    JOB_EVENTS,
    MAX_LATE_SECONDS,
    AlertEvent,
    AlertFormat,
    AlertRules,
    Alerts,
)
from shared.domain.delivery.outcome_callbacks import NO_CALLBACK
from shared.usecases.tenancy.account_documents import alerts_document


def each_once(events: Any) -> Any:
    """Validator of a list of events."""
    if isinstance(events, list) and len(events) != len({str(event) for event in events}):
        raise ValueError("each event is named once")
    return events


def _of_jobs(events: frozenset[AlertEvent]) -> frozenset[AlertEvent]:
    if AlertEvent.LIMIT_REACHED in events:
        raise ValueError("limit_reached is an event of a tenant: name it in the alerts of its settings")
    return events


Events = Annotated[
    frozenset[Annotated[AlertEvent, Field(strict=False)]],
    Field(strict=False, min_length=1, max_length=len(AlertEvent)),
    BeforeValidator(each_once),
]
JobEvents = Annotated[
    Events,
    AfterValidator(_of_jobs),
    Field(
        json_schema_extra={
            "items": {"type": "string", "enum": [event.value for event in JOB_EVENTS]},
            "maxItems": len(JOB_EVENTS),
        }
    ),
]
_EVENTS = (
    "`failed`: the execution failed for good. `recovered`: the first success after that. `late`: its first "
    "attempt began more than `late_after_seconds` after it was due. `skipped`: the overlap policy, the start "
    "deadline or the suspension of its tenant skipped it. `gone`: its receiver answered 410, which pauses a "
    "recurring job."
)
LateSeconds = Annotated[Seconds, Field(ge=1, le=MAX_LATE_SECONDS)]


class AlertsIn(Schema):
    """A subscription: the events that are announced, and the URL that is called."""

    url: CallbackUrl = Field(description="`none`: no alerts.")
    events: JobEvents = Field(DEFAULT_RULES.events, description=_EVENTS)
    late_after_seconds: LateSeconds | None = Field(
        None, description="Required with the event `late`, and refused without it."
    )

    format: Annotated[AlertFormat, Field(strict=False)] = Field(
        DEFAULT_RULES.format,
        description='`slack`: a body of `{"text": "..."}`, for incoming webhooks of chats.',
    )

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        _ = self.alerts  # Raises where the rules contradict each other.
        return self

    @cached_property
    def alerts(self) -> Alerts:
        """InvalidValueError for a threshold without its event."""
        rules = AlertRules(events=self.events, late_after_seconds=self.late_after_seconds, format=self.format)
        return ALERTS_DISABLED if self.url == NO_CALLBACK else Alerts(url=self.url, rules=rules)


class TenantAlertsIn(AlertsIn):
    """The subscription of a tenant, which may also name an event of its own."""

    events: Events = Field(
        DEFAULT_RULES.events,
        description=(
            f"{_EVENTS} `limit_reached`: a limit of the tenant refuses new jobs, or makes executions wait; at most one "
            "alert in an hour for each limit."
        ),
    )


class AlertsOut(Representation):
    """A subscription to alerts."""

    url: str = Field(description="`none`: no alerts.")
    events: list[AlertEvent]
    late_after_seconds: int | None
    format: AlertFormat


def alerts_out(alerts: Alerts | None) -> AlertsOut | None:
    """None without a subscription."""
    return None if alerts is None else AlertsOut(**alerts_document(alerts))


def alerts_request(alerts: Alerts | None) -> dict[str, Any] | None:
    """The member that would make the subscription as it is now: the target of a merge patch."""
    if alerts is None or alerts == ALERTS_DISABLED:
        return None if alerts is None else {"url": NO_CALLBACK}
    return {name: value for name, value in alerts_document(alerts).items() if value is not None}


def alerts_change(sent: TenantAlertsIn | None) -> Alerts:
    """The new subscription of a tenant; null removes it."""
    return ALERTS_DISABLED if sent is None else sent.alerts

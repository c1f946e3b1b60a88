"""Alerts: the events that a subscription names, and where they are announced.

A job has a subscription of its own, or that of its tenant. Alerts are apart from the callbacks of outcomes, which
programs depend on: an execution can have both.
"""

from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.delivery.outcome_callbacks import NO_CALLBACK, NO_TARGET, CallbackTarget
from shared.domain.errors import InvalidValueError

ALERTS_CONTEXT = "alerts"
"""The cryptographic context of the keys of URLs."""
MAX_LATE_SECONDS = 86_400
"""The highest threshold of `late`."""


class AlertEvent(StrEnum):
    """What is announced of an execution or of a tenant. The values are those of the API."""

    FAILED = "failed"
    RECOVERED = "recovered"
    """The first success after a failure that was announced."""
    LATE = "late"
    """The first attempt began later after the due time than the threshold allows."""
    SKIPPED = "skipped"
    """The overlap policy, the start deadline or the suspension of its tenant skipped the run."""
    GONE = "gone"
    """The receiver answered 410, which pauses a recurring job."""
    LIMIT_REACHED = "limit_reached"
    """A limit of the tenant refused a creation, or made an execution wait. No job subscribes to it."""


JOB_EVENTS = tuple(event for event in AlertEvent if event is not AlertEvent.LIMIT_REACHED)
"""What is announced of an execution."""


class AlertFormat(StrEnum):
    """The form of an alert's body. The values are those of the API."""

    JSON = "json"
    SLACK = "slack"
    """`{"text": "..."}`, as incoming webhooks of Slack and of other chats take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRules:
    """What a subscription announces, and in which form."""

    events: frozenset[AlertEvent] = frozenset({AlertEvent.FAILED})
    late_after_seconds: int | None = None
    """The threshold of `late`; set if and only if the subscription names the event."""
    format: AlertFormat = AlertFormat.JSON

    def __post_init__(self) -> None:
        """Raises InvalidValueError for a subscription to nothing, and for a threshold without its event."""
        if not self.events:
            raise InvalidValueError("events must name at least one event", path=("events",))
        if AlertEvent.RECOVERED in self.events and AlertEvent.FAILED not in self.events:
            raise InvalidValueError("recovered goes with the event failed", path=("events",))
        seconds = self.late_after_seconds
        if (seconds is not None) != (AlertEvent.LATE in self.events):
            raise InvalidValueError(
                "late_after_seconds goes with the event late, and the event with it",
                path=("late_after_seconds",),
            )
        if seconds is not None and not 1 <= seconds <= MAX_LATE_SECONDS:
            raise InvalidValueError(
                f"late_after_seconds must be 1 to {MAX_LATE_SECONDS}", path=("late_after_seconds",)
            )


DEFAULT_RULES = AlertRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """A subscription as a client sends it. The URL `NO_CALLBACK` disables alerts."""

    url: str
    rules: AlertRules = DEFAULT_RULES


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertTarget:
    """The stored form, with a sealed URL; `NO_TARGET` for disabled alerts."""

    target: CallbackTarget
    key: str = ""
    """Equal for equal URLs of a tenant, and reveals none: alerts are counted by it."""
    rules: AlertRules = DEFAULT_RULES


ALERTS_DISABLED = Alerts(url=NO_CALLBACK)
NO_ALERTS = AlertTarget(target=NO_TARGET)
"""The stored form of `ALERTS_DISABLED`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertWindow:
    """One minute of the alerts to one URL of a tenant."""

    key: str
    minute: int
    """Minutes since the epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedLimit:
    """What an alert tells of a limit of the tenant."""

    quota: str
    """The name that the API has for the limit."""
    limit: int
    reached_at: int
    """When it refused a creation, or made an execution wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """What one notification announces."""

    events: tuple[AlertEvent, ...]
    """In the order of the enumeration."""
    format: AlertFormat = AlertFormat.JSON
    window: AlertWindow | None = None
    """For the summary of a window, which announces the alerts that were suppressed in it."""
    limit: ReachedLimit | None = None
    """For an alert that is about no execution."""

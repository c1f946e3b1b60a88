"""Jobs that subscribe to alerts, and the calls that announce their events."""

from dataclasses import replace
from typing import Any

from shared.domain.delivery.alerts import AlertEvent, AlertRules, Alerts, AlertTarget
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.usecases.requests.seal_request import seal_alerts
from tests.support.builders import DUE_AT, TENANT
from tests.support.fakes.sender import Call
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.notifications import OK, body_of, is_telling
from tests.support.usecases.world import World

ALERTED = "https://told.example/alerts?key=k3"
ONCE = RetryPolicy(max_attempts=1)
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500, body=b"down")
FAILED, RECOVERED, LATE = AlertEvent.FAILED, AlertEvent.RECOVERED, AlertEvent.LATE
SKIPPED, GONE = AlertEvent.SKIPPED, AlertEvent.GONE


class Receiver:
    """Answers the calls of jobs with `answer`, and those of notifications with `told`."""

    def __init__(self, answer: CallbackResponse = DOWN, told: CallbackResponse = OK) -> None:
        self.answer, self.told = answer, told

    def __call__(self, callback: Callback) -> CallbackResponse:
        return self.told if is_announcement(callback) or is_telling(callback) else self.answer

    def world(self) -> World:
        """A deployment with this receiver."""
        return World(DUE_AT, answer_to=self)


def is_announcement(callback: Callback) -> bool:
    """Whether a call announces events."""
    return callback.url.startswith(ALERTED)


def rules(*events: AlertEvent) -> AlertRules:
    """Rules with a threshold of a minute where it is needed."""
    late_after_seconds = 60 if LATE in events else None
    return AlertRules(events=frozenset(events), late_after_seconds=late_after_seconds)


def subscription(world: World, *events: AlertEvent, url: str = ALERTED) -> AlertTarget | None:
    """The stored form of a subscription."""
    return seal_alerts(world.vault, world.tenant, Alerts(url=url, rules=rules(*events or (FAILED,))))


def subscribe_tenant(world: World, alerts: AlertTarget | None) -> None:
    """Set the tenant's default."""
    world.tenants.tenants[TENANT] = replace(world.tenants.tenants[TENANT], alerts=alerts)


def announced(world: World) -> list[Call]:
    """The calls that announce events, in order."""
    return [call for call in world.sender.calls if is_announcement(call.callback)]


def announcements(world: World) -> list[dict[str, Any]]:
    """Their data."""
    return [body_of(call)["data"] for call in announced(world)]


def run_for(world: World, seconds: int) -> None:
    """Everything that has a message runs."""
    Lanes(world).until(world.clock.time_ms + seconds * 1000)

"""What clients write into the descriptions of their jobs."""

from typing import Any

from shared.domain.delivery.alerts import AlertEvent, AlertRules, Alerts
from shared.domain.delivery.async_policy import DEFAULT_ASYNC_POLICY, AsyncPolicy
from shared.domain.delivery.aws_target import AwsTarget, kind_of
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.delivery.sigv4_auth import SigV4Auth
from shared.domain.jobs.new_job import NewJob, Recurring
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import Cron
from shared.domain.schedules.timing import After, Every, Timing
from shared.names import Lane
from tests.simulation.bounds import BACKOFF_FACTOR
from tests.simulation.evidence import LATE_AFTER_SECONDS, Order, role_of
from tests.simulation.habits import FIRST_VERSION, Habits
from tests.simulation.large_requests import padded
from tests.simulation.rhythms import Rhythm

ASYNC_ACCEPTED = AsyncPolicy(deadline_seconds=90, heartbeat_seconds=20)
"""Of jobs whose receivers report later."""


def new_job(order: Order) -> NewJob:
    """The description that a job is created with."""
    if order.rhythm is None:
        return described(order, After(order.delay_seconds or 0), FIRST_VERSION)
    return described(order, recurs(order, order.rhythm, None), FIRST_VERSION)


def recurs(order: Order, rhythm: Rhythm, start_at: int | None) -> Timing:
    """A schedule; a rate is counted from `start_at`, or from the second of the request."""
    end_at = order.habits.end_at if order.habits else None
    if rhythm.every_seconds is not None:
        return Every(rhythm.every_seconds, start_at=start_at, end_at=end_at)
    return Cron(line=rhythm.line, timezone=rhythm.zone, end_at=end_at)


def described(order: Order, timing: Timing, version: int) -> NewJob:
    """A description; calls carry the version where the job is one that is changed."""
    habits = order.habits or Habits()
    return NewJob(
        timing=timing,
        request=_request(order, padded(str(version) if order.habits else "", is_large=order.is_large)),
        lane=Lane(order.lane),
        timeout_seconds=order.timeout_seconds,
        retry=RetryPolicy(
            max_attempts=order.max_attempts,
            base_seconds=order.base_seconds,
            factor=BACKOFF_FACTOR,
            cap_seconds=order.cap_seconds,
            delays_seconds=order.delays_seconds,
            give_up_after_seconds=order.give_up_seconds,
        ),
        jitter_ms=habits.jitter_seconds * 1000,
        recurring=Recurring() if order.rhythm is None else _recurring(habits),
        start_deadline_seconds=habits.start_deadline_seconds,
        async_policy=ASYNC_ACCEPTED if order.async_accepted else DEFAULT_ASYNC_POLICY,
    )


def _request(order: Order, body: bytes) -> Request:
    told: dict[str, Any] = {
        "on_success": order.told_url("succeeded") if "succeeded" in order.told_of else None,
        "on_failure": order.told_url("failed") if "failed" in order.told_of else None,
    }
    alerts = _alerts(order) if order.alerted_of else None
    if not order.is_target:
        auth = (
            SigV4Auth(role=role_of(order.tenant), service="execute-api", region="eu-west-1")
            if order.is_signed
            else None
        )
        return Request(method="POST", url=order.url, body=body, auth=auth, **told, alerts=alerts)
    kind = kind_of(order.arn)
    assert kind is not None
    group = "g" if order.arn.endswith(".fifo") else None
    # No message is empty.
    return Request(
        target=AwsTarget(kind=kind, arn=order.arn, message_group_id=group),
        body=body or b"-",
        **told,
        alerts=alerts,
    )


def _alerts(order: Order) -> Alerts:
    events = frozenset(AlertEvent(event) for event in order.alerted_of)
    late_after = LATE_AFTER_SECONDS if AlertEvent.LATE in events else None
    return Alerts(url=order.alerts_url, rules=AlertRules(events=events, late_after_seconds=late_after))


def _recurring(habits: Habits) -> Recurring:
    return Recurring(
        max_runs=habits.max_runs,
        overlap_policy=OverlapPolicy(habits.overlap_policy),
        catch_up=CatchUpPolicy(
            mode=CatchUp(habits.catch_up), late_tolerance_ms=habits.late_tolerance_seconds * 1000
        ),
    )

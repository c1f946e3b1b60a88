"""The events of an ended execution: told from its record, and only those that the subscription names."""

from typing import Any

import pytest

from shared.domain.delivery.alerts import NO_ALERTS, AlertEvent, AlertRules, AlertTarget
from shared.domain.delivery.callback import Reason
from shared.domain.delivery.outcome_callbacks import CallbackTarget
from shared.domain.executions.alert import alert_events, alerts_for
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from tests.support.builders import DUE_AT, execution_id, in_state, occurrence, one_off, tenant

EVERY = AlertRules(events=frozenset(AlertEvent), late_after_seconds=60)
FAILED, LATE, SKIPPED, GONE = AlertEvent.FAILED, AlertEvent.LATE, AlertEvent.SKIPPED, AlertEvent.GONE


def attempt(number: int = 1, lag_ms: int = 0, status: int = 500) -> AttemptOutcome:
    return AttemptOutcome(
        attempt=number, started_at=DUE_AT + lag_ms, duration_ms=5, status=status, reason=Reason.HTTP_STATUS
    )


def ended(state: State, *outcomes: AttemptOutcome, **fields: Any) -> Execution:
    return in_state(one_off(attempt=len(outcomes)), state, outcomes=outcomes, **fields)


def events(execution: Execution, rules: AlertRules = EVERY) -> tuple[AlertEvent, ...]:
    return alert_events(execution, rules, is_recovery=False)


@pytest.mark.parametrize(
    ("execution", "expected"),
    [
        (ended(State.SUCCEEDED, attempt()), ()),
        (ended(State.FAILED, attempt(), end_reason=EndReason.ATTEMPTS_USED_UP), (FAILED,)),
        (ended(State.FAILED, end_reason=EndReason.WORKER_LOST), (FAILED,)),
        (ended(State.SUCCEEDED, attempt(lag_ms=60_001)), (LATE,)),
        (ended(State.SUCCEEDED, attempt(lag_ms=60_000)), ()),
        (ended(State.FAILED, attempt(lag_ms=60_001)), (FAILED, LATE)),
        (ended(State.SUCCEEDED, attempt(), attempt(2, lag_ms=900_000)), ()),
        (ended(State.SUCCEEDED, attempt(2, lag_ms=900_000)), ()),
        (ended(State.SKIPPED, end_reason=EndReason.OVERLAP), (SKIPPED,)),
        (ended(State.SKIPPED, end_reason=EndReason.LATE), (SKIPPED,)),
        (ended(State.SKIPPED, end_reason=EndReason.COALESCED), ()),
        (ended(State.SKIPPED, end_reason=EndReason.DST_GAP), ()),
        (ended(State.CANCELLED, attempt(lag_ms=1), end_reason=EndReason.CANCELLED), ()),
    ],
)
def test_events_follow_from_the_record(execution: Execution, expected: tuple[AlertEvent, ...]) -> None:
    assert events(execution) == expected


def test_only_a_recurring_job_is_paused_by_a_receiver_that_is_gone() -> None:
    gone = {"outcomes": (attempt(status=410),), "attempt": 1, "end_reason": EndReason.NOT_RETRYABLE}
    assert events(in_state(one_off(), State.FAILED, **gone)) == (FAILED,)
    assert events(in_state(occurrence(), State.FAILED, **gone)) == (FAILED, GONE)
    gave_up = {**gone, "outcomes": (attempt(status=422),)}
    assert events(in_state(occurrence(), State.FAILED, **gave_up)) == (FAILED,)


def test_recovery_is_announced_if_the_subscription_names_it() -> None:
    success = ended(State.SUCCEEDED, attempt(lag_ms=60_001))
    assert alert_events(success, EVERY, is_recovery=True) == (AlertEvent.RECOVERED, LATE)
    assert alert_events(success, AlertRules(), is_recovery=True) == ()


@pytest.mark.parametrize("event", [FAILED, SKIPPED, GONE])
def test_event_that_the_subscription_does_not_name_is_not_announced(event: AlertEvent) -> None:
    rules = AlertRules(events=frozenset({event}))
    failed = in_state(
        occurrence(),
        State.FAILED,
        outcomes=(attempt(status=410),),
        attempt=1,
        end_reason=EndReason.NOT_RETRYABLE,
    )
    skipped = ended(State.SKIPPED, end_reason=EndReason.OVERLAP)
    found = [events(each, rules) for each in (failed, skipped)]
    assert found == [
        (event,) if event is not SKIPPED else (),
        (SKIPPED,) if event is SKIPPED else (),
    ]


OWN, DEFAULT = (
    AlertTarget(target=CallbackTarget(sealed_url=name, destination="0" * 10)) for name in (b"own", b"default")
)


@pytest.mark.parametrize(
    ("own", "default", "expected"),
    [
        (None, None, None),
        (None, DEFAULT, DEFAULT),
        (OWN, DEFAULT, OWN),
        (OWN, None, OWN),
        (NO_ALERTS, DEFAULT, None),
    ],
)
def test_subscription_of_a_job_comes_before_that_of_its_tenant(
    own: AlertTarget | None, default: AlertTarget | None, expected: AlertTarget | None
) -> None:
    assert alerts_for(one_off(alerts=own), tenant(alerts=default)) == expected


def test_notification_has_no_subscription() -> None:
    telling = one_off(alerts=OWN, notification_of=execution_id(77))
    assert alerts_for(telling, tenant(alerts=DEFAULT)) is None

"""ExecutionStore: filing and reading."""

from dataclasses import replace

import pytest

from shared.domain.delivery.alerts import (
    NO_ALERTS,
    Alert,
    AlertEvent,
    AlertFormat,
    AlertRules,
    AlertTarget,
)
from shared.domain.delivery.outcome_callbacks import NO_TARGET, CallbackTarget, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.limit_alert import limit_alert, limit_alert_id
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Cron
from shared.domain.schedules.skipped_range import SkippedRange
from shared.domain.tenancy.quota import Quota
from shared.names import Lane
from tests.support.builders import (
    DUE_AT,
    EXPIRES_AT_S,
    ONE_SHARD,
    TENANT,
    execution_id,
    expiry_for,
    in_every_state,
    in_state,
    job,
    occurrence,
    one_off,
    tenant,
    with_changes,
)
from tests.support.conformance.labs import Lab


def test_filed_execution_is_read_back_whole(lab: Lab) -> None:
    execution = one_off(
        shard=31,
        lane=Lane.BULK,
        name="nightly",
        index_shard=3,
        retry=RetryPolicy(max_attempts=20),
        signing_secret="b" * 64,
    )
    assert lab.executions.put_if_absent(execution) is None
    assert lab.executions.get(execution.id) == execution


@pytest.mark.parametrize(
    "told", [None, NO_TARGET, CallbackTarget(sealed_url=bytes(range(256)), destination="0123456789")]
)
def test_callback_targets_and_the_subject_of_a_notification_are_read_back(
    lab: Lab, told: CallbackTarget | None
) -> None:
    callbacks = OutcomeCallbacks(on_success=told, on_failure=CallbackTarget(sealed_url=b"x", destination=""))
    execution = one_off(callbacks=callbacks, notification_of=execution_id(77))
    lab.executions.put_if_absent(execution)
    assert lab.executions.get(execution.id) == execution


EVERY_RULE = AlertRules(events=frozenset(AlertEvent), late_after_seconds=86_400, format=AlertFormat.SLACK)


@pytest.mark.parametrize(
    "alerts",
    [
        None,
        NO_ALERTS,
        AlertTarget(target=CallbackTarget(sealed_url=b"|" + bytes(range(256)), destination="0123456789")),
        AlertTarget(target=CallbackTarget(sealed_url=b"7|x", destination=""), rules=EVERY_RULE),
    ],
)
def test_subscription_and_announced_events_are_read_back(lab: Lab, alerts: AlertTarget | None) -> None:
    subscribed = one_off(alerts=alerts)
    lab.executions.put_if_absent(subscribed)
    assert lab.executions.get(subscribed.id) == subscribed
    for number, events in enumerate([tuple(AlertEvent), (AlertEvent.GONE,)], start=2):
        made = Alert(events=events, format=list(AlertFormat)[number % 2])
        alert = one_off(number, notification_of=execution_id(77), alert=made)
        lab.executions.put_if_absent(alert)
        assert lab.executions.get(alert.id) == alert


def test_alert_about_a_limit_is_read_back_and_is_no_job(lab: Lab) -> None:
    identity = limit_alert_id(TENANT, Quota.CONCURRENCY, DUE_AT, ONE_SHARD, cell="0")
    to = AlertTarget(target=CallbackTarget(sealed_url=b"x", destination="0123456789"), rules=EVERY_RULE)
    alert = limit_alert(tenant(), Quota.CONCURRENCY, identity, to, limit=10, now_ms=DUE_AT)
    lab.executions.put_if_absent(alert)
    assert lab.executions.get(identity) == alert
    assert not alert.is_own_job


@pytest.mark.parametrize(
    "policy",
    [
        RetryPolicy(give_up_after_seconds=604_800),
        RetryPolicy(max_attempts=20, delays_seconds=(86_400, *range(1, 19))),
        RetryPolicy(max_attempts=2, delays_seconds=(1,), give_up_after_seconds=1),
    ],
)
def test_a_retry_policy_is_read_back_with_its_table_and_its_age(lab: Lab, policy: RetryPolicy) -> None:
    execution = one_off(retry=policy)
    lab.executions.put_if_absent(execution)
    assert lab.executions.get(execution.id) == execution


def test_an_occurrence_is_read_back_with_all_that_its_successor_needs(lab: Lab) -> None:
    rules = "2026f -1,,M3.5.0,M10.5.0/3"
    schedule = Cron(line="*/5 9-17 * * 1-5", timezone="Europe/Berlin", rules=rules)
    execution = occurrence(job(schedule=schedule))
    lab.executions.put_if_absent(execution)
    assert lab.executions.get(execution.id) == execution


def test_an_execution_can_be_filed_in_every_state_and_expires_only_if_it_has_ended(lab: Lab) -> None:
    for execution in in_every_state():
        assert lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution)) is None
        assert lab.executions.get(execution.id) == execution
        assert lab.expiry(execution.id) == (EXPIRES_AT_S if execution.state.is_terminal else None)


def test_a_record_of_skipped_instants_keeps_what_was_missed(lab: Lab) -> None:
    missed = SkippedRange(count=7, first_at=DUE_AT, last_at=DUE_AT + 360_000, resumed_at=DUE_AT + 420_000)
    skipped = occurrence(state=State.SKIPPED, end_reason=EndReason.COALESCED, missed=missed)
    lab.executions.put_if_absent(skipped, expires_at_s=EXPIRES_AT_S)
    assert lab.executions.get(skipped.id) == skipped


def test_a_refused_put_returns_what_stands_there_unchanged(lab: Lab) -> None:
    standing = in_every_state(fingerprint=b"the first writer")
    standing += [in_state(one_off(50), State.FAILED, end_reason=EndReason.WORKER_LOST)]
    for execution in standing:
        lab.executions.put_if_absent(execution, expires_at_s=expiry_for(execution))
    before = lab.contents()
    for execution in standing:
        assert lab.executions.put_if_absent(one_off(id=execution.id)) == execution
    assert lab.contents() == before


def test_filing_the_same_execution_again_changes_nothing(lab: Lab) -> None:
    execution = one_off()
    lab.executions.put_if_absent(execution)
    assert lab.executions.put_if_absent(with_changes(execution, state=State.QUEUED)) == execution


def test_ids_that_differ_in_one_part_are_different_executions(lab: Lab) -> None:
    ids = [
        execution_id(1),
        execution_id(2),
        execution_id(1, shard=1),
        execution_id(1, dispatch_at=DUE_AT + 1),
        execution_id(1, dispatch_at=DUE_AT + 60_000),
    ]
    for each in ids:
        assert lab.executions.put_if_absent(one_off(id=each)) is None
    assert [lab.executions.get(each) for each in ids] == [one_off(id=each) for each in ids]


def test_an_execution_that_was_never_filed_is_not_found(lab: Lab) -> None:
    assert lab.executions.get(execution_id()) is None


def test_an_item_of_a_newer_version_is_neither_read_nor_overwritten(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    lab.make_newer(one_off().id)
    before = lab.contents()
    with pytest.raises(UnknownVersionError):
        lab.executions.get(one_off().id)
    with pytest.raises(UnknownVersionError):
        lab.executions.put_if_absent(one_off())
    assert lab.contents() == before


def test_a_broken_item_is_neither_read_nor_overwritten(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    lab.damage(one_off().id)
    before = lab.contents()
    with pytest.raises(UnreadableItemError) as raised:
        lab.executions.get(one_off().id)
    assert not isinstance(raised.value, UnknownVersionError)
    with pytest.raises(UnreadableItemError):
        lab.executions.put_if_absent(one_off())
    assert lab.contents() == before


def test_hundred_executions_are_read_at_once_without_the_absent_ids(lab: Lab) -> None:
    filed = [one_off(number, due_at=DUE_AT + number * 7_001) for number in range(100)]
    for execution in filed[::3]:
        lab.executions.put_if_absent(execution)
    found = lab.executions.get_many([execution.id for execution in filed])
    assert found == {execution.id: execution for execution in filed[::3]}


def test_empty_read_finds_no_execution(lab: Lab) -> None:
    assert lab.executions.get_many([]) == {}


def test_an_id_that_is_asked_for_twice_is_found_once(lab: Lab) -> None:
    lab.executions.put_if_absent(one_off())
    assert lab.executions.get_many([one_off().id, one_off().id]) == {one_off().id: one_off()}


def test_occurrences_of_two_chains_stand_side_by_side(lab: Lab) -> None:
    first: Job = job()
    second = replace(first, revision=2, chain_revision=2)
    for definition in (first, second):
        assert lab.executions.put_if_absent(occurrence(definition)) is None
    found = lab.executions.get_many([occurrence(first).id, occurrence(second).id])
    assert {execution.revision for execution in found.values()} == {1, 2}

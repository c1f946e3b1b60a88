"""How large items are: every further kilobyte costs three more write units an execution."""

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.dynamodb.codec.execution_fields import TRACE
from shared.adapters.dynamodb.codec.items import execution_item
from shared.domain.bucket import ShardCounts
from shared.domain.delivery.alerts import AlertEvent, AlertRules, AlertTarget
from shared.domain.delivery.callback import Reason
from shared.domain.delivery.outcome_callbacks import CallbackTarget, OutcomeCallbacks
from shared.domain.delivery.request import Request, encode_request
from shared.domain.delivery.trace import Trace
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, Transition
from shared.domain.ids import DEFAULT_CELL, backfill_job_id, recurring_job_id
from shared.domain.jobs.new_backfill import ALL_RUNS, NewBackfill
from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded
from shared.domain.schedules.schedule import Cron
from shared.domain.schedules.zone_changes import with_frozen_rules
from shared.names import Lane
from shared.ports.executions import Claim, Finish
from tests.support.builders import DUE_AT, EXPIRES_AT_S, execution_id, job, one_off, with_changes
from tests.support.conformance.dynamo_lab import DynamoLab

ONE_UNIT = 1_024
SEAL_BYTES = 1 + 12 + 16
REQUEST = encode_request(
    Request(
        method="POST",
        url="https://hooks.example.com/v1/tenants/acme/reports/nightly?format=json",
        headers=(("Content-Type", "application/json"), ("Authorization", "Bearer " + "t" * 40)),
        body=b'{"report": "revenue", "range": "yesterday", "notify": ["ops@example.com"]}',
    )
)
SEALED = bytes(SEAL_BYTES) + REQUEST
TENANT = "a-tenant-with-a-rather-long-identifier"


def item_bytes(item: Mapping[str, Mapping[str, Any]]) -> int:
    """The size of an item by DynamoDB's rules."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, raw),) = value.items()
    if kind == "N":
        return (len(raw.lstrip("-")) + 1) // 2 + 2
    if kind == "B" and isinstance(raw, str):
        return len(b64decode(raw))
    if kind == "M":
        return 3 + sum(len(name) + _value_bytes(member) + 1 for name, member in raw.items())
    return 1 if kind == "BOOL" else len(raw.encode() if isinstance(raw, str) else raw)


def one_off_job() -> Execution:
    return one_off(
        1 << 79,
        shard=1023,
        tenant_id=TENANT,
        request=SEALED,
        destination="0123456789",
        name="Nightly revenue report",
    )


def test_trace_of_a_client_takes_19_bytes_and_no_trace_takes_none() -> None:
    sizes = [item_bytes(execution_item(each, "eu")) for each in (one_off_job(), traced(one_off_job()))]
    assert sizes[1] - sizes[0] == 19
    assert TRACE not in execution_item(one_off_job(), "eu")


def told_one_off() -> Execution:
    """Its failures are told of; the URL stands in its request, too."""
    url = "https://hooks.example.com/v1/tenants/acme/failures"
    told = CallbackTarget(sealed_url=bytes(SEAL_BYTES) + url.encode(), destination="0" * 10)
    told_request = SEALED + f',"f":"{url}"'.encode()
    return with_changes(one_off_job(), request=told_request, callbacks=OutcomeCallbacks(on_failure=told))


def alerted_one_off() -> Execution:
    """It has a subscription of its own; the URL stands in its request, too."""
    url = "https://hooks.example.com/v1/tenants/acme/alerts"
    target = CallbackTarget(sealed_url=bytes(SEAL_BYTES) + url.encode(), destination="0" * 10)
    rules = AlertRules(events=frozenset(AlertEvent), late_after_seconds=300)
    events = ",".join(f'"{event}"' for event in AlertEvent)
    request = SEALED + f',"a":{{"u":"{url}","e":[{events}],"l":300}}'.encode()
    return with_changes(
        one_off_job(), request=request, alerts=AlertTarget(target=target, key="0" * 10, rules=rules)
    )


def named_one_off() -> Execution:
    return with_changes(one_off_job(), signing_secret="billing-and-invoices")


def cron_occurrence() -> Execution:
    definition = job(
        id=recurring_job_id(DUE_AT, 1 << 79, cell=DEFAULT_CELL),
        tenant_id=TENANT,
        request=SEALED,
        destination="0123456789",
        revision=12,
        schedule=with_frozen_rules(
            Cron(line="0,15,30,45 8-18 * * 1-5", timezone="America/Argentina/Buenos_Aires"), DUE_AT, DUE_AT
        ),
        counts=ShardCounts(normal=64, quarter=256, midnight=1024),
    )
    return definition.occurrence(DUE_AT, created_at=DUE_AT - 60_000)


def calendar_occurrence() -> Execution:
    """Its country has as many holidays as most."""
    plain = cron_occurrence()
    assert plain.recurrence is not None
    assert isinstance(plain.recurrence.schedule, Cron)
    schedule = replace(
        plain.recurrence.schedule,
        calendar=CalendarRule(name="DE-BY", when_excluded=WhenExcluded.MODIFIED_FOLLOWING),
    )
    recurrence = replace(plain.recurrence, schedule=with_frozen_rules(schedule, DUE_AT, DUE_AT))
    return replace(plain, recurrence=recurrence)


def backfill_run() -> Execution:
    of = cron_occurrence()
    assert of.recurrence is not None
    assert isinstance(of.recurrence.schedule, Cron)
    schedule = NewBackfill(
        from_at=DUE_AT - 14 * 86_400_000, to_at=DUE_AT - 86_400_000, every_seconds=60
    ).schedule_of(of.recurrence.schedule, DUE_AT, DUE_AT)
    made = job(
        id=backfill_job_id(of.job_id, DUE_AT, 1 << 79),
        tenant_id=TENANT,
        request=SEALED,
        destination="0123456789",
        schedule=schedule,
        counts=of.recurrence.counts,
        catch_up=ALL_RUNS,
        lane=Lane.BULK,
    )
    return replace(made.occurrence(DUE_AT, created_at=DUE_AT - 60_000), run=400)


def traced(execution: Execution) -> Execution:
    """Its client gave a trace."""
    return replace(execution, call=replace(execution.call, trace=Trace("f" * 32, is_sampled=True)))


@pytest.mark.parametrize(
    "execution",
    [
        one_off_job(),
        cron_occurrence(),
        backfill_run(),
        told_one_off(),
        alerted_one_off(),
        named_one_off(),
        traced(one_off_job()),
        traced(cron_occurrence()),
        calendar_occurrence(),
    ],
    ids=[
        *("one-off", "cron", "backfill", "told", "alerted", "named", "one-off in a trace", "cron in a trace"),
        "cron with a calendar",
    ],
)
def test_a_typical_item_takes_one_write_unit_at_each_step(
    engine_lab: DynamoLab, execution: Execution
) -> None:
    assert 290 <= len(REQUEST) <= 330
    sizes = []
    engine_lab.executions.put_if_absent(execution)
    sizes.append(item_bytes(engine_lab.item(execution.id)))
    (running,) = engine_lab.claimer.claim([Claim(execution_id=execution.id, owner="f" * 16)], DUE_AT)
    assert isinstance(running, Execution)
    sizes.append(item_bytes(engine_lab.item(execution.id)))
    outcome = AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=200, status=200, reason=Reason.OK)
    is_told = execution.call.callbacks.on_failure or execution.call.alerts
    telling = execution_id(77) if is_told else None
    engine_lab.executions.finish(
        running,
        Finish(
            transition=Transition.SUCCEED,
            outcomes=(outcome,),
            expires_at_s=EXPIRES_AT_S,
            notification=telling,
        ),
    )
    sizes.append(item_bytes(engine_lab.item(execution.id)))
    assert max(sizes) <= ONE_UNIT, sizes


@pytest.mark.parametrize("execution", [one_off_job(), cron_occurrence()], ids=["one-off", "cron"])
def test_a_failure_with_a_line_of_body_and_two_outcomes_fits_too(
    engine_lab: DynamoLab, execution: Execution
) -> None:
    engine_lab.executions.put_if_absent(execution)
    (running,) = engine_lab.claimer.claim([Claim(execution_id=execution.id, owner="f" * 16)], DUE_AT)
    assert isinstance(running, Execution)
    outcomes = tuple(
        AttemptOutcome(
            attempt=number, started_at=DUE_AT, duration_ms=200, status=503, reason=Reason.HTTP_STATUS
        )
        for number in (1, 2)
    )
    engine_lab.executions.finish(
        running,
        Finish(
            transition=Transition.FAIL,
            outcomes=outcomes,
            last_body=b"x" * 40,
            end_reason=EndReason.ATTEMPTS_USED_UP,
            expires_at_s=EXPIRES_AT_S,
        ),
    )
    size = item_bytes(engine_lab.item(execution.id))
    assert size <= ONE_UNIT, size

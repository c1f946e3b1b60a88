"""Alerts about limits: one in an hour for each limit, of tenants that subscribe, and never in the way of a call."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import HOURLY_MS, MINUTE_MS
from shared.domain.delivery.alerts import AlertEvent, AlertFormat
from shared.domain.errors import NotFoundError, QuotaExceededError, RateLimitedError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.limit_alert import EFFECTS, Effect
from shared.domain.executions.states import State
from shared.domain.listings.filters import JobFilter
from shared.domain.schedules.schedule import format_instant
from shared.domain.schedules.timing import Every
from shared.domain.tenancy.quota import Quota
from shared.names import QueueName
from shared.usecases.filing.file_limit_alert import RETRY_MS
from tests.support.builders import DUE_AT, TENANT
from tests.support.settings import CONSOLE
from tests.support.usecases.alerts import announced, announcements, run_for, subscribe_tenant, subscription
from tests.support.usecases.limited_site import Site
from tests.support.usecases.notifications import body_of
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

REACHED = AlertEvent.LIMIT_REACHED
HOUR = DUE_AT - DUE_AT % HOURLY_MS
QUOTA = Quota.CREATES_PER_SECOND


def subscribed(*events: AlertEvent, **quotas: int) -> Site:
    site = Site(**quotas)
    subscribe_tenant(site, subscription(site, *events or (REACHED,)))
    site.tenant = site.tenants.tenants[TENANT]
    return site


def reach(world: World, quota: Quota = QUOTA) -> None:
    world.cases.core.file_limit_alert.execute(world.tenants.tenants[TENANT], quota)


def another_process(world: World) -> Callable[[Quota], None]:
    cases = use_cases(world.ports(), world.settings)
    return lambda quota: cases.core.file_limit_alert.execute(world.tenants.tenants[TENANT], quota)


def alerts(world: World) -> list[Execution]:
    rows = (row.execution for row in world.table.executions.values())
    return [each for each in rows if each.alert is not None and each.alert.limit is not None]


def test_refused_creation_is_announced_with_the_next_minute() -> None:
    site = subscribed(creates_per_second=0)
    with pytest.raises(RateLimitedError):
        site.check_quota.creates(site.tenants.tenants[TENANT])
    run_for(site, 70)
    (call,) = announced(site)
    assert body_of(call) == {
        "type": "tenant.alert",
        "timestamp": format_instant(DUE_AT),
        "data": {
            "events": ["limit_reached"],
            "limit": "creates_per_second",
            "value": 0,
            "effect": "creations_refused",
            "console_url": f"{CONSOLE}/console#/usage",
            "reached_at": format_instant(DUE_AT),
            "from": format_instant(HOUR),
            "to": format_instant(HOUR + HOURLY_MS),
        },
    }
    (alert,) = alerts(site)
    assert alert.state is State.SUCCEEDED
    assert alert.id.dispatch_at == (DUE_AT // MINUTE_MS + 1) * MINUTE_MS


@pytest.mark.parametrize("quota", [Quota.RECURRING_JOBS, Quota.DUE_PER_MINUTE])
def test_job_that_does_not_fit_announces_the_limit(quota: Quota) -> None:
    site = subscribed(**{quota.value: 0})
    timing = Every(rate_seconds=60) if quota is Quota.RECURRING_JOBS else None
    with pytest.raises(QuotaExceededError):
        site.accept(timing)
    run_for(site, 70)
    assert [each["limit"] for each in announcements(site)] == [quota.value]


@pytest.mark.parametrize(
    ("quota", "limit"), [(Quota.CONCURRENCY, 1), (Quota.CALLS_PER_SECOND, 1)], ids=lambda each: str(each)
)
def test_calls_that_wait_for_the_limit_of_their_tenant_announce_it_after_the_batch(
    quota: Quota, limit: int
) -> None:
    site = subscribed(**{quota.value: limit})
    jobs = site.due(*range(5))
    site.send_for(jobs)
    site.steps.taken.clear()
    report = site.work()
    assert len(report.attempts) == 1
    (alert,) = alerts(site)
    assert alert.alert is not None and alert.alert.limit is not None
    assert (alert.alert.limit.quota, alert.alert.limit.limit) == (quota.value, limit)
    # Nothing of the alert comes before the outcome of the call.
    assert site.steps.taken.index("alert_windows.admit") > site.steps.taken.index("store.finish")
    site.work()
    assert site.steps.count("alert_windows.admit") == 1


def test_limit_of_a_destination_is_not_announced() -> None:
    site = subscribed(destination_concurrency=1)
    site.send_for(site.due(*range(5)))
    assert len(site.work().attempts) == 1
    assert alerts(site) == []


def test_announced_limits_are_those_of_jobs_of_workflows_and_of_calls() -> None:
    refusing = {quota for quota, effect in EFFECTS.items() if effect is Effect.CREATIONS_REFUSED}
    jobs = {Quota.RECURRING_JOBS, Quota.CREATES_PER_SECOND, Quota.DUE_PER_MINUTE}
    assert refusing == jobs | {Quota.WORKFLOWS}
    assert EFFECTS.keys() - refusing == {Quota.CONCURRENCY, Quota.CALLS_PER_SECOND}
    site = subscribed()
    for quota in set(Quota) - EFFECTS.keys():
        reach(site, quota)
    assert site.steps.count("alert_windows.admit") == 0


@pytest.mark.parametrize("events", [None, (AlertEvent.FAILED, AlertEvent.SKIPPED)])
def test_tenant_that_does_not_subscribe_costs_nothing(events: tuple[AlertEvent, ...] | None) -> None:
    site = Site()
    subscribe_tenant(site, subscription(site, *events) if events else None)
    site.steps.taken.clear()
    reach(site)
    assert site.steps.taken == []


def test_limit_is_announced_once_in_an_hour_and_again_in_the_next() -> None:
    site = subscribed()
    others = [another_process(site) for _ in range(3)]
    processes = [lambda quota: reach(site, quota), *others]
    # Each process meets the limit first in another minute.
    for number in range(8):
        site.clock.time_ms = HOUR + number * 7 * MINUTE_MS
        for process in processes[: number + 1]:
            process(QUOTA)
    assert len(alerts(site)) == 1
    assert site.steps.count("alert_windows.admit") == len(processes)
    site.clock.time_ms = HOUR + HOURLY_MS
    reach(site)
    assert len(alerts(site)) == 2


def test_limits_and_tenants_have_alerts_of_their_own() -> None:
    site = subscribed()
    for quota in EFFECTS:
        reach(site, quota)
    other = replace(site.tenants.tenants[TENANT], id="globex")
    site.cases.core.file_limit_alert.execute(other, QUOTA)
    found = [
        (each.tenant_id, each.alert.limit.quota) for each in alerts(site) if each.alert and each.alert.limit
    ]
    assert sorted(found) == sorted([*((TENANT, quota.value) for quota in EFFECTS), ("globex", QUOTA.value)])


@pytest.mark.parametrize("effect", [die, "fail"])
def test_alert_of_a_process_that_dies_at_any_step_is_filed_by_the_next_within_the_minute(effect: Any) -> None:
    steps = subscribed()
    reach(steps)
    for moment in range(2 * len(steps.steps.taken)):
        site = subscribed()

        def act(now: int, _: str, moment: int = moment) -> None:
            if now == moment and effect == "fail":
                raise UnavailableError("injected")
            if now == moment:
                die()

        site.clock.time_ms = HOUR + 1_000
        site.steps.taken.clear()
        site.steps.at_each = act
        with suppress(Crash):
            reach(site)
        site.steps.calm()
        site.clock.time_ms = HOUR + MINUTE_MS - 1
        another_process(site)(QUOTA)
        assert len(alerts(site)) == 1
        run_for(site, 70)
        assert len(announced(site)) == 1


def test_alert_that_could_not_be_filed_is_tried_again_after_a_pause() -> None:
    site = subscribed()
    site.steps.fail("alert_windows.admit")
    reach(site)
    reach(site)
    assert site.steps.count("alert_windows.admit") == 1
    site.clock.time_ms += RETRY_MS
    reach(site)
    assert len(alerts(site)) == 1


def test_calls_go_on_while_no_alert_can_be_filed() -> None:
    site = subscribed(concurrency=2)
    jobs = site.due(*range(6))
    site.send_for(jobs)
    site.steps.fail("alert_windows.admit", times=1_000)
    for _ in range(300):
        site.work()
        site.clock.time_ms += 1_000
    assert site.states(jobs) == {State.SUCCEEDED: 6}


def test_alert_to_a_chat_is_a_text() -> None:
    site = subscribed()
    to = subscription(site, REACHED)
    assert to is not None
    subscribe_tenant(site, replace(to, rules=replace(to.rules, format=AlertFormat.SLACK)))
    reach(site, Quota.CONCURRENCY)
    reach(site, Quota.DUE_PER_MINUTE)
    run_for(site, 70)
    texts = sorted(body_of(call)["text"] for call in announced(site))
    instant = format_instant(DUE_AT)
    page = f"{CONSOLE}/console#/usage"
    most = f"{site.defaults.concurrency:,}", f"{site.defaults.due_per_minute:,}"
    assert texts == [
        f"*concurrency* limit of {most[0]} reached at {instant}: executions wait\n{page}",
        f"*due_per_minute* limit of {most[1]} reached at {instant}: new jobs are refused\n{page}",
    ]


def test_alert_is_no_job_and_has_no_alert_when_it_fails() -> None:
    site = subscribed(REACHED, AlertEvent.FAILED)
    reach(site)
    (alert,) = alerts(site)
    assert alert.notification_of == alert.id
    with pytest.raises(NotFoundError):
        site.find_job.execute(TENANT, alert.job_id)
    page = site.list_jobs.execute(site.tenant, limit=10, criteria=JobFilter())
    assert page.jobs == ()
    assert site.find_execution.execute(TENANT, str(alert.id)) == alert


def test_second_gate_of_a_process_shares_what_it_remembers() -> None:
    site = subscribed(concurrency=1)
    gates = [site.cases.attempts.throttle(queue) for queue in (QueueName.STANDARD, QueueName.CRITICAL)]
    for gate in gates:
        gate._reached.add((TENANT, Quota.CONCURRENCY))
        gate.report([])
    assert site.steps.count("alert_windows.admit") == 1

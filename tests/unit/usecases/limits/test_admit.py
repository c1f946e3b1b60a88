"""ADMIT: what waits for a limit is not claimed, costs nothing to wait, and comes back by itself."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import pytest

from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import OPEN_MS, Circuit
from shared.domain.limits.scopes import MAX_WAIT_MS, Candidate, ScopeState, WaitReason
from shared.domain.limits.slots import LEASE_MS
from shared.names import QueueName
from shared.usecases.attempts.batch_report import Verdict
from shared.usecases.filing.file_execution import wakeup_for
from shared.usecases.limits.admit_calls import STAND_ASIDE_MS
from shared.usecases.limits.throttle_batch import UNSENT_WAIT_SECONDS
from tests.support.builders import DUE_AT, TENANT, in_state, one_off, tenant
from tests.support.usecases.limited_site import HERE, THERE, Site, arrived, held, open_breaker

A = TypeVar("A")
T = TypeVar("T")


def test_a_healthy_destination_without_limits_costs_one_look_at_the_board_and_no_write() -> None:
    site = Site()
    jobs = site.due(*range(20))
    site.send_for(jobs)
    report = site.work()
    assert (len(report.attempts), report.deferred) == (20, [])
    assert (site.limits.writes, site.limits.requests, site.budgets.writes) == (0, 1, 0)


def test_no_more_calls_of_a_tenant_at_once_than_its_quota_and_the_rest_waits_untouched() -> None:
    site = Site(concurrency=3)
    jobs = site.due(*range(10))
    site.send_for(jobs)
    report = site.work()
    assert len(report.attempts) == 3
    assert held(report) == {WaitReason.TENANT_CONCURRENCY: 7}
    assert all(one.verdict is Verdict.DONE for one in report.settled), "a fresh message takes over"
    assert site.states(jobs) == {State.SUCCEEDED: 3, State.QUEUED: 7}
    waiting = [job for job in jobs if site.standing(job.id).state is State.QUEUED]
    assert [site.standing(job.id) for job in waiting] == waiting, "nothing of them was written"
    assert {one.wakeup.waited for one in site.queue.messages} == {1}
    assert all(DUE_AT + 1_000 <= one.wakeup.not_before <= DUE_AT + 2_000 for one in site.queue.messages)


def test_deferred_execution_is_called_without_loss_of_an_attempt_or_receive() -> None:
    site = Site(concurrency=1)
    jobs = site.due(*range(6))
    site.send_for(jobs)
    for _ in range(200):
        report = site.work()
        assert all(one.verdict is Verdict.DONE for one in report.settled)
        site.clock.time_ms += 1_000
    assert site.states(jobs) == {State.SUCCEEDED: 6}
    assert {site.standing(job.id).attempt for job in jobs} == {1}


def test_a_report_says_which_of_its_attempts_had_to_wait() -> None:
    site = Site(concurrency=2)
    site.send_for(site.due(*range(3)))
    first = site.work()
    assert (len(first.attempts), first.waited) == (2, set())
    (waiting,) = (key for message in site.queue.messages for key in message.wakeup.keys)
    site.clock.time_ms += 2_000
    second = site.work()
    assert ([one.execution.id for one in second.attempts], second.waited) == ([waiting], {waiting})


def test_all_processes_together_keep_to_the_limit_while_their_calls_go_on() -> None:
    site = Site(concurrency=5)
    site.send_for(site.due(*range(4)))
    first = site.another()
    first.defer([])
    limits = first.admit.limits
    candidates = site.due(*range(4))
    assert first.defer([arrived(site, one) for one in candidates]) == {}
    assert sum(lease.slots for lease in site.limits.states[f"t#{TENANT}"].leases) == 4
    second = site.another()
    others = site.due(*range(10, 14))
    assert len(second.defer([arrived(site, one) for one in others])) == 3
    assert sum(lease.slots for lease in site.limits.states[f"t#{TENANT}"].leases) == 5
    assert limits.own_slots(f"t#{TENANT}") == 4


def test_a_process_that_died_gives_its_slots_back_when_its_lease_ends() -> None:
    site = Site(concurrency=2)
    dead = site.another()
    assert dead.defer([arrived(site, one) for one in site.due(1, 2)]) == {}
    (waiting,) = site.due(3)
    site.clock.time_ms += LEASE_MS - 1
    assert len(site.another().defer([arrived(site, waiting)])) == 1
    site.clock.time_ms += 1
    assert site.another().defer([arrived(site, waiting)]) == {}


def test_waiting_writes_nothing_however_often_it_is_looked_at() -> None:
    site = Site(concurrency=1)
    other = site.another()
    assert other.defer([arrived(site, one) for one in site.due(99)]) == {}
    site.send_for(site.due(*range(10)))
    site.work()
    before, polls = site.limits.writes, 0
    for _ in range(50):
        site.clock.time_ms += 1_000
        polls += len(site.work().deferred)
    assert polls > 30
    assert site.limits.writes - before <= 1, "only the hot-scope note, once a minute"
    assert site.budgets.writes == 0


def test_no_more_calls_of_a_tenant_in_a_second_than_its_quota_and_waiting_writes_nothing() -> None:
    site = Site(calls_per_second=3)
    jobs = site.due(*range(20))
    site.send_for(jobs)
    begun: Counter[int] = Counter()
    for _ in range(120):
        report = site.work()
        begun[site.clock.time_ms // 1000] += len(report.attempts)
        assert set(held(report)) <= {WaitReason.TENANT_RATE}
        site.clock.time_ms += 250
    assert max(begun.values()) <= 3
    assert site.states(jobs)[State.SUCCEEDED] == 20
    assert site.budgets.writes <= 2 * sum(map(bool, begun.values()))


def test_every_destination_of_a_tenant_has_its_own_concurrency_limit() -> None:
    site = Site(destination_concurrency=2)
    site.send_for(site.due(*range(5)) + site.due(*range(10, 15), to=THERE))
    report = site.work()
    assert Counter(one.execution.call.destination for one in report.attempts) == {HERE: 2, THERE: 2}
    assert held(report) == {WaitReason.DESTINATION_CONCURRENCY: 6}


def test_every_destination_of_a_tenant_has_its_own_rate_limit() -> None:
    site = Site(destination_calls_per_second=2)
    site.send_for(site.due(*range(5)) + site.due(*range(10, 15), to=THERE))
    report = site.work()
    assert Counter(one.execution.call.destination for one in report.attempts) == {HERE: 2, THERE: 2}
    assert held(report) == {WaitReason.DESTINATION_RATE: 6}


def test_a_message_without_a_destination_is_limited_by_its_tenant_alone() -> None:
    site = Site(destination_concurrency=1)
    site.send_for(site.due(*range(5), to=""))
    assert len(site.work().attempts) == 5


def test_deferred_jobs_go_first_and_new_jobs_wait_once_behind_them() -> None:
    site = Site(concurrency=2)
    old = site.due(*range(4))
    site.send_for(old)
    site.work()
    site.clock.time_ms += 2_000
    new = site.due(*range(10, 14))
    site.send_for(new)
    report = site.work()
    assert {one.execution.id.entropy for one in report.attempts} <= {job.id.entropy for job in old}
    assert len(report.attempts) == 2
    assert site.states(new) == {State.QUEUED: 4}


def test_waits_grow_and_are_drawn_so_that_those_who_wait_do_not_come_as_one_wave() -> None:
    site = Site(concurrency=1)
    site.clock.time_ms += 4 * MAX_WAIT_MS
    assert site.another().defer([arrived(site, one) for one in site.due(99)]) == {}
    (job,) = site.due(1)
    waits: dict[int, set[int]] = {}
    for waited in (0, 1, 10, 99):
        for _ in range(40):
            (deferral,) = site.another().defer([arrived(site, job, waited=waited)]).values()
            waits.setdefault(waited, set()).add(deferral.deferral.wait_ms)
    assert all(len(drawn) > 30 for drawn in waits.values())
    assert (min(waits[0]) >= 1_000, max(waits[0]) <= 2_000, max(waits[99]) <= MAX_WAIT_MS) == (True,) * 3
    assert min(waits[10]) >= 2_400
    assert min(waits[99]) >= MAX_WAIT_MS // 2


@pytest.mark.parametrize(("ends_at", "least_ms", "most_ms"), [(None, 1_000, 2_000), (1, 225_000, 450_000)])
def test_copy_of_the_sweeper_waits_as_long_as_its_original_and_a_merely_late_key_does_not(
    ends_at: int | None, least_ms: int, most_ms: int
) -> None:
    site = Site(concurrency=1)
    assert site.another().defer([arrived(site, one) for one in site.due(99)]) == {}
    site.clock.time_ms += 3_600_000
    assert site.another().defer([arrived(site, one) for one in site.due(98)]) == {}
    (job,) = site.due(1)
    for _ in range(20):
        (deferral,) = site.another().defer([arrived(site, job, ends_at=ends_at)]).values()
        assert least_ms <= deferral.deferral.wait_ms <= most_ms


def test_limits_do_not_apply_where_the_store_does_not_answer_and_errors_are_counted() -> None:
    site = Site(concurrency=1, calls_per_second=1)
    for call in ("limits.read", "limits.swap", "limits.hot_scopes", "budgets.take", "budgets.usage"):
        site.steps.fail(call, times=50)
    jobs = site.due(*range(10))
    site.send_for(jobs)
    assert len(site.work().attempts) == 10
    assert site.run_attempts.gate.take_store_errors() > 0


def test_a_fault_of_ours_in_the_limits_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(concurrency=1)
    monkeypatch.setattr(
        site.limits, "hot_scopes", lambda parts: {part: {f"d#{HERE}": "not a number"} for part in parts}
    )
    jobs = site.due(1, 2)
    site.send_for(jobs)
    assert len(site.work().attempts) == 2


def test_a_deferral_that_cannot_be_sent_leaves_its_message_where_it_is() -> None:
    site = Site(concurrency=1)
    jobs = site.due(1, 2)
    site.send_for(jobs)
    site.queue.fail_once(*(job.id for job in jobs))
    report = site.work()
    assert sorted(one.verdict.name for one in report.settled) == ["DONE", "RETURN"]
    assert {one.visible_after_seconds for one in report.settled} == {0, UNSENT_WAIT_SECONDS}


def test_a_longer_wait_that_cannot_be_sent_is_waited_in_full() -> None:
    site = Site()
    open_breaker(site, DUE_AT + 200_500)
    jobs = site.due(1)
    site.send_for(jobs)
    site.queue.fail_once(jobs[0].id)
    (settled,) = site.work().returned()
    assert 201 <= settled.visible_after_seconds <= 261


def test_a_move_that_cannot_be_sent_does_not_use_up_its_receives_in_a_moment() -> None:
    """As while a queue is missing, or may not be sent to: five of them are more than a minute."""
    site = Site()
    site.limits.states[f"d#{HERE}"] = ScopeState(version=1, circuit=Circuit(slow=True))
    site.limits.hot[f"d#{HERE}"] = DUE_AT + 600_000
    jobs = site.due(1)
    site.send_for(jobs)
    site.queue.fail_once(jobs[0].id)
    (settled,) = site.work().returned()
    assert settled.visible_after_seconds == UNSENT_WAIT_SECONDS
    assert site.states(jobs) == {State.QUEUED: 1}


def test_deferred_keys_of_a_message_stay_in_a_single_message_with_their_destinations() -> None:
    site = Site(concurrency=2)
    jobs = site.due(*range(6))
    wakeups = [wakeup_for(job) for job in jobs]
    site.file.send(
        [replace(wakeups[0], keys=tuple(job.id for job in jobs), destinations=(HERE,) * 5 + (THERE,))]
    )
    site.work()
    (message,) = site.queue.messages
    assert message.wakeup.keys == tuple(job.id for job in jobs[2:])
    assert message.wakeup.destinations == (HERE,) * 3 + (THERE,)


def test_a_message_of_a_sweep_that_would_wait_too_long_ends() -> None:
    site = Site()
    open_breaker(site)
    (job,) = site.due(1)
    for ends_at, left in ((DUE_AT + OPEN_MS, 0), (DUE_AT + 900_000, 1)):
        site.file.send([replace(wakeup_for(job), ends_at=ends_at)])
        report = site.work()
        assert [one.verdict for one in report.settled] == [Verdict.DONE]
        assert len(site.queue.messages) == left


def test_a_start_deadline_holds_though_a_job_has_waited() -> None:
    site = Site()
    open_breaker(site)
    (job,) = site.due(1)
    late = site.put(replace(job, start_deadline_at=DUE_AT + 1_000))
    site.send_for([late])
    site.work()
    site.clock.time_ms += 60_000
    site.work()
    assert site.standing(job.id).state is State.SKIPPED
    assert site.sender.calls == []


def test_a_process_that_knows_of_nobody_waiting_lets_who_has_waited_go_first_and_then_the_older() -> None:
    site = Site(concurrency=2)
    young, old, waited = (
        site.put(site.one_off(number, due_at=DUE_AT - ago_ms, destination=HERE, state=State.QUEUED))
        for number, ago_ms in ((1, 0), (2, 500), (3, 0))
    )
    held_back = site.another().defer(
        [arrived(site, young), arrived(site, old), arrived(site, waited, waited=1)]
    )
    assert set(held_back) == {young.id}


def test_tokens_used_up_by_another_process_cost_a_read_and_no_write() -> None:
    site = Site(calls_per_second=3)
    assert site.another().defer([arrived(site, one) for one in site.due(1, 2, 3)]) == {}
    written = site.budgets.writes
    assert len(site.another().defer([arrived(site, one) for one in site.due(4, 5)])) == 2
    assert site.budgets.writes == written


def test_new_call_waits_briefly_behind_deferred_calls_though_slots_are_free() -> None:
    site = Site(concurrency=2)
    site.send_for(site.due(*range(4)))
    site.work()
    site.queue.messages.clear()
    site.send_for(site.due(10))
    assert held(site.work()) == {WaitReason.TENANT_CONCURRENCY: 1}
    site.queue.messages.clear()
    site.clock.time_ms += STAND_ASIDE_MS
    site.send_for(site.due(11))
    assert len(site.work().attempts) == 1


class NotedSpread:
    """Makes calls one after another, and notes how many could have been made at once."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, function: Callable[[A], T], items: Sequence[A]) -> list[T]:
        self.sizes.append(len(items))
        return [function(item) for item in items]


def candidate(number: int, tenant_id: str) -> Candidate:
    return Candidate(key=one_off(number).id, tenant_id=tenant_id, destination="", waited=0, due_at=0)


@pytest.mark.parametrize("is_deferred", [False, True])
def test_postponed_run_comes_behind_those_that_were_due_before_it(*, is_deferred: bool) -> None:
    site = Site(concurrency=1)
    postponed = in_state(one_off(1, due_at=DUE_AT - 600_000), State.WAITING, next_attempt_at=DUE_AT)
    earlier = one_off(2, due_at=DUE_AT - 60_000)
    messages = [arrived(site, site.put(each), waited=int(is_deferred)) for each in (postponed, earlier)]
    if is_deferred:
        messages = [
            replace(each, wakeup=replace(each.wakeup, wait=wait), wait=wait)
            for each in messages
            for wait in [replace(each.wait, visible_at=each.wakeup.not_before)]
        ]
    assert site.run_attempts.gate.defer(messages).keys() == {postponed.id}


def test_unknown_tenants_of_a_batch_are_read_at_once_and_then_cached() -> None:
    """Ten reads one after another stood between a due time and its claim."""
    site, names = Site(), [f"tenant{number}" for number in range(10)]
    site.tenants.tenants |= {name: tenant(id=name) for name in names}
    admit = site.another().admit
    admit.spread = spread = NotedSpread()
    batch = [candidate(number, name) for number, name in enumerate(names)]
    assert admit.execute(batch, QueueName.STANDARD) == {}
    assert admit.execute(batch, QueueName.STANDARD) == {}
    assert (spread.sizes, site.steps.count("tenants.get")) == ([10, 0], 10)


def test_tenant_that_cannot_be_read_leaves_the_limits_of_the_others() -> None:
    site = Site(concurrency=1)
    admit = site.another().admit
    admit.read_tenant.execute(TENANT)
    site.steps.fail("tenants.get")
    batch = [candidate(9, "unread"), *(candidate(number, TENANT) for number in range(3))]
    deferred = admit.execute(batch, QueueName.STANDARD)
    assert len(deferred) == 2
    assert batch[0].key not in deferred

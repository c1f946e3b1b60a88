"""ADMIT by what is known of a destination: its breaker, its adaptive limit, and whether it answers slowly."""

import pytest

from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import OPEN_MS, PROBE_MS, TRIP_AFTER, Circuit
from shared.domain.limits.hot_scopes import MAX_IN_PART, SHARE_DIVISOR, part_of, tag_with_tenant
from shared.domain.limits.scopes import MAX_WAIT_MS, ScopeState, WaitReason
from shared.names import QueueName
from shared.usecases.filing.file_execution import wakeup_for
from tests.support.builders import DUE_AT, TENANT, with_changes
from tests.support.usecases.limited_site import (
    BUSY,
    DOWN,
    HERE,
    OK,
    THERE,
    Site,
    arrived,
    held,
    open_breaker,
)


def test_open_breaker_defers_all_calls_with_jitter_behind_its_end() -> None:
    site = Site()
    open_breaker(site)
    jobs = site.due(*range(30))
    for job in jobs:
        site.send_for([job])
        assert held(site.work()) == {WaitReason.BREAKER_OPEN: 1}
    assert site.states(jobs) == {State.QUEUED: 30}
    back = [one.wakeup.not_before for one in site.queue.messages]
    assert min(back) >= DUE_AT + OPEN_MS
    assert max(back) - min(back) > 2_000


def test_key_that_has_waited_for_hours_does_not_ask_at_each_opening_of_a_breaker() -> None:
    site = Site()
    open_breaker(site)
    (job,) = site.due(1)
    (deferral,) = site.another().defer([arrived(site, job, waited=69)]).values()
    assert deferral.deferral.wait_ms >= MAX_WAIT_MS // 2


def test_open_breaker_does_not_hold_back_another_destination_of_the_tenant() -> None:
    site = Site()
    open_breaker(site)
    site.send_for(site.due(1) + site.due(2, to=THERE))
    assert [one.execution.call.destination for one in site.work().attempts] == [THERE]


def test_a_half_open_breaker_lets_one_call_probe_and_one_answer_closes_it() -> None:
    site = Site()
    open_breaker(site, until=DUE_AT)
    jobs = site.due(*range(5))
    site.send_for(jobs)
    assert len(site.work().attempts) == 1
    circuit = site.limits.states[f"d#{HERE}"].circuit
    assert (circuit.open_until, circuit.failures) == (0, 0)
    for _ in range(60):
        site.clock.time_ms += 1_000
        site.work()
    assert site.states(jobs) == {State.SUCCEEDED: 5}


def test_only_a_single_process_probes_and_a_crashed_probe_is_replaced() -> None:
    site = Site()
    open_breaker(site, until=DUE_AT)
    jobs = site.due(1, 2)
    assert site.another().defer([arrived(site, jobs[0])]) == {}
    assert len(site.another().defer([arrived(site, jobs[1])])) == 1
    site.clock.time_ms += PROBE_MS
    assert site.another().defer([arrived(site, jobs[1])]) == {}


def test_a_probe_for_something_that_had_ended_already_is_left_to_the_next() -> None:
    site = Site()
    open_breaker(site, until=DUE_AT)
    (ended,) = site.due(1)
    site.put(with_changes(ended, state=State.SUCCEEDED))
    site.file.send([wakeup_for(ended)])
    site.work()
    (job,) = site.due(2)
    site.clock.time_ms += 1_000
    site.send_for([job])
    assert len(site.work(site.another()).attempts) == 1


def test_failures_open_the_breaker_for_everybody_and_the_board_says_so() -> None:
    site = Site()
    site.answer = DOWN
    site.send_for(site.due(*range(TRIP_AFTER)))
    site.work()
    assert site.limits.states[f"d#{HERE}"].circuit.open_until == site.clock.now_ms() + OPEN_MS
    assert site.run_attempts.gate.settle_limits.take_opened() == 1
    site.send_for(site.due(50))
    report = site.work(site.another())
    assert WaitReason.BREAKER_OPEN in held(report)


@pytest.mark.parametrize(("whose", "is_shared"), [(TENANT, False), ("globex", True)])
def test_a_tenant_that_has_all_its_places_on_the_board_gets_no_more(whose: str, is_shared: bool) -> None:
    site = Site()
    site.answer = DOWN
    part = part_of(f"d#{HERE}")
    others = [f"d#{number}" for number in range(1_000) if part_of(f"d#{number}") == part]
    site.limits.hot = {
        scope: tag_with_tenant(DUE_AT + 600_000, whose, part)
        for scope in others[: MAX_IN_PART // SHARE_DIVISOR]
    }
    site.send_for(site.due(*range(TRIP_AFTER)))
    site.work()
    assert (f"d#{HERE}" in site.limits.hot) is is_shared
    site.send_for(site.due(50))
    assert WaitReason.BREAKER_OPEN in held(site.work()), "whoever heard of it goes by it"


def test_a_failure_or_two_are_nobodys_business() -> None:
    site = Site()
    site.answer = DOWN
    site.send_for(site.due(1, 2))
    site.work()
    assert site.limits.writes == 0


def test_an_overloaded_destination_is_called_less_at_once() -> None:
    site = Site()
    site.answer = BUSY
    site.send_for(site.due(1))
    site.work()
    assert site.limits.states[f"d#{HERE}"].circuit.limit == 32
    site.answer = OK
    site.limits.states[f"d#{HERE}"] = ScopeState(version=1, circuit=Circuit(limit=2, limited_at=DUE_AT))
    site.clock.time_ms += 4_000
    site.send_for(site.due(*range(10, 15)))
    report = site.work(site.another())
    assert (len(report.attempts), held(report)) == (2, {WaitReason.DESTINATION_CONCURRENCY: 3})


@pytest.mark.parametrize("queue", QueueName)
def test_slow_destination_is_called_from_the_slow_path_of_its_queue(queue: QueueName) -> None:
    site = Site()
    site.limits.states[f"d#{HERE}"] = ScopeState(version=1, circuit=Circuit(slow=True))
    site.limits.hot[f"d#{HERE}"] = DUE_AT + 600_000
    site.send_for(site.due(1))
    report = site.work(site.another(queue))
    gone_on = [one.wakeup.queue for one in site.queue.messages]
    assert gone_on == ([] if queue.is_slow else [QueueName[f"SLOW_{queue.name}"]])
    assert len(report.attempts) == queue.is_slow


def test_a_slow_destination_goes_on_through_the_slow_path_at_once_and_nothing_is_written_for_it() -> None:
    site = Site()
    site.limits.states[f"d#{HERE}"] = ScopeState(version=1, circuit=Circuit(slow=True))
    site.limits.hot[f"d#{HERE}"] = DUE_AT + 600_000
    jobs = site.due(1, 2)
    site.send_for(jobs)
    report = site.work()
    assert (held(report), site.limits.writes) == ({WaitReason.SLOW: 2}, 0)
    assert {(one.wakeup.queue, one.wakeup.waited) for one in site.queue.messages} == {
        (QueueName.SLOW_STANDARD, 0)
    }
    slow = site.work(site.another(QueueName.SLOW_STANDARD))
    assert len(slow.attempts) == 2
    assert not site.limits.states[f"d#{HERE}"].circuit.slow, "it answered quickly"
    site.clock.time_ms += 3_000
    site.send_for(site.due(3))
    assert len(site.work(site.another()).attempts) == 1

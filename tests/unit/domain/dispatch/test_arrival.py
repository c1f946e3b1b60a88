"""How a wake-up reached a worker: the cause that is kept, and the stages that follow."""

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.dispatch.arrival import Arrival, WaitSoFar
from shared.domain.executions.stages import STORED, AttemptStages, WaitCause, duration_of
from tests.support.builders import DUE_AT

UNDEFERRED = WaitSoFar(visible_at=DUE_AT, received_at=DUE_AT + 20)
OK = CallbackResponse(reason=Reason.OK, duration_ms=90, status=200, connect_ms=12, head_ms=80)


def durations(stages: AttemptStages) -> list[int | None]:
    return [stages.duration_ms(stage) for stage in STORED]


def test_wait_keeps_the_cause_of_the_longest_deferral() -> None:
    rated = UNDEFERRED.deferred(WaitCause.TENANT_RATE, 2_000)
    opened = rated.deferred(WaitCause.BREAKER_OPEN, 10_000)
    assert [wait.cause for wait in (UNDEFERRED, rated, opened)] == [
        None,
        WaitCause.TENANT_RATE,
        WaitCause.BREAKER_OPEN,
    ]
    assert opened.deferred(WaitCause.TENANT_RATE, 2_000) == opened


def test_waits_for_one_cause_add_up() -> None:
    rated = UNDEFERRED
    for _ in range(6):
        rated = rated.deferred(WaitCause.TENANT_RATE, 2_000)
    assert (rated.cause, rated.cause_ms) == (WaitCause.TENANT_RATE, 12_000)
    assert rated.deferred(WaitCause.BREAKER_OPEN, 10_000).cause is WaitCause.TENANT_RATE


def test_move_to_another_queue_is_a_cause_where_there_is_no_other() -> None:
    assert UNDEFERRED.deferred(WaitCause.LATE, 0).cause is WaitCause.LATE
    waited = UNDEFERRED.deferred(WaitCause.TENANT_RATE, 2_000)
    assert waited.deferred(WaitCause.SLOW, 0).cause is WaitCause.TENANT_RATE


def test_deferral_keeps_the_first_receive() -> None:
    later = UNDEFERRED.deferred(WaitCause.SLOW, 5)
    assert (later.visible_at, later.received_at) == (DUE_AT, DUE_AT + 20)


def test_stages_of_an_arrival_are_measured_from_the_first_receive() -> None:
    wait = UNDEFERRED.deferred(WaitCause.BREAKER_OPEN, 41_000)
    arrival = Arrival(wait=wait, receive_count=1, admitted_at=DUE_AT + 41_020)
    stages = arrival.stages(DUE_AT, DUE_AT + 41_030, DUE_AT + 41_033, OK)
    assert durations(stages) == [duration_of(code) for code in stages.codes]
    assert abs((durations(stages)[1] or 0) - 41_000) <= 0.032 * 41_000
    assert durations(stages)[3] == 3
    assert stages.cause is WaitCause.BREAKER_OPEN


def test_early_message_leaves_no_stage_before_the_due_time() -> None:
    early = WaitSoFar(visible_at=DUE_AT - 900, received_at=DUE_AT - 880)
    arrival = Arrival(wait=early, receive_count=1, admitted_at=DUE_AT - 870)
    stages = arrival.stages(DUE_AT, DUE_AT - 850, DUE_AT + 4, OK)
    assert durations(stages)[:4] == [0, 0, 0, 4]


def test_call_without_a_connection_leaves_its_stages_unknown() -> None:
    failed = CallbackResponse(reason=Reason.DNS_FAILED, duration_ms=5)
    arrival = Arrival(wait=UNDEFERRED, receive_count=1, admitted_at=DUE_AT + 30)
    assert durations(arrival.stages(DUE_AT, DUE_AT + 40, DUE_AT + 41, failed))[4:] == [None, None]

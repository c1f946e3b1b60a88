"""SETTLE limits: what a process heard before an outage never stands for what it hears in it."""

import pytest

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.limits.circuit_breaker import PROBED_LIMIT, TRIP_AFTER, Circuit, Phase
from shared.domain.limits.scopes import Candidate, ScopeState, WaitReason, destination_scope
from shared.domain.tenancy.quota import Quota
from shared.names import QueueName
from shared.usecases.limits.limit_cache import LimitCache
from shared.usecases.limits.settle_limits import TROUBLE_MS
from shared.usecases.limits.throttle_batch import ThrottleBatch
from tests.support.builders import DUE_AT, TENANT, execution_id
from tests.support.fakes.budgets import GENEROUS
from tests.support.usecases.gates import gate
from tests.support.usecases.ports import FakePorts

DESTINATION = "0123456789"
SCOPE = destination_scope(DESTINATION)
CALL = Candidate(key=execution_id(1), tenant_id=TENANT, destination=DESTINATION, waited=1, due_at=0)
GOOD = CallbackResponse(reason=Reason.OK, status=200, duration_ms=20)
REFUSED = CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=5)
SLOW = CallbackResponse(reason=Reason.OK, status=200, duration_ms=6_000)
STEP_MS = 3_000


def test_a_breaker_opens_for_a_destination_that_worked_before() -> None:
    ports = FakePorts(DUE_AT)
    worker = gate(ports, QueueName.STANDARD, GENEROUS)
    worker.settle_limits.execute([(DESTINATION, GOOD)])
    for _ in range(30):
        ports.clock.time_ms += STEP_MS
        worker.settle_limits.execute([(DESTINATION, REFUSED)])
    assert worker.settle_limits.take_opened() > 0


def refuse(ports: FakePorts, worker: ThrottleBatch) -> None:
    """A batch of one call: it is let through, and refused at once."""
    ports.clock.time_ms += STEP_MS
    assert worker.admit.execute([CALL], QueueName.STANDARD) == {}
    worker.settle_limits.execute([(DESTINATION, REFUSED)])


def test_a_breaker_opens_for_a_limited_destination_too_though_each_batch_is_over_at_once() -> None:
    """What was heard goes into the write that gives the slots back."""
    ports = FakePorts(DUE_AT)
    worker = gate(ports, QueueName.STANDARD, GENEROUS.overridden_by({Quota.DESTINATION_CONCURRENCY: 2}))
    for _ in range(TRIP_AFTER):
        refuse(ports, worker)
    assert worker.settle_limits.take_opened() == 1
    assert ports.limits.writes == 2 * TRIP_AFTER + 1, (
        "two for the slots of each batch, one for the hot-scope note"
    )


def test_the_limit_of_a_destination_that_answers_again_grows_where_few_calls_are_made() -> None:
    ports = FakePorts(DUE_AT)
    worker = gate(ports, QueueName.STANDARD, GENEROUS)
    probed = Circuit(trips=1, limit=PROBED_LIMIT, limited_at=DUE_AT)
    ports.limits.states[SCOPE] = ScopeState(version=1, circuit=probed)
    ports.limits.hot[SCOPE] = DUE_AT + TROUBLE_MS
    for _ in range(3):
        ports.clock.time_ms += STEP_MS
        assert worker.admit.execute([CALL], QueueName.STANDARD) == {}
        worker.settle_limits.execute([(DESTINATION, GOOD)])
    assert ports.limits.states[SCOPE].circuit.limit == PROBED_LIMIT + 3


def test_a_few_failures_among_answers_open_nothing() -> None:
    ports = FakePorts(DUE_AT)
    worker = gate(ports, QueueName.STANDARD, GENEROUS)
    for _ in range(30):
        ports.clock.time_ms += STEP_MS
        worker.settle_limits.execute([(DESTINATION, REFUSED), (DESTINATION, GOOD), (DESTINATION, REFUSED)])
    assert worker.settle_limits.take_opened() == 0


@pytest.mark.parametrize(
    ("heard_by_others", "heard_here", "reason"),
    [([SLOW] * 3, [SLOW], WaitReason.SLOW), ([REFUSED] * 10, [GOOD], WaitReason.BREAKER_OPEN)],
)
def test_an_answer_to_a_call_from_before_the_trouble_does_not_end_it(
    heard_by_others: list[CallbackResponse], heard_here: list[CallbackResponse], reason: WaitReason
) -> None:
    """The call was let through when nothing was known of its destination, and is answered when it is in trouble."""
    ports = FakePorts(DUE_AT)
    worker, other, third = (gate(ports, QueueName.STANDARD, GENEROUS) for _ in ("a", "b", "c"))
    assert worker.admit.execute([CALL], QueueName.STANDARD) == {}
    other.settle_limits.execute([(DESTINATION, answer) for answer in heard_by_others])
    assert SCOPE in ports.limits.hot
    ports.clock.time_ms += STEP_MS
    worker.settle_limits.execute([(DESTINATION, answer) for answer in heard_here])
    assert SCOPE in ports.limits.hot
    assert third.admit.execute([CALL], QueueName.STANDARD)[CALL.key].reason is reason


def test_a_destination_that_is_quick_again_goes_off_the_board() -> None:
    ports = FakePorts(DUE_AT)
    worker, other = (gate(ports, QueueName.STANDARD, GENEROUS) for _ in ("a", "b"))
    other.settle_limits.execute([(DESTINATION, SLOW)] * 3)
    ports.clock.time_ms += STEP_MS
    worker.settle_limits.execute([(DESTINATION, GOOD)])
    assert SCOPE not in ports.limits.hot


def test_unreadable_scope_is_not_taken_for_healthy() -> None:
    ports = FakePorts(DUE_AT)
    worker, other = (gate(ports, QueueName.STANDARD, GENEROUS) for _ in ("a", "b"))
    other.settle_limits.execute([(DESTINATION, SLOW)] * 3)
    ports.clock.time_ms += STEP_MS
    ports.steps.fail("limits.read")
    worker.settle_limits.execute([(DESTINATION, SLOW)])
    assert SCOPE in ports.limits.hot


def test_a_probe_is_judged_by_its_own_answer() -> None:
    """The prober has heard good of the destination before, and told nobody."""
    ports = FakePorts(DUE_AT)
    prober = gate(ports, QueueName.STANDARD, GENEROUS)
    other = gate(ports, QueueName.STANDARD, GENEROUS)
    prober.settle_limits.execute([(DESTINATION, GOOD)])
    for _ in range(4):
        ports.clock.time_ms += STEP_MS
        other.settle_limits.execute([(DESTINATION, REFUSED)] * 3)
    ports.clock.time_ms += 2 * STEP_MS
    assert prober.admit.execute([CALL], QueueName.STANDARD) == {}
    assert ports.limits.states[SCOPE].circuit.prober == prober.admit.limits.owner
    prober.settle_limits.execute([(DESTINATION, REFUSED)])
    assert ports.limits.states[SCOPE].circuit.phase(ports.clock.now_ms()) is Phase.OPEN


def test_settling_a_batch_looks_only_at_destinations_with_something_to_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ports = FakePorts(DUE_AT)
    worker = gate(ports, QueueName.STANDARD, GENEROUS)
    for number in range(500):
        worker.settle_limits.execute([(f"{number:010d}", GOOD)])
    read: list[str] = []
    get = LimitCache.get

    def counted(cache: LimitCache, scope: str) -> ScopeState:
        read.append(scope)
        return get(cache, scope)

    monkeypatch.setattr(LimitCache, "get", counted)
    worker.settle_limits.execute([(DESTINATION, GOOD)])
    assert set(read) == {SCOPE}

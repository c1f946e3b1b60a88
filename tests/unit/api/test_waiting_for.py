"""GET /v1/executions/{id}: why what is due has not begun, as far as it is known."""

from dataclasses import replace
from typing import Any

import pytest

from shared.domain.dispatch.sweep import BACKED_UP_MS, MAX_YIELD_MS, LaneProgress
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.domain.limits.circuit_breaker import PROBE_MS, Circuit
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import LEASE_MS, MAX_LARGE_HOLDERS, SlotLease
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.quota import Quota
from shared.names import Lane
from shared.ports.jobs import RunLock
from shared.usecases.limits.explain_wait import HOT_SCOPES_TTL_MS, STORE_BACKOFF_MS
from tests.support.api.api_world import ApiWorld
from tests.support.builders import DUE_AT, TENANT, in_state, job, one_off, with_changes

DESTINATION = "0123456789"
THERE, MINE = destination_scope(DESTINATION), tenant_scope(TENANT)
NOW = DUE_AT + 10_000
UNTIL = NOW + 7_000


class Waiting:
    """One execution that is due for ten seconds and has not begun, and what is known."""

    def __init__(self, execution: Execution | None = None, **overrides: Any) -> None:
        self.api = ApiWorld()
        self.world = self.api.world
        plain = one_off(destination=DESTINATION, state=State.QUEUED)
        self.execution = self.world.put(with_changes(execution or plain, **overrides))
        self.world.clock.time_ms = NOW

    def allow(self, **limits: int) -> None:
        """Limits of the tenant's own."""
        for quota, limit in limits.items():
            self.api.allow(Quota(quota), limit)
        self.world.clock.time_ms = NOW

    def let(self, scope: str, *leases: SlotLease, **circuit: Any) -> None:
        """What is known of a scope."""
        self.world.limits.states[scope] = ScopeState(version=1, circuit=Circuit(**circuit), leases=leases)

    def note(self, scope: str, until: int = UNTIL) -> None:
        """Something waits there."""
        self.world.limits.hot[scope] = until
        self.world.clock.time_ms += HOT_SCOPES_TTL_MS

    def shown(self) -> Any:
        """What the answer says."""
        answer = self.api.get(f"/v1/executions/{self.execution.id}")
        assert answer.status == 200
        return answer.json["waiting_for"]

    def reason(self) -> str | None:
        """The reason alone; no other has an instant."""
        shown = self.shown()
        assert shown is None or shown == {"reason": shown["reason"], "until": None}
        return shown and str(shown["reason"])


def lease(slots: int, until: int = NOW + LEASE_MS) -> SlotLease:
    return SlotLease(owner="worker", slots=slots, until=until)


def test_execution_without_a_throttle_shows_no_waiting_reason() -> None:
    waiting = Waiting()
    assert waiting.shown() is None
    assert waiting.world.throttle_status.requests == 1


def test_an_open_breaker_is_told_with_its_end() -> None:
    waiting = Waiting()
    waiting.let(THERE, failures=10, trips=1, open_until=UNTIL)
    assert waiting.shown() == {"reason": "breaker_open", "until": format_instant(UNTIL)}


def test_a_breaker_that_waits_for_its_probe_has_no_end_that_is_known() -> None:
    waiting = Waiting()
    waiting.let(THERE, failures=10, trips=1, open_until=NOW, prober="worker", probe_until=NOW + PROBE_MS)
    assert waiting.reason() == "breaker_open"


def test_slots_that_are_all_taken_are_told() -> None:
    waiting = Waiting()
    waiting.allow(concurrency=3, destination_concurrency=2)
    waiting.let(MINE, lease(3))
    assert waiting.reason() == "tenant_concurrency"
    waiting.let(THERE, lease(2))
    assert waiting.reason() == "destination_concurrency"


def test_slots_that_are_free_or_whose_leases_have_ended_keep_nothing_waiting() -> None:
    waiting = Waiting()
    waiting.allow(concurrency=3, destination_concurrency=2)
    waiting.let(MINE, lease(2), lease(9, until=NOW))
    waiting.let(THERE, lease(1))
    assert waiting.shown() is None


def test_slots_without_a_limit_keep_nothing_waiting_however_many_hold_some() -> None:
    waiting = Waiting()
    waiting.let(MINE, *(replace(lease(900), owner=f"worker{number}") for number in range(MAX_LARGE_HOLDERS)))
    assert waiting.shown() is None


def test_a_limit_that_a_destination_asked_for_is_told() -> None:
    waiting = Waiting()
    waiting.let(THERE, limit=4, limited_at=NOW - 1)
    assert waiting.reason() == "destination_concurrency"


def test_a_slow_destination_is_told() -> None:
    waiting = Waiting()
    waiting.let(THERE, slow=True)
    assert waiting.reason() == "slow"


@pytest.mark.parametrize(
    ("circuit", "reason"),
    [
        ({"open_until": NOW - 1}, "breaker_open"),
        ({"limit": 4}, "destination_concurrency"),
        ({"failures": 3}, "slow"),
    ],
)
def test_waiting_reason_names_a_limit_before_a_slow_destination(circuit: dict[str, int], reason: str) -> None:
    waiting = Waiting()
    waiting.let(THERE, slow=True, **circuit)
    waiting.note(THERE)
    assert waiting.reason() == reason


@pytest.mark.parametrize(
    ("scope", "limits", "reason"),
    [
        (THERE, {"destination_calls_per_second": 5}, "destination_rate"),
        (THERE, {"destination_concurrency": 5}, "destination_concurrency"),
        (MINE, {"calls_per_second": 5}, "tenant_rate"),
        (MINE, {"concurrency": 5}, "tenant_concurrency"),
        (MINE, {"calls_per_second": 5, "concurrency": 5}, "tenant_rate"),
        (MINE, {"destination_calls_per_second": 5}, None),
        (THERE, {}, None),
        (MINE, {}, None),
    ],
)
def test_waiting_reason_is_the_limit_of_the_hot_scope(
    scope: str, limits: dict[str, int], reason: str | None
) -> None:
    waiting = Waiting()
    waiting.allow(**limits)
    assert waiting.reason() is None
    waiting.note(scope)
    assert waiting.reason() == reason
    waiting.note(scope, NOW)
    assert waiting.reason() is None


def test_the_limits_of_the_deployment_count_where_a_tenant_has_none_of_its_own() -> None:
    waiting = Waiting()
    waiting.world.explain_wait.defaults = replace(waiting.world.defaults, calls_per_second=9)
    waiting.note(MINE)
    assert waiting.reason() == "tenant_rate"


def test_trouble_without_a_limit_is_no_reason_to_wait() -> None:
    waiting = Waiting()
    waiting.allow(destination_calls_per_second=5)
    waiting.let(THERE, failures=3)
    waiting.note(THERE)
    assert waiting.shown() is None


def test_work_in_bulk_makes_room_while_another_lane_is_behind() -> None:
    waiting = Waiting(lane=Lane.BULK)
    report = LaneProgress(visible_at=NOW - 60_000, reported_at=NOW - BACKED_UP_MS + 1)
    waiting.world.lane_progress.reports[Lane.STANDARD] = report
    assert waiting.reason() == "backpressure"
    waiting.world.clock.time_ms += 1
    assert waiting.reason() is None


@pytest.mark.parametrize(("lane", "late_ms"), [(Lane.STANDARD, 10_000), (Lane.BULK, MAX_YIELD_MS)])
def test_standard_or_very_late_bulk_execution_does_not_wait_for_a_late_critical_lane(
    lane: Lane, late_ms: int
) -> None:
    waiting = Waiting(lane=lane)
    waiting.world.clock.time_ms = now = DUE_AT + late_ms
    waiting.world.lane_progress.reports[Lane.CRITICAL] = LaneProgress(visible_at=DUE_AT, reported_at=now)
    assert waiting.reason() is None


def test_postponed_bulk_run_makes_room_from_its_due_time() -> None:
    due_at = DUE_AT + MAX_YIELD_MS
    waiting = Waiting(in_state(one_off(lane=Lane.BULK), State.WAITING, next_attempt_at=due_at))
    waiting.world.clock.time_ms = now = due_at + MAX_YIELD_MS - 1
    waiting.world.lane_progress.reports[Lane.CRITICAL] = LaneProgress(visible_at=DUE_AT, reported_at=now)
    assert waiting.reason() == "backpressure"
    waiting.world.clock.time_ms += 1
    assert waiting.reason() is None


def queued_run(waits: ExecutionId | None = None) -> Waiting:
    """A run of a job whose runs queue, and who waits for its turn."""
    repeating = job(overlap_policy=OverlapPolicy.QUEUE_ONE)
    run = repeating.occurrence(DUE_AT, created_at=DUE_AT - 1)
    waiting = Waiting(run, state=State.QUEUED)
    holder = one_off(7).id
    waiting.world.run_locks.run_locks[TENANT, run.job_id] = RunLock(holder=holder, waiting=waits or run.id)
    return waiting


def test_a_run_that_waits_for_another_of_its_job_is_told_so() -> None:
    assert queued_run().reason() == "overlap"
    assert queued_run(waits=one_off(8).id).reason() is None


def test_a_retry_that_is_due_waits_as_a_first_attempt_does() -> None:
    retry = in_state(one_off(destination=DESTINATION), State.WAITING, next_attempt_at=NOW)
    waiting = Waiting(retry)
    waiting.let(THERE, failures=10, trips=1, open_until=UNTIL)
    assert waiting.shown()["reason"] == "breaker_open"
    waiting.world.clock.time_ms = NOW - 1
    assert waiting.shown() is None


@pytest.mark.parametrize("state", [state for state in State if state not in (*NOT_STARTED, State.MOVED)])
def test_throttle_status_is_not_read_for_a_begun_or_ended_execution(state: State) -> None:
    waiting = Waiting(in_state(one_off(destination=DESTINATION), state))
    waiting.let(THERE, failures=10, trips=1, open_until=UNTIL)
    assert waiting.shown() is None
    assert waiting.world.throttle_status.requests == 0


@pytest.mark.parametrize("state", sorted(NOT_STARTED))
def test_throttle_status_is_not_read_before_the_execution_is_due(state: State) -> None:
    waiting = Waiting(one_off(destination=DESTINATION, state=state))
    waiting.let(THERE, failures=10, trips=1, open_until=UNTIL)
    waiting.world.clock.time_ms = DUE_AT - 1
    assert (waiting.shown(), waiting.world.throttle_status.requests) == (None, 0)
    waiting.world.clock.time_ms = DUE_AT
    assert waiting.shown()["reason"] == "breaker_open"
    assert waiting.world.throttle_status.requests == 1


def test_a_store_that_does_not_answer_hides_no_execution_and_is_left_alone_for_a_while() -> None:
    waiting = Waiting()
    waiting.let(THERE, failures=10, trips=1, open_until=UNTIL)
    waiting.world.throttle_status.is_silent = True
    assert [waiting.shown(), waiting.shown()] == [None, None]
    assert waiting.world.throttle_status.requests == 1
    waiting.world.throttle_status.is_silent = False
    waiting.world.clock.time_ms += STORE_BACKOFF_MS
    assert waiting.shown()["reason"] == "breaker_open"


@pytest.mark.parametrize("fault", [KeyError("vn"), ValueError("no number"), UnavailableError("no answer")])
def test_execution_is_shown_where_the_throttle_status_cannot_be_read(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = Waiting()

    def read(*_: object) -> None:
        raise fault

    monkeypatch.setattr(waiting.world.throttle_status, "read", read)
    assert waiting.shown() is None


def test_the_limits_of_another_tenant_are_nobody_elses_reason() -> None:
    waiting = Waiting()
    waiting.allow(concurrency=3, destination_concurrency=3)
    for scope in (tenant_scope("other"), destination_scope("9876543210")):
        waiting.let(scope, lease(3), failures=10, trips=1, open_until=UNTIL)
        waiting.note(scope)
    assert waiting.shown() is None


def test_execution_without_a_destination_has_no_destination_limit() -> None:
    waiting = Waiting(destination="")
    waiting.allow(destination_calls_per_second=5)
    waiting.let(destination_scope(""), failures=10, trips=1, open_until=UNTIL)
    waiting.note(destination_scope(""))
    assert waiting.shown() is None


def test_lists_do_not_look() -> None:
    waiting = Waiting()
    listed = waiting.api.get("/v1/executions").json["executions"]
    assert listed
    assert all("waiting_for" not in one for one in listed)
    assert waiting.world.throttle_status.requests == 0


def test_repeated_questions_read_the_hot_scopes_once_per_ttl() -> None:
    waiting = Waiting()
    waiting.allow(concurrency=3)
    for _ in range(20):
        assert waiting.shown() is None
        waiting.world.clock.time_ms += HOT_SCOPES_TTL_MS // 20
    assert waiting.world.throttle_status.hot_scope_reads == 1
    waiting.let(MINE, lease(3))
    assert waiting.reason() == "tenant_concurrency", "states are read each time"
    assert (waiting.world.throttle_status.hot_scope_reads, waiting.world.throttle_status.requests) == (2, 21)

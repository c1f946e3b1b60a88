"""The audit of large requests finds each fault that a run could show."""

from dataclasses import replace

from shared.domain.executions.states import State
from shared.ports.jobs import Payload
from tests.simulation.faults import FaultMix
from tests.simulation.payload_audit import check_payloads
from tests.simulation.seasons import WINTER
from tests.simulation.world import World
from tests.support.builders import EXPIRES_AT_S, in_state, job, one_off, with_changes

EXECUTION = with_changes(one_off(), payload_id="name", request=b"")
TENANT = EXECUTION.tenant_id


def world(state: State, *, is_stored: bool = True, expires_at_s: int | None = None) -> World:
    made = World(1, FaultMix())
    made.table.insert(in_state(EXECUTION, state), EXPIRES_AT_S if state.is_terminal else None)
    if is_stored:
        made.jobs.put_payload(
            Payload(TENANT, "name", b"sealed", stored_at=WINTER.start_ms, expires_at_s=expires_at_s)
        )
    return made


def faults(checked: World) -> list[str]:
    return [fault.text for fault in check_payloads(checked)]


def test_request_that_outlives_its_record_is_no_fault() -> None:
    assert faults(world(State.SUCCEEDED, expires_at_s=EXPIRES_AT_S)) == []


def test_request_that_is_gone_before_its_record_is_a_fault() -> None:
    assert faults(world(State.SUCCEEDED, expires_at_s=EXPIRES_AT_S - 1)) != []
    assert faults(world(State.QUEUED, is_stored=False)) != []
    assert faults(world(State.QUEUED, expires_at_s=WINTER.start_ms // 1000)) != []


def test_request_that_nobody_names_and_that_never_expires_is_a_fault() -> None:
    checked = world(State.SUCCEEDED, expires_at_s=EXPIRES_AT_S)
    checked.jobs.put_payload(Payload(TENANT, "other", b"sealed", stored_at=WINTER.start_ms * 2))
    assert faults(checked) == ["no job names other, and it never expires"]
    named = job(payload_id="other", request=b"")
    checked.table.jobs[TENANT, named.id] = replace(named, tenant_id=TENANT)
    assert faults(checked) == []

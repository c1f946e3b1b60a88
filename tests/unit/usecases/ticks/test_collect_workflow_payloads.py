"""Large requests of workflows expire once no present revision has them."""

from shared.ports.jobs import LargeRequest
from shared.usecases.ticks.collect_payloads import HOUR_MS, HOURS, MIN_AGE_MS
from tests.support.builders import TENANT
from tests.support.usecases.workflows import WorkflowWorld
from tests.support.workflows import node


def expiries(world: WorkflowWorld) -> dict[str, int]:
    """What the reconciler has given an expiry, after it has looked at each request once."""
    collect = world.cases.ticks.reconcile_definitions.collect_payloads
    requests = [
        LargeRequest(tenant_id=key[0], payload_id=key[1], stored_at=stored_at)
        for key, stored_at in world.table.payload_stored_at.items()
    ]
    world.clock.time_ms += MIN_AGE_MS + 1
    for _ in range(HOURS):
        world.clock.time_ms += HOUR_MS
        for request in requests:
            collect.execute(request)
    return {key[1]: at for key, at in world.table.payload_expires_at_s.items()}


def test_request_of_the_present_revision_is_kept():
    world = WorkflowWorld()
    world.define(node("a"), body=b"x" * 5_000)
    assert len(world.table.payloads) == 1
    assert expiries(world) == {}


def test_request_of_a_former_revision_expires():
    world = WorkflowWorld()
    workflow = world.define(node("a"), body=b"x" * 5_000)
    world.put_workflow.update(world.tenant, workflow.id, world.new_workflow(node("a"), body=b"y" * 5_000))
    assert list(expiries(world)) == [f"{workflow.id}.1.0"]


def test_request_of_a_deleted_workflow_expires():
    world = WorkflowWorld()
    workflow = world.define(node("a"), body=b"x" * 5_000)
    world.put_workflow.delete(TENANT, workflow.id)
    assert list(expiries(world)) == [f"{workflow.id}.1.0"]


def test_request_of_a_lost_workflow_expires():
    """A crash between the request and the workflow leaves it behind."""
    world = WorkflowWorld()
    workflow = world.define(node("a"), body=b"x" * 5_000)
    del world.table.workflows[TENANT, workflow.id]
    assert list(expiries(world)) == [f"{workflow.id}.1.0"]

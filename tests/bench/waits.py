"""What waiting for a limit costs, in counted units."""

from shared.domain.jobs.new_job import NewJob
from shared.domain.limits.scopes import ScopeState, tenant_scope
from shared.domain.limits.slots import SlotLease
from shared.domain.schedules.timing import After
from shared.domain.tenancy.quota import Quota
from shared.usecases.tenancy.manage_tenants import TenantChange
from tests.bench.counting import REQUEST, Cost, cost_of, marks_of
from tests.bench.world import World

JOBS = 50
POLLS = 10
POLL_MS = 900_000
HELD_MS = 4 * 3_600_000
MOST_UNITS_A_POLL = 0.02
"""A poll costs nothing; the hot-scope index is written once a minute, however many jobs wait."""
MOST_UNITS_LIMITED = 4.3
"""What a limit of its tenant adds to a job: slots are taken and given back for a batch of jobs at a time."""


def polls(made: World) -> Cost:
    """Jobs that look whether there is room, and find none."""
    _limit(made, 1)
    now_ms = made.clock.now_ms()
    taken = SlotLease(owner="other", slots=1, until=now_ms + HELD_MS)
    scope = tenant_scope(made.tenant.id)
    standing = made.ports.limits.read([scope])[scope]
    assert made.ports.limits.swap(scope, standing, ScopeState(leases=(taken,)), now_ms) is None
    for _ in range(JOBS):
        made.create_job.execute(made.tenant, NewJob(timing=After(0), request=REQUEST))
    made.work()
    marks = marks_of(made)
    for _ in range(POLLS):
        made.clock.time_ms += POLL_MS
        assert made.work() > 0
    cost = cost_of(made, "wait for a limit, one poll", marks, JOBS * POLLS, MOST_UNITS_A_POLL)
    made.clock.time_ms += HELD_MS
    made.work()
    _limit(made, None)
    made.clock.time_ms += HELD_MS
    made.work()
    return cost


def limited(made: World) -> Cost:
    """Jobs of a tenant that has a limit, and room."""
    _limit(made, 1_000)
    marks = marks_of(made)
    for _ in range(4 * JOBS):
        made.create_job.execute(made.tenant, NewJob(timing=After(100), request=REQUEST))
    made.clock.time_ms += 100_000
    made.work()
    cost = cost_of(made, "one-off, its tenant limited", marks, 4 * JOBS, MOST_UNITS_LIMITED)
    _limit(made, None)
    return cost


def _limit(made: World, concurrency: int | None) -> None:
    change = TenantChange(quotas={Quota.CONCURRENCY: concurrency})
    made.cases.tenancy.change_tenant.execute(made.tenant.id, change)
    made.clock.time_ms += 120_000


WAITS = (polls, limited)

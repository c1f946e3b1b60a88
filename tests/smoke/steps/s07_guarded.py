"""S7: runs that must not overlap, start deadlines, and a pause or a deletion under a running attempt."""

import itertools
import time

from tests.smoke.findings import Findings
from tests.smoke.world import Tenant, World, arrived

SLOW_SECONDS = 8
RATE_SECONDS = 3
RUNS = 3
PATIENCE = 120


def run(world: World, findings: Findings) -> None:
    tenant = world.tenant("guarded")
    _overlap(world, findings, tenant, "skip")
    _overlap(world, findings, tenant, "queue_one")
    _deadline(world, findings, tenant)
    _pause(world, findings, tenant)
    _delete(world, findings, tenant)


def _overlap(world: World, findings: Findings, tenant: Tenant, policy: str) -> None:
    """Runs come due while the one before is at its receiver."""
    path = world.path(f"overlap-{policy}")
    job = tenant.create({"rate_seconds": RATE_SECONDS}, f"{path}/sleep-{SLOW_SECONDS}", overlap_policy=policy)
    came = arrived(world, path, RUNS, PATIENCE)
    tenant.site.request("DELETE", f"/v1/jobs/{job['id']}")
    findings.check(f"{policy}: {RUNS} runs are called", len(came) >= RUNS, len(came))
    apart = [
        (later.arrived_at - before.arrived_at).total_seconds() for before, later in itertools.pairwise(came)
    ]
    findings.check(f"{policy}: runs do not overlap", all(gap >= SLOW_SECONDS - 1 for gap in apart), apart)
    reasons = [each["end_reason"] for each in tenant.executions(job)]
    findings.check(f"{policy}: a run in the way of another is skipped", "overlap" in reasons, reasons)


def _deadline(world: World, findings: Findings, tenant: Tenant) -> None:
    """Both are claimed under a condition first: the one in time runs, which hangs on the item of a refused claim."""
    path = world.path("deadline")
    tenant.create({"delay_seconds": 2}, f"{path}/in-time", start_deadline_seconds=60)
    came = arrived(world, f"{path}/in-time", 1, PATIENCE)
    findings.check("a job before its start deadline runs once", len(came) == 1, len(came))


def _pause(world: World, findings: Findings, tenant: Tenant) -> None:
    path = world.path("pause")
    job = tenant.create({"rate_seconds": 10}, f"{path}/sleep-4")
    arrived(world, path, 1, PATIENCE)
    tenant.site.asked("POST", f"/v1/jobs/{job['id']}/pause", {"reason": "smoke"})
    before = len(world.receiver.calls(path))
    time.sleep(15)
    after = len(world.receiver.calls(path))
    findings.check("no run starts after a pause", after == before, f"{before}, then {after}")
    states = [each["state"] for each in tenant.executions(job) if each["attempts_begun"]]
    findings.check("the run under the pause ends well", set(states) == {"succeeded"}, states)
    tenant.site.request("DELETE", f"/v1/jobs/{job['id']}")


def _delete(world: World, findings: Findings, tenant: Tenant) -> None:
    path = world.path("delete")
    job = tenant.create({"delay_seconds": 0}, f"{path}/status-503/sleep-4", retry={"delays_seconds": [2, 2]})
    arrived(world, path, 1, PATIENCE)
    late = tenant.site.request("DELETE", f"/v1/jobs/{job['id']}")
    findings.check("a job whose attempt runs is not cancelled", late.status == 409, late)
    last = tenant.site.request("DELETE", f"/v1/jobs/{job['id']}?stop_retries=true")
    findings.check("its retries are stopped", last.status in (200, 202), last.status)
    before = len(world.receiver.calls(path))
    time.sleep(8)
    after = len(world.receiver.calls(path))
    findings.check("no attempt starts after that", after == before, f"{before}, then {after}")

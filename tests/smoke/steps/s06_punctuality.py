"""S6: how late calls start, of jobs spread over minutes and of many jobs due in one second; none early, none lost."""

import math
from datetime import UTC, datetime, timedelta

from tests.smoke.findings import Findings
from tests.smoke.judge.lags import punctuality
from tests.smoke.world import Tenant, World, arrived

LEAD_SECONDS = 20
"""From the creation of a burst to its instant: more than the creations take."""
PATIENCE = 180


def run(world: World, findings: Findings) -> None:
    tenants = [world.tenant(f"lag{number}") for number in range(world.size.burst_tenants)]
    _spread(world, findings, tenants[0])
    for name, members in (
        ("burst of one tenant, cold", tenants[:1]),
        ("burst of one tenant, warm", tenants[:1]),
        ("burst of many tenants", tenants),
    ):
        _burst(world, findings, name, members)
    findings.can_show("ramp", "lags with the ramp of event sources and with cold starts")
    findings.can_show("dial_exceptions", "lags of calls over the public network, with TLS")


def _spread(world: World, findings: Findings, tenant: Tenant) -> None:
    """Jobs at a steady rate: some are sent at their creation, and the later ones are found by a watcher."""
    count, seconds = world.size.spread_jobs, world.size.spread_seconds
    start = datetime.now(UTC) + timedelta(seconds=LEAD_SECONDS)
    instants = [start + timedelta(seconds=number * seconds / count) for number in range(count)]
    _judge(world, findings, "spread jobs", [(tenant, instants)], LEAD_SECONDS + seconds)


def _burst(world: World, findings: Findings, name: str, members: list[Tenant]) -> None:
    """Jobs that are due in one second."""
    each = math.ceil(world.size.burst_jobs / len(members))
    lead = LEAD_SECONDS + len(members)
    due = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=lead)
    _judge(world, findings, name, [(tenant, [due] * each) for tenant in members], lead)


def _judge(
    world: World,
    findings: Findings,
    name: str,
    due: list[tuple[Tenant, list[datetime]]],
    seconds: float,
) -> None:
    path = world.path(name.replace(" ", "-").replace(",", ""))
    jobs: set[str] = set()
    for tenant, instants in due:
        planned = [
            tenant.job({"at": instant.isoformat(timespec="milliseconds")}, path) for instant in instants
        ]
        jobs |= {made["id"] for made in tenant.create_many(planned)}
    seen = punctuality(arrived(world, path, len(jobs), seconds + PATIENCE), jobs)
    findings.check(f"{name}: never early, none lost, none doubled", seen.is_kept, seen)
    findings.figure(name, seen.figures())

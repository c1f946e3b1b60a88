"""S11: a chain of retries and a chain of runs go on beyond the 16 hops after which Lambda stops loops."""

import time
from datetime import UTC, datetime

from tests.smoke.findings import Findings
from tests.smoke.world import World, arrived

PATIENCE = 240
METRIC_SECONDS = 150
EXECUTORS = ("ExecutorCritical", "ExecutorStandard", "ExecutorBulk")


def run(world: World, findings: Findings) -> None:
    tenant, tries = world.tenant("chains"), world.size.retries
    retried, recurring = world.path("retries"), world.path("runs")
    job = tenant.create(
        {"delay_seconds": 0},
        f"{retried}/status-503/until-{tries}",
        retry={"max_attempts": tries, "base_seconds": 1, "factor": 1, "cap_seconds": 1},
    )
    chain = tenant.create({"rate_seconds": 1}, recurring)
    came = arrived(world, retried, tries, PATIENCE)
    attempts = [call.attempt for call in came]
    findings.check("every attempt is made once, in order", attempts == [*range(1, tries + 1)], attempts)
    runs = arrived(world, recurring, tries, PATIENCE)
    findings.check("a chain of runs goes on", len(runs) >= tries, len(runs))
    tenant.site.request("DELETE", f"/v1/jobs/{chain['id']}")
    findings.figure("state of the job", tenant.job_of(job)["state"])
    if findings.can_show("recursion", "Lambda stopped no chain"):
        findings.can_show("aws_metrics", "RecursiveInvocationsDropped")
        time.sleep(METRIC_SECONDS)
        dropped = _dropped(world)
        findings.check("Lambda stopped no chain", not dropped, dropped)


def _dropped(world: World) -> dict[str, float]:
    cloudwatch = world.target.client("cloudwatch")
    found = {}
    for service in EXECUTORS:
        points = cloudwatch.get_metric_statistics(
            Namespace="AWS/Lambda",
            MetricName="RecursiveInvocationsDropped",
            Dimensions=[{"Name": "FunctionName", "Value": world.outputs[f"{service}FunctionName"]}],
            StartTime=world.began_at,
            EndTime=datetime.now(UTC),
            Period=60,
            Statistics=["Sum"],
        )["Datapoints"]
        if total := sum(point["Sum"] for point in points):
            found[service] = total
    return found

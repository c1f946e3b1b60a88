"""S8: a worker that Lambda kills in the middle of a call, and an answer that its client never read."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.smoke.findings import Findings
from tests.smoke.world import Tenant, World, arrived, until

LANE = "critical"
OUTPUT = "ExecutorCriticalFunctionName"
KILLED_AFTER_SECONDS = 12
SLEEP_SECONDS = 40
SWEPT_WITHIN = 420
"""The lease of a call of 60 seconds, then the next sweeps and a redelivery."""
IDEMPOTENT_SECONDS = 60


def run(world: World, findings: Findings) -> None:
    tenant = world.tenant("killed")
    _lost_answer(world, findings, tenant)
    names = ("one attempt: lost with its worker", "three attempts: called again, and succeeds")
    if findings.can_show("timeouts", *names):
        with _short_timeout(world):
            jobs = [
                tenant.create(
                    {"delay_seconds": 0},
                    world.path(f"killed-{attempts}/status-200/sleep-{SLEEP_SECONDS}"),
                    lane=LANE,
                    timeout_seconds=60,
                    retry={"max_attempts": attempts},
                )
                for attempts in (1, 3)
            ]
            for attempts in (1, 3):
                arrived(world, world.path(f"killed-{attempts}"), 1, 60)
            # The workers of both calls are killed by now.
            time.sleep(KILLED_AFTER_SECONDS + 5)
        _judge(findings, tenant, jobs, names)


def _lost_answer(world: World, findings: Findings, tenant: Tenant) -> None:
    """The client hangs up before the answer, and repeats the request with its key."""
    path = world.path("lost-answer")
    body = json.dumps(tenant.job({"delay_seconds": 1}, path)).encode()
    key = f"lost-{world.run}"
    head = (
        f"POST /v1/jobs HTTP/1.1\r\nHost: {tenant.site.host}\r\nAuthorization: Bearer {tenant.site.key}\r\n"
        f"Content-Type: application/json\r\nIdempotency-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    tenant.site.exchange(head.encode() + body, reads=False)
    again = [
        tenant.site.asked("POST", "/v1/jobs", json.loads(body), status=201, headers={"Idempotency-Key": key})[
            "id"
        ]
        for _ in range(2)
    ]
    findings.check("a repeated request has one job", len(set(again)) == 1, again)
    arrived(world, path, 1, IDEMPOTENT_SECONDS)
    time.sleep(3)
    came = world.receiver.calls(path)
    findings.check("that job is called once", len(came) == 1, len(came))


def _judge(findings: Findings, tenant: Tenant, jobs: list[dict[str, Any]], names: tuple[str, str]) -> None:
    once, thrice = (
        until(
            lambda job=job: tenant.executions(job)[0],  # type: ignore[misc]
            lambda seen: seen["state"] in ("succeeded", "failed"),
            SWEPT_WITHIN,
            poll=5,
        )
        for job in jobs
    )
    lost = once["state"] == "failed" and once.get("end_reason") == "worker_lost"
    findings.check(names[0], lost, once)
    findings.check(names[1], thrice["state"] == "succeeded", thrice)


@contextmanager
def _short_timeout(world: World) -> Iterator[None]:
    """Let the alias of one lane's executor point to a version that Lambda kills after some seconds."""
    lambdas, name = world.target.client("lambda"), world.outputs[OUTPUT]
    before = lambdas.get_alias(FunctionName=name, Name="live")["FunctionVersion"]
    usual = lambdas.get_function_configuration(FunctionName=name)["Timeout"]
    short = _published(lambdas, name, KILLED_AFTER_SECONDS)
    lambdas.update_alias(FunctionName=name, Name="live", FunctionVersion=short)
    try:
        yield
    finally:
        lambdas.update_alias(FunctionName=name, Name="live", FunctionVersion=before)
        lambdas.update_function_configuration(FunctionName=name, Timeout=usual)
        lambdas.get_waiter("function_updated_v2").wait(FunctionName=name)
        lambdas.delete_function(FunctionName=name, Qualifier=short)


def _published(lambdas: Any, name: str, seconds: int) -> str:
    lambdas.update_function_configuration(FunctionName=name, Timeout=seconds)
    lambdas.get_waiter("function_updated_v2").wait(FunctionName=name)
    version = lambdas.publish_version(FunctionName=name, Description="smoke: killed on purpose")["Version"]
    lambdas.get_waiter("function_active_v2").wait(FunctionName=name, Qualifier=version)
    return str(version)

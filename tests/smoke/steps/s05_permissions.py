"""S5: every operation and every path of the ticks once, and then no function was denied anything; log lines are stored
as they were written; every module of the bundle imports in Lambda."""

import io
import time
import urllib.request
import zipfile
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.smoke.findings import Findings
from tests.smoke.judge.log_lines import faults_of
from tests.smoke.probe import imports
from tests.smoke.probe.template import ARCHITECTURE, RUNTIME
from tests.smoke.walk import calls, walk
from tests.smoke.world import SmokeError, World, instant, until

DENIED = '{ $.aws_error = "AccessDenied*" }'
"""In the form of CloudWatch's filters: the field of every line that a refusal of AWS caused."""
LOGS_SECONDS = 30
"""CloudWatch shows a line some seconds after a function wrote it."""
LINE_SECONDS = 90
WHOLE: dict[str, Any] = {"range": {"index": 0, "of": 1}}
TICKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Watcher", WHOLE),
    ("Sweeper", WHOLE),
    ("Redriver", {}),
    ("Reconciler", {}),
    ("Reconciler", WHOLE),
)
"""Functions and events, as the rules of a stage have them."""


def run(world: World, findings: Findings) -> None:
    tenant = world.tenant("walk")
    path = world.path("walk")
    dead = tenant.create({"delay_seconds": 0}, f"{path}/status-410")
    failed = until(
        lambda: [each for each in tenant.executions(dead) if each["state"] == "failed"], bool, seconds=60
    )
    if not findings.check("a call that is refused for good fails its execution", bool(failed)):
        return
    values = {"failed": failed[0]["id"], "three_hours_ago": instant(-10_800), "now": instant(0)}
    planned = calls(f"{world.receiver.url}{path}", f"opened-{world.run}")
    wrong = walk(planned, tenant.site, world.site(_operator(world)), values)
    findings.check("every operation answers as planned", not wrong, wrong)
    _deleted_with_a_run(world, findings)
    _ticks(world, findings)
    _lines(world, findings)
    if findings.can_show("iam", "no function was denied anything"):
        time.sleep(LOGS_SECONDS)
        denied = _denied(world)
        findings.check("no function was denied anything", not denied, denied)
    if findings.can_show("bundle", "every module imports in Lambda"):
        _imports(world, findings)


def _ticks(world: World, findings: Findings) -> None:
    for service, event in TICKS:
        try:
            seen = world.invoke(f"{service}FunctionName", event)
        except SmokeError as error:
            findings.check(f"a tick of {service} succeeds", False, error)
        else:
            findings.check(f"a tick of {service} succeeds", True, seen)


def _operator(world: World) -> str:
    """A key of the operators' tenant, which a stage has once."""
    try:
        return str(world.target.admin("create-operator")["api_key"])
    except SmokeError:
        return str(world.target.admin("create-key", "operator", "--scopes", "admin")["api_key"])


def _deleted_with_a_run(world: World, findings: Findings) -> None:
    """A job is deleted while its run is at its receiver, which answers 410: the executor reads a job in deletion."""
    tenant, path = world.tenant("deleted"), world.path("deleted")
    job = tenant.create({"rate_seconds": 60}, f"{path}/status-410/sleep-3")
    tenant.site.asked("POST", f"/v1/jobs/{job['id']}/trigger", None, status=201)
    until(lambda: world.receiver.calls(path), bool, seconds=60)
    answer = tenant.site.request("DELETE", f"/v1/jobs/{job['id']}")
    findings.check("a job is deleted under its run", answer.status in (200, 202), answer.status)
    state = until(lambda: str(tenant.job_of(job)["state"]), lambda seen: seen == "deleted", seconds=90)
    findings.check("the deletion ends", state == "deleted", state)


def _lines(world: World, findings: Findings) -> None:
    """A record of the level INFO and a line of the level ERROR, read back from the log of the API."""
    late = time.time_ns() // 1_000_000 + 3_600_000
    # A request that a gateway of the future accepted: the clock of the function is behind, which it logs and refuses.
    about = {"http": {"method": "GET"}, "requestId": f"smoke-{world.run}", "timeEpoch": late}
    world.invoke("ApiFunctionName", {"requestContext": about, "rawPath": "/v1/health", "headers": {}})
    for message, level in (("job accepted", "INFO"), ("clock behind", "ERROR")):
        stored = until(lambda text=message: _stored(world, text), bool, LINE_SECONDS, poll=2)  # type: ignore[misc]
        wrong = faults_of(stored[0], message=message, level=level) if stored else "no line is stored"
        findings.check(f"the line {message} is stored as it was written", not wrong, wrong)


def _stored(world: World, message: str) -> list[str]:
    """Lines of the API since the run began that contain this text."""
    page = world.target.client("logs").filter_log_events(
        logGroupName=_log_group(world, world.outputs["ApiFunctionName"]),
        startTime=int(world.began_at.timestamp() * 1000),
        filterPattern=f'"{message}"',
    )
    return [event["message"] for event in page["events"]]


def _log_group(world: World, function: str) -> str:
    configuration = world.target.client("lambda").get_function_configuration(FunctionName=function)
    return str(configuration.get("LoggingConfig", {}).get("LogGroup", f"/aws/lambda/{function}"))


def _denied(world: World) -> dict[str, str]:
    """By function: a line of its log that tells of a refusal since the run began."""
    logs = world.target.client("logs")
    found: dict[str, str] = {}
    for service, name in world.function_names().items():
        pages = logs.get_paginator("filter_log_events").paginate(
            logGroupName=_log_group(world, name),
            startTime=int(world.began_at.timestamp() * 1000),
            filterPattern=DENIED,
            PaginationConfig={"MaxItems": 10},
        )
        for event in (event for page in pages for event in page["events"]):
            found.setdefault(service, event["message"][:300])
    return found


def _imports(world: World, findings: Findings) -> None:
    """A function of its own, with the deployed bundle and one more file, imports everything once."""
    lambdas = world.target.client("lambda")
    name = f"{world.target.stage.prefix}-smoke-imports-{uuid4().hex[:6]}"
    deployed = lambdas.get_function(FunctionName=world.outputs["ApiFunctionName"])
    variables = deployed["Configuration"]["Environment"]["Variables"]
    lambdas.create_function(
        FunctionName=name,
        Runtime=RUNTIME,
        Architectures=[ARCHITECTURE],
        Handler="smoke_imports.handler",
        Code={"ZipFile": with_imports(_downloaded(deployed["Code"]["Location"]))},
        Role=world.probe["LoggingRole"],
        Timeout=120,
        MemorySize=1_769,
        LoggingConfig={"LogGroup": world.probe["LogGroup"]},
        Environment={"Variables": variables},
        Tags={"punctual:stage": world.target.stage.name},
    )
    try:
        lambdas.get_waiter("function_active_v2").wait(FunctionName=name)
        answer = lambdas.invoke(FunctionName=name, Payload=b"{}")
        seen: Any = answer["Payload"].read().decode(errors="replace")
        is_whole = "FunctionError" not in answer and '"failed": {}' in seen
        findings.check("every module imports in Lambda", is_whole, seen)
        findings.figure("imports", seen[:300])
    finally:
        lambdas.delete_function(FunctionName=name)


def with_imports(bundle: bytes) -> bytes:
    """The bundle with the file that imports its modules."""
    packed = io.BytesIO(bundle)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("smoke_imports.py", Path(imports.__file__).read_text(encoding="utf-8"))
    return packed.getvalue()


def _downloaded(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=120) as answer:
        found: bytes = answer.read()
    return found

"""S14: a message and a signed request reach a queue by the tenant's role, which demands the external id of the tenant.

The role may send to one queue alone. Its trust is set to the external id after the tenant is there.
"""

import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from tests.smoke.findings import Findings
from tests.smoke.probe import stack
from tests.smoke.stacks import probe_stack
from tests.smoke.world import SmokeError, Tenant, World, until

PATIENCE = 240
MESSAGE = {"order": 4711}
RETRY = {"max_attempts": 16, "delays_seconds": [15] * 15}
"""IAM takes up to a minute until a changed trust holds everywhere, and a refused role is asked for each 30 seconds."""
QUIET_SECONDS = 10
KNOWN_SECONDS = 90
CREATED, UNPROCESSABLE = 201, 422


def run(world: World, findings: Findings) -> None:
    tenant, role = world.tenant("targets"), world.probe["TargetRoleArn"]
    changed = world.target.admin("change-tenant", tenant.id, "--target-role", role)
    shows_iam = findings.can_show(
        "iam", "a role without the external id is refused", "a queue that the role cannot reach is denied"
    )
    if shows_iam:
        reason = _failed(tenant, world.probe["TargetQueueArn"])
        findings.check("a role without the external id is refused", reason == "role_refused", reason)
    _trust(world, changed["target_external_id"])
    _send(world, findings, tenant)
    if shows_iam:
        reason = _failed(tenant, world.probe["PartialQueueArn"])
        findings.check(
            "a queue that the role cannot reach is denied", reason == "target_access_denied", reason
        )
    if findings.can_show("signatures", "a request that the role signs is accepted"):
        _sign(world, findings, tenant, role)


def _trust(world: World, external_id: str) -> None:
    target = world.target
    stack.update(
        target.client,
        probe_stack(target.stage),
        {"AlarmTopicArn": world.outputs["AlarmTopicArn"], "TargetExternalId": external_id},
        poll_seconds=0.2 if target.emulated else stack.POLL_SECONDS,
    )


def _send(world: World, findings: Findings, tenant: Tenant) -> None:
    job = _create(tenant, world.probe["TargetQueueArn"], retry=RETRY)
    execution = _ended(tenant, job)
    findings.check("a message is sent by the tenant's role", execution["state"] == "succeeded", execution)
    messages = _take(world)
    findings.check("it arrives once", len(messages) == 1, messages)
    for message in messages:
        said = {name: each["StringValue"] for name, each in message["MessageAttributes"].items()}
        is_whole = json.loads(message["Body"]) == MESSAGE and said["Punctual-Execution"] == execution["id"]
        findings.check("it is what the job says, with the id of the execution", is_whole, message)
    findings.figure("attempts until the trust held", execution["attempts_begun"])


def _sign(world: World, findings: Findings, tenant: Tenant, role: str) -> None:
    url = world.probe["TargetQueueUrl"]
    asked = f"Action=SendMessage&QueueUrl={quote(url, safe='')}&MessageBody=signed"
    sigv4 = {"role": role, "service": "sqs", "region": world.target.stage.region}
    request = {
        "method": "GET",
        "url": f"https://{urlsplit(url).netloc}/?{asked}",
        "auth": {"sigv4": sigv4},
    }
    tenant.site.asked("POST", "/v1/jobs", {"schedule": {"delay_seconds": 0}, "request": request}, status=201)
    bodies = [message["Body"] for message in _take(world)]
    findings.check("a request that the role signs is accepted", bodies == ["signed"], bodies)


def _failed(tenant: Tenant, queue: str) -> str:
    """The reason of an attempt that must fail."""
    execution = _ended(tenant, _create(tenant, queue, retry={"max_attempts": 1}))
    return str(execution["attempts"][-1]["reason"]) if execution["attempts"] else str(execution["state"])


def _ended(tenant: Tenant, job: Mapping[str, Any]) -> dict[str, Any]:
    def has_ended(found: list[dict[str, Any]]) -> bool:
        return bool(found) and found[0]["state"] in ("succeeded", "failed")

    found = until(lambda: tenant.executions(job), has_ended, PATIENCE)
    if not found:
        raise SmokeError("the job has no execution")
    return found[0]


def _create(tenant: Tenant, queue: str, **more: Any) -> Mapping[str, Any]:
    target = {"sqs": {"arn": queue, "json": MESSAGE}}
    job = {"schedule": {"delay_seconds": 0}, "target": target, **more}
    # A process may know the tenant without its role for a minute.
    answer = until(
        lambda: tenant.site.request("POST", "/v1/jobs", job),
        lambda found: found.status != UNPROCESSABLE,
        KNOWN_SECONDS,
        poll=5,
    )
    if answer.status != CREATED:
        raise SmokeError(f"the job was answered {answer.status}: {answer.body[:400]!r}")
    made: dict[str, Any] = answer.json()
    return made


def _take(world: World) -> list[dict[str, Any]]:
    """The messages of the queue, from the first one on until none has come for a while."""
    sqs, found = world.target.client("sqs"), list[dict[str, Any]]()
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        received = sqs.receive_message(
            QueueUrl=world.probe["TargetQueueUrl"],
            MessageAttributeNames=["All"],
            MaxNumberOfMessages=10,
            WaitTimeSeconds=0 if world.target.emulated else QUIET_SECONDS,
        ).get("Messages", [])
        for message in received:
            sqs.delete_message(QueueUrl=world.probe["TargetQueueUrl"], ReceiptHandle=message["ReceiptHandle"])
        found += received
        if found and not received:
            break
        if not received:
            time.sleep(0.5)
    return found

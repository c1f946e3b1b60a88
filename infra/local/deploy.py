"""Deploys a cloud assembly into the emulator through the CloudFormation API.

`cdk deploy` works with the emulator too, but takes as long as a synthesis. Here, a start without changes
costs two describe calls.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from botocore.exceptions import ClientError

from infra.local.assembly import Asset, StackArtifact
from infra.local.clients import Clients
from infra.local.emulator_workarounds import fill_gaps
from infra.local.progress import Report, silent
from infra.local.state_dir import LocalStackError

BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version"
DEPLOY_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    outputs: Mapping[str, str]


def deploy(stacks: Sequence[StackArtifact], clients: Clients, report: Report = silent) -> None:
    """Create or update the stacks in order and wait. Raises LocalStackError with the emulator's reason."""
    clients.client("ssm").put_parameter(Name=BOOTSTRAP_PARAMETER, Value="30", Type="String", Overwrite=True)
    for number, stack in enumerate(stacks, start=1):
        report(f"deploying stack {number} of {len(stacks)}, {stack.name}")
        for asset in stack.assets:
            _upload(asset, clients)
        # By URL, because an inline template may have at most 51,200 bytes.
        _deploy_stack(stack.name, f"{clients.endpoint}/{stack.url_path}", clients.client("cloudformation"))
        fill_gaps(stack, clients)


def exists(name: str, clients: Clients) -> bool:
    """Return whether the stack exists and is usable."""
    stack = _describe(name, clients.client("cloudformation"))
    return stack is not None and stack["StackStatus"] in ("CREATE_COMPLETE", "UPDATE_COMPLETE")


def describe(names: Iterable[str], clients: Clients) -> Deployment:
    cloudformation = clients.client("cloudformation")
    outputs: dict[str, str] = {}
    for name in names:
        stack = _describe(name, cloudformation)
        if stack is None:
            raise LocalStackError(f"stack {name} is not in the emulator")
        outputs |= {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", ())}
    return Deployment(outputs=MappingProxyType(outputs))


def _upload(asset: Asset, clients: Clients) -> None:
    s3 = clients.client("s3")
    s3.create_bucket(Bucket=asset.bucket)
    s3.put_object(Bucket=asset.bucket, Key=asset.key, Body=asset.content())


def _deploy_stack(name: str, template_url: str, cloudformation: Any) -> None:
    stack = _describe(name, cloudformation)
    if stack is not None and stack["StackStatus"].startswith(("ROLLBACK", "CREATE_FAILED", "DELETE")):
        # Such a stack cannot be updated, and was never in use.
        cloudformation.delete_stack(StackName=name)
        stack = None
    act = cloudformation.create_stack if stack is None else cloudformation.update_stack
    try:
        act(
            StackName=name,
            TemplateURL=template_url,
            Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
        )
    except ClientError as error:
        if "No updates are to be performed" in str(error):
            return
        raise LocalStackError(f"stack {name}: {str(error)[:500]}") from None
    _await(name, cloudformation)


def _await(name: str, cloudformation: Any) -> None:
    deadline = time.monotonic() + DEPLOY_SECONDS
    while time.monotonic() < deadline:
        stack = _describe(name, cloudformation)
        status = stack["StackStatus"] if stack else "DELETE_COMPLETE"
        if status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            return
        if not status.endswith("IN_PROGRESS"):
            raise LocalStackError(f"stack {name} ended {status}: {_reasons(name, cloudformation)}")
        time.sleep(0.1)
    raise LocalStackError(f"stack {name} is not complete after {DEPLOY_SECONDS:.0f} s")


def _describe(name: str, cloudformation: Any) -> dict[str, Any] | None:
    try:
        stacks = cloudformation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return None
        raise
    return stacks[0] if stacks else None


def _reasons(name: str, cloudformation: Any) -> str:
    events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
    failed = [
        f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', 'no reason given')}"
        for event in events
        if event["ResourceStatus"].endswith("FAILED")
    ]
    return "; ".join(failed) or "no reason given"

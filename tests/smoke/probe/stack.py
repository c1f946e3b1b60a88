"""The probe's stack in a region: created, described, deleted."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from tests.smoke.probe.template import template

SECONDS = 600.0
POLL_SECONDS = 2.0
GONE = "DELETE_COMPLETE"
"""The status of a stack that does not exist."""


class ProbeError(Exception):
    """The stack did not become what was asked for."""


def create(
    client: Callable[[str], Any], name: str, stage: str, topic: str, *, poll_seconds: float = POLL_SECONDS
) -> Mapping[str, str]:
    """Create the stack and return its outputs. A stack of an earlier run goes first: its topic may be another one."""
    delete(client, name, poll_seconds=poll_seconds)
    cloudformation = client("cloudformation")
    tags = [{"Key": "punctual:stage", "Value": stage}]
    cloudformation.create_stack(**_content(name, {"AlarmTopicArn": topic}), Tags=tags)
    _await(cloudformation, name, "CREATE_COMPLETE", poll_seconds)
    (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def update(
    client: Callable[[str], Any], name: str, parameters: Mapping[str, str], *, poll_seconds: float
) -> None:
    """Give the stack all its parameters anew."""
    cloudformation = client("cloudformation")
    cloudformation.update_stack(**_content(name, parameters))
    _await(cloudformation, name, "UPDATE_COMPLETE", poll_seconds)


def _content(name: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    return {
        "StackName": name,
        "TemplateBody": json.dumps(template()),
        "Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
        "Capabilities": ["CAPABILITY_IAM"],
    }


def delete(client: Callable[[str], Any], name: str, *, poll_seconds: float = POLL_SECONDS) -> None:
    """Delete the stack, if it exists, and wait."""
    cloudformation = client("cloudformation")
    if status(cloudformation, name) != GONE:
        cloudformation.delete_stack(StackName=name)
        _await(cloudformation, name, GONE, poll_seconds)


def _await(cloudformation: Any, name: str, wanted: str, poll_seconds: float) -> None:
    deadline = time.monotonic() + SECONDS
    while (found := status(cloudformation, name)) != wanted:
        if not found.endswith("IN_PROGRESS") or time.monotonic() > deadline:
            raise ProbeError(f"stack {name} is {found} and not {wanted}")
        time.sleep(poll_seconds)


def status(cloudformation: Any, name: str) -> str:
    try:
        stacks = cloudformation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return GONE
        raise
    return str(stacks[0]["StackStatus"]) if stacks else GONE

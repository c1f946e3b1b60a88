"""The probe's stack in a region: created, described, deleted."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from tests.smoke.probe.template import template

SECONDS = 600.0
POLL_SECONDS = 2.0
FINAL = ("CREATE_COMPLETE", "DELETE_COMPLETE")


class ProbeError(Exception):
    """The stack did not become what was asked for."""


def create(
    client: Callable[[str], Any], name: str, stage: str, topic: str, *, poll_seconds: float = POLL_SECONDS
) -> Mapping[str, str]:
    """Create the stack, unless it exists, and return its outputs."""
    cloudformation = client("cloudformation")
    if _status(cloudformation, name) == "DELETE_COMPLETE":
        cloudformation.create_stack(
            StackName=name,
            TemplateBody=json.dumps(template()),
            Parameters=[{"ParameterKey": "AlarmTopicArn", "ParameterValue": topic}],
            Capabilities=["CAPABILITY_IAM"],
            Tags=[{"Key": "punctual:stage", "Value": stage}],
        )
    _await(cloudformation, name, "CREATE_COMPLETE", poll_seconds)
    (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def delete(client: Callable[[str], Any], name: str, *, poll_seconds: float = POLL_SECONDS) -> None:
    """Delete the stack, if it exists, and wait."""
    cloudformation = client("cloudformation")
    if _status(cloudformation, name) != "DELETE_COMPLETE":
        cloudformation.delete_stack(StackName=name)
        _await(cloudformation, name, "DELETE_COMPLETE", poll_seconds)


def _await(cloudformation: Any, name: str, wanted: str, poll_seconds: float) -> None:
    deadline = time.monotonic() + SECONDS
    while (status := _status(cloudformation, name)) != wanted:
        if not status.endswith("IN_PROGRESS") or time.monotonic() > deadline:
            raise ProbeError(f"stack {name} is {status} and not {wanted}")
        time.sleep(poll_seconds)


def _status(cloudformation: Any, name: str) -> str:
    try:
        stacks = cloudformation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return "DELETE_COMPLETE"
        raise
    return str(stacks[0]["StackStatus"]) if stacks else "DELETE_COMPLETE"

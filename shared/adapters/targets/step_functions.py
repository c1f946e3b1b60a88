"""Executions of state machines of Step Functions, whose names are the ids of Punctual's own executions."""

from typing import Any

from shared.adapters.aws.services import Endpoint
from shared.adapters.targets.answers import Codes, TargetService, use_of_keys
from shared.domain.delivery.aws_target import AwsTarget, TargetCall, split_arn


def _message(call: TargetCall, _: Endpoint) -> dict[str, Any]:
    return {
        "stateMachineArn": call.target.arn,
        "name": call.deduplication_id,
        "input": call.body.decode(),
    }


def _statements(target: AwsTarget) -> list[dict[str, Any]]:
    """Step Functions judges versions and aliases by the state machine, with a condition for the qualifier."""
    arn = split_arn(target.arn)
    _, _, *qualifier = arn.name.split(":")
    start: dict[str, Any] = {"Effect": "Allow", "Action": "states:StartExecution", "Resource": target.arn}
    if qualifier:
        start["Resource"] = target.arn.removesuffix(f":{qualifier[0]}")
        # The key has several values: a condition without a set operator does not match it.
        start["Condition"] = {"ForAnyValue:StringEquals": {"states:StateMachineQualifier": qualifier}}
    return [start, use_of_keys("states", arn)]


STEP_FUNCTIONS = TargetService(
    name="states",
    operation="StartExecution",
    message=_message,
    statements=_statements,
    codes=Codes(
        already_done={"ExecutionAlreadyExists"},
        not_found={"StateMachineDoesNotExist", "StateMachineDeleting"},
        throttled={"ExecutionLimitExceeded"},
        final={"InvalidArn", "InvalidExecutionInput", "InvalidName"},
    ),
)

"""Targets in AWS as responses, and as the documents that a merge patch applies to."""

from typing import Any

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import LEFT_OUT, Representation, is_none
from shared.domain.delivery.aws_target import AwsTarget, InvocationType, TargetKind, kind_of
from shared.domain.delivery.request import Request


class SqsTargetOut(Representation):
    """A queue, without the message, which may hold secrets and is never shown again."""

    arn: str
    message_group_id: str | SkipJsonSchema[None] = LEFT_OUT


class LambdaTargetOut(Representation):
    """A function, without the payload."""

    arn: str
    invocation_type: InvocationType | SkipJsonSchema[None] = Field(
        None, exclude_if=is_none, description="Missing in lists."
    )


class SnsTargetOut(Representation):
    """A topic, without the message."""

    arn: str
    message_group_id: str | SkipJsonSchema[None] = LEFT_OUT


class EventBridgeTargetOut(Representation):
    """An event bus, without the detail."""

    arn: str
    source: str | SkipJsonSchema[None] = Field(None, exclude_if=is_none, description="Missing in lists.")
    detail_type: str | SkipJsonSchema[None] = Field(None, exclude_if=is_none, description="Missing in lists.")


class StepFunctionsTargetOut(Representation):
    """A state machine, without the input."""

    arn: str


class AwsTargetOut(Representation):
    """The service that a job sends to."""

    model_config = ConfigDict(populate_by_name=True)

    sqs: SqsTargetOut | SkipJsonSchema[None] = LEFT_OUT
    lambda_: LambdaTargetOut | SkipJsonSchema[None] = Field(None, alias="lambda", exclude_if=is_none)
    sns: SnsTargetOut | SkipJsonSchema[None] = LEFT_OUT
    eventbridge: EventBridgeTargetOut | SkipJsonSchema[None] = LEFT_OUT
    step_functions: StepFunctionsTargetOut | SkipJsonSchema[None] = LEFT_OUT


_OUT: dict[TargetKind, type[Representation]] = {
    TargetKind.SQS: SqsTargetOut,
    TargetKind.LAMBDA: LambdaTargetOut,
    TargetKind.SNS: SnsTargetOut,
    TargetKind.EVENTBRIDGE: EventBridgeTargetOut,
    TargetKind.STEP_FUNCTIONS: StepFunctionsTargetOut,
}


def target_out(target: AwsTarget) -> AwsTargetOut:
    shown = _OUT[target.kind](arn=target.arn, **_options(target))
    return AwsTargetOut.model_validate({target.kind.value: shown})


def listed_target(arn: str | None) -> AwsTargetOut | None:
    """The target as a list shows it, without what is stored with the message; None without a target."""
    kind = kind_of(arn) if arn is not None else None
    return None if arn is None or kind is None else target_out(AwsTarget(kind=kind, arn=arn))


def target_document(request: Request) -> dict[str, Any]:
    """The `target` that would create the job as it is now."""
    assert request.target is not None
    members = {"arn": request.target.arn, "body": request.body.decode(), **_options(request.target)}
    return {request.target.kind.value: members}


def _options(target: AwsTarget) -> dict[str, Any]:
    """The members beside ARN and message that the target has."""
    members = {
        "message_group_id": target.message_group_id,
        "invocation_type": target.invocation_type,
        "source": target.source,
        "detail_type": target.detail_type,
    }
    return {name: value for name, value in members.items() if value is not None}

"""Messages to queues of SQS."""

from typing import Any

from shared.adapters.aws.services import Endpoint
from shared.adapters.targets.answers import Codes, TargetService, order_of, use_of_keys
from shared.domain.delivery.aws_target import AwsTarget, TargetCall, split_arn


def _message(call: TargetCall, endpoint: Endpoint) -> dict[str, Any]:
    arn = split_arn(call.target.arn)
    scheme = "https" if endpoint.is_tls else "http"
    params: dict[str, Any] = {
        "QueueUrl": f"{scheme}://{endpoint.host}/{arn.account}/{arn.name}",
        "MessageBody": call.body.decode(),
        "MessageAttributes": {
            name: {"DataType": "String", "StringValue": text} for name, text in call.attributes
        },
    }
    return params | order_of(call)


def _statements(target: AwsTarget) -> list[dict[str, Any]]:
    return [
        {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": target.arn},
        use_of_keys("sqs", split_arn(target.arn)),
    ]


SQS = TargetService(
    name="sqs",
    operation="SendMessage",
    message=_message,
    statements=_statements,
    codes=Codes(
        not_found={
            "QueueDoesNotExist",
            "AWS.SimpleQueueService.NonExistentQueue",
            "QueueDeletedRecently",
        },
        throttled={"OverLimit"},
        final={
            "AWS.SimpleQueueService.UnsupportedOperation",
            "InvalidAddress",
            "InvalidAttributeName",
            "InvalidAttributeValue",
            "InvalidMessageContents",
            "InvalidParameterCombination",
            "InvalidParameterValue",
            "InvalidParameterValueException",
            "MissingParameter",
            "MissingRequiredParameterException",
            "UnsupportedOperation",
        },
    ),
)

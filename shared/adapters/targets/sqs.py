"""Messages to queues: the request, the rights that it needs, and what its refusals mean."""

from typing import Any

from shared.adapters.aws.retries import SKEWED, THROTTLES
from shared.adapters.aws.services import Endpoint
from shared.domain.delivery.aws_target import AwsTarget, TargetCall, split_arn
from shared.domain.delivery.callback import Reason

_NOT_FOUND = frozenset(
    {"QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", "QueueDeletedRecently"}
)
_DENIED = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "InvalidSecurity",
        "KMS.AccessDeniedException",
        "KmsAccessDenied",
        "KMS.DisabledException",
        "KmsDisabled",
        "KMS.InvalidKeyUsageException",
        "KmsInvalidKeyUsage",
        "KMS.InvalidStateException",
        "KmsInvalidState",
        "KMS.NotFoundException",
        "KmsNotFound",
        "KMS.OptInRequired",
        "KmsOptInRequired",
        "NotAuthorized",
        "OptInRequired",
    }
)
_THROTTLED = THROTTLES | {"KMS.ThrottlingException", "KmsThrottled", "OverLimit"}
_UNSIGNED = SKEWED | {
    "IncompleteSignature",
    "IncompleteSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
}
"""SQS took nothing, because of Punctual's own clock or signature."""
_FINAL = frozenset(
    {
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
        "ValidationError",
        "ValidationException",
    }
)
"""The message itself is wrong for the queue. Every other refusal is retried."""


def message(call: TargetCall, endpoint: Endpoint) -> dict[str, Any]:
    """The parameters of SendMessage."""
    target, arn = call.target, split_arn(call.target.arn)
    scheme = "https" if endpoint.is_tls else "http"
    params: dict[str, Any] = {
        "QueueUrl": f"{scheme}://{endpoint.host}/{arn.account}/{arn.name}",
        "MessageBody": call.body.decode(),
        "MessageAttributes": {
            name: {"DataType": "String", "StringValue": text} for name, text in call.attributes
        },
    }
    if target.message_group_id is not None:
        params["MessageGroupId"] = target.message_group_id
    if target.is_fifo:
        # All attempts of an execution have the same id: within five minutes the queue takes one of them.
        params["MessageDeduplicationId"] = call.deduplication_id
    return params


def statements(target: AwsTarget) -> list[dict[str, Any]]:
    """The rights of the session: to send to this queue, and to use the key that encrypts it."""
    arn = split_arn(target.arn)
    suffix = {"aws-cn": "amazonaws.com.cn", "aws-eusc": "amazonaws.eu"}.get(arn.partition, "amazonaws.com")
    return [
        {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": target.arn},
        {
            "Effect": "Allow",
            "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
            "Resource": "*",
            "Condition": {"StringEquals": {"kms:ViaService": f"sqs.{arn.region}.{suffix}"}},
        },
    ]


def answer_reason(code: str, status: int) -> Reason:
    """What a refusal of SQS means for the attempt."""
    if code in _NOT_FOUND:
        return Reason.TARGET_NOT_FOUND
    if code in _DENIED:
        return Reason.TARGET_ACCESS_DENIED
    if code in _THROTTLED or status == 429:
        return Reason.TARGET_THROTTLED
    if code in _UNSIGNED:
        return Reason.UNAVAILABLE
    return Reason.TARGET_REFUSED if code in _FINAL and status < 500 else Reason.TARGET_FAILED

"""What the services have in common: their answers, by the reasons of attempts, and the use of keys."""

from collections.abc import Callable, Mapping, Set
from dataclasses import field
from typing import Any

from shared.adapters.aws.http_call import HttpCall
from shared.adapters.aws.retries import SKEWED, THROTTLES
from shared.adapters.aws.services import Endpoint
from shared.dataclass import dataclass
from shared.domain.delivery.aws_target import Arn, AwsTarget, TargetCall
from shared.domain.delivery.callback import Reason

_DENIED = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "InvalidSecurity",
        "KMS.AccessDeniedException",
        "KMS.DisabledException",
        "KMS.InvalidKeyUsageException",
        "KMS.InvalidStateException",
        "KMS.NotFoundException",
        "KMS.OptInRequired",
        "KMSAccessDenied",
        "KMSAccessDeniedException",
        "KMSDisabled",
        "KMSDisabledException",
        "KMSInvalidState",
        "KMSInvalidStateException",
        "KMSNotFound",
        "KMSNotFoundException",
        "KMSOptInRequired",
        "KmsAccessDenied",
        "KmsAccessDeniedException",
        "KmsDisabled",
        "KmsInvalidKeyUsage",
        "KmsInvalidState",
        "KmsInvalidStateException",
        "KmsNotFound",
        "KmsOptInRequired",
        "NotAuthorized",
        "OptInRequired",
    }
)
"""Each service spells the faults of keys in its own way."""
_THROTTLED = THROTTLES | {
    "KMS.ThrottlingException",
    "KMSThrottling",
    "KmsThrottled",
    "KmsThrottlingException",
}
_UNSIGNED = SKEWED | {
    "IncompleteSignature",
    "IncompleteSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
}
"""The service took nothing, because of Punctual's own clock or signature."""
RETRY_AFTER = "RetryAfterSeconds"
"""The member of an error with the header of this name, where the service has one."""
_FINAL = frozenset({"ValidationError", "ValidationException"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes:
    """The codes of one service, beside those that all have. The message itself is wrong for those of `final`.

    Every other refusal is retried.
    """

    not_found: Set[str] = frozenset()
    denied: Set[str] = frozenset()
    throttled: Set[str] = frozenset()
    final: Set[str] = frozenset()
    already_done: Set[str] = frozenset()
    """An earlier attempt, whose answer was lost, has had its effect."""

    def reason(self, code: str, status: int) -> Reason:
        """What a refusal means for the attempt."""
        if code in self.already_done:
            return Reason.OK
        if code in self.not_found:
            return Reason.TARGET_NOT_FOUND
        if code in _DENIED or code in self.denied:
            return Reason.TARGET_ACCESS_DENIED
        if code in _THROTTLED or code in self.throttled or status == 429:
            return Reason.TARGET_THROTTLED
        if code in _UNSIGNED:
            return Reason.UNAVAILABLE
        is_final = (code in _FINAL or code in self.final) and status < 500
        return Reason.TARGET_REFUSED if is_final else Reason.TARGET_FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetAnswer:
    """What a service has answered to a message that it took."""

    reason: Reason = Reason.OK
    status: int = 200
    body: bytes = field(default=b"", repr=False)
    """The answer of a function."""
    retry_after_seconds: int | None = None


def accepted(_: Mapping[str, Any]) -> TargetAnswer:
    """The answer of a service that says nothing else."""
    return TargetAnswer()


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetService:
    """How messages reach one kind of target."""

    name: str
    """In `SERVICES` of the transport."""
    operation: str
    protocol: type[HttpCall] = HttpCall
    message: Callable[[TargetCall, Endpoint], dict[str, Any]]
    """The parameters of the operation."""
    statements: Callable[[AwsTarget], list[dict[str, Any]]]
    """The rights of the session: what the message needs, for this target alone."""
    codes: Codes
    read: Callable[[Mapping[str, Any]], TargetAnswer] = accepted
    """The answer, from the members of a response; AwsError for a refusal inside of it."""


def order_of(call: TargetCall) -> dict[str, str]:
    """The group of a message, and for a FIFO queue or topic the id by which it is taken once."""
    target = call.target
    params = {} if target.message_group_id is None else {"MessageGroupId": target.message_group_id}
    if target.is_fifo:
        # All attempts of an execution have the same id: within five minutes one of them is taken.
        params["MessageDeduplicationId"] = call.deduplication_id
    return params


def use_of_keys(service: str, arn: Arn) -> dict[str, Any]:
    """The right to use the key that encrypts a target, through its service alone."""
    suffix = {"aws-cn": "amazonaws.com.cn", "aws-eusc": "amazonaws.eu"}.get(arn.partition, "amazonaws.com")
    return {
        "Effect": "Allow",
        "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
        "Resource": "*",
        "Condition": {"StringEquals": {"kms:ViaService": f"{service}.{arn.region}.{suffix}"}},
    }

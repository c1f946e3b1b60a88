"""Targets in AWS: what a job sends its body to, in place of an HTTP request."""

import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from shared.dataclass import dataclass
from shared.domain.errors import UnreadableItemError

MAX_ARN_CHARACTERS = 320
"""The names of topics and buses alone have up to 256."""
ACCOUNT = r"[0-9]{12}"
REGION = r"[a-z]{2,4}(?:-[a-z]{1,12}){1,3}-[1-9][0-9]?"
PARTITION = r"aws(?:-[a-z]{1,8}){0,2}"
ROLE_ARN = rf"^arn:{PARTITION}:iam::{ACCOUNT}:role/[A-Za-z0-9+=,.@_/-]{{1,512}}$"
"""The form of a role's ARN."""
ARN = re.compile(
    rf"arn:(?P<partition>{PARTITION}):(?P<service>[a-z0-9-]{{1,32}}):(?P<region>{REGION})?:(?P<account>{ACCOUNT})?:(?P<rest>.+)"
)


class TargetKind(StrEnum):
    """The services. The values are the names of the API, and are stored."""

    SQS = "sqs"
    LAMBDA = "lambda"
    SNS = "sns"
    EVENTBRIDGE = "eventbridge"
    STEP_FUNCTIONS = "step_functions"


SERVICES = {
    TargetKind.SQS: "sqs",
    TargetKind.LAMBDA: "lambda",
    TargetKind.SNS: "sns",
    TargetKind.EVENTBRIDGE: "events",
    TargetKind.STEP_FUNCTIONS: "states",
}
"""The services as ARNs and host names spell them."""
_KINDS = {service: kind for kind, service in SERVICES.items()}


class InvocationType(StrEnum):
    """Whether a call of a function waits for its answer. The values are those of the API, and are stored."""

    EVENT = "event"
    """Lambda queues the event, and answers at once."""
    REQUEST_RESPONSE = "request_response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arn:
    """The parts of the ARN of a target."""

    partition: str
    region: str
    account: str
    name: str
    """What follows the account, such as the name of a queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsTarget:
    """Where the body of a job goes. The values have been checked by `target_errors`."""

    kind: TargetKind
    arn: str
    message_group_id: str | None = None
    """Of queues and topics."""
    invocation_type: InvocationType | None = None
    """Of functions."""
    source: str | None = None
    """Of events, like `detail_type`."""
    detail_type: str | None = None

    @property
    def is_fifo(self) -> bool:
        """Whether it keeps the order of each message group, and drops repeated messages."""
        return self.arn.endswith(".fifo") and self.kind in (TargetKind.SQS, TargetKind.SNS)

    @property
    def answers(self) -> bool:
        """Whether a success has a body that a task can hand on."""
        return self.invocation_type is InvocationType.REQUEST_RESPONSE

    @property
    def document(self) -> dict[str, Any]:
        """It as a part of a stored request; equal targets give equal documents."""
        document = {"k": self.kind, "r": self.arn, "g": self.message_group_id}
        more = {"i": self.invocation_type, "o": self.source, "d": self.detail_type}
        return document | {name: value for name, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCall:
    """One message to one target, with the rights of the tenant's role."""

    tenant_id: str
    target: AwsTarget
    body: bytes = field(repr=False)
    role_arn: str
    external_id: str = field(repr=False)
    """A secret of the tenant."""
    session_name: str
    """The name of the session, which the trail of the tenant's own account shows."""
    deduplication_id: str
    """The same in all attempts of an execution."""
    attributes: tuple[tuple[str, str], ...]
    """What the message carries beside its body: names and texts."""
    not_from: int | None = None
    """The instant from which it must not be sent, because the tenant is suspended."""
    kept_bytes: int = 0
    """How much of the body of a success is wanted; 0 for none."""

    @property
    def scope(self) -> str:
        """The calls of one scope share a session."""
        return self.target.arn


def split_arn(arn: str) -> Arn:
    """The parts of a valid ARN; UnreadableItemError for any other text, which is not repeated."""
    match = ARN.fullmatch(arn) if len(arn) <= MAX_ARN_CHARACTERS else None
    if match is None or match["region"] is None or match["account"] is None:
        raise UnreadableItemError("the stored target is no ARN")
    return Arn(
        partition=match["partition"], region=match["region"], account=match["account"], name=match["rest"]
    )


def kind_of(arn: str) -> TargetKind | None:
    """The kind of target that an ARN names; None for a service that is no target."""
    parts = arn.split(":", 3)
    return _KINDS.get(parts[2]) if len(parts) > 3 else None


def decode_target(document: Mapping[str, Any]) -> AwsTarget:
    """Decode a target; raises ValueError or KeyError for anything else."""
    return AwsTarget(
        kind=TargetKind(document["k"]),
        arn=document["r"],
        message_group_id=document["g"],
        invocation_type=InvocationType(document["i"]) if "i" in document else None,
        source=document.get("o"),
        detail_type=document.get("d"),
    )

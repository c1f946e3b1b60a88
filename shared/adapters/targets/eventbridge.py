"""Events to buses of EventBridge, whose detail names the execution."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.services import Endpoint
from shared.adapters.targets.answers import Codes, TargetAnswer, TargetService
from shared.adapters.targets.origin import with_origin
from shared.domain.delivery.aws_target import AwsTarget, TargetCall

_OPERATION = "PutEvents"


def _message(call: TargetCall, _: Endpoint) -> dict[str, Any]:
    entry = {
        "EventBusName": call.target.arn,
        "Source": call.target.source,
        "DetailType": call.target.detail_type,
        "Detail": with_origin(call).decode(),
    }
    return {"Entries": [entry]}


def _statements(target: AwsTarget) -> list[dict[str, Any]]:
    return [{"Effect": "Allow", "Action": "events:PutEvents", "Resource": target.arn}]


def _answer(read: Mapping[str, Any]) -> TargetAnswer:
    """A refused event is a 200 as well. AwsError for one, with its own code."""
    entries = read.get("Entries")
    entry = entries[0] if isinstance(entries, list) and entries else None
    if not isinstance(entry, dict):
        raise NoAnswerError("the answer has no entry")
    if read.get("FailedEntryCount") or not entry.get("EventId"):
        error = {"Code": str(entry.get("ErrorCode")), "Message": str(entry.get("ErrorMessage"))}
        raise AwsError(_OPERATION, {"Error": error}, status=200)
    return TargetAnswer()


EVENTBRIDGE = TargetService(
    name="events",
    operation=_OPERATION,
    message=_message,
    statements=_statements,
    codes=Codes(
        not_found={"ResourceNotFoundException"},
        denied={
            "NotAuthorizedForDetailType",
            "NotAuthorizedForDetailTypeException",
            "NotAuthorizedForSource",
            "NotAuthorizedForSourceException",
        },
        final={"InvalidArgument", "InvalidAccountIdException", "MalformedDetail", "RedactionFailure"},
    ),
    read=_answer,
)

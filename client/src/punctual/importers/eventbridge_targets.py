"""Targets of EventBridge Scheduler that Punctual sends to as well: queues, functions, topics, buses, state machines."""

import re
from collections.abc import Iterator
from typing import Any, Final

from punctual.importers.json_object import JsonObject
from punctual.importers.json_values import read_value

_ARN: Final = r"arn:aws[a-z-]*:{0}:[a-z0-9-]+:(?P<account>[0-9]{{12}}):{1}"
_ARNS: Final = {
    service: re.compile(_ARN.format(name, rest))
    for service, (name, rest) in {
        "sqs": ("sqs", r"[A-Za-z0-9_.-]+"),
        "lambda": ("lambda", r"function:[A-Za-z0-9_$:-]+"),
        "sns": ("sns", r"[A-Za-z0-9_.-]+"),
        "eventbridge": ("events", r"event-bus/\S+"),
        "step_functions": ("states", r"stateMachine:[A-Za-z0-9_:.-]+"),
    }.items()
}
_OBJECTS: Final = ("lambda", "eventbridge")
"""Their messages are JSON objects, to which Punctual adds a member."""
ORIGIN: Final = "punctual"
PARAMETERS: Final = {
    "sqs": ("SqsParameters", {"MessageGroupId": "message_group_id"}),
    "eventbridge": ("EventBridgeParameters", {"Source": "source", "DetailType": "detail_type"}),
}
"""The templated parameters of a service, and the members that they become."""


def service_of(arn: str) -> tuple[str, str] | None:
    """The service in the API, and the account; None for an ARN that is no target of Punctual's."""
    for service, form in _ARNS.items():
        if match := form.fullmatch(arn):
            return service, match["account"]
    return None


def options_of(service: str, target: JsonObject) -> tuple[dict[str, str], list[str]]:
    """The members beside ARN and message, and unknown parameters. Raises MemberError for one that is no text."""
    template, names = PARAMETERS.get(service, ("", {}))
    given = target.object(template) if template else JsonObject({})
    found = {member: given.get(name, str) for name, member in names.items()}
    return {member: value for member, value in found.items() if value is not None}, given.unused()


def message_of(text: str | None) -> dict[str, Any]:
    """`json`, or `body` if the text is not JSON; an empty object for a schedule without an Input."""
    if text is None:
        return {"json": {}}
    try:
        return {"json": read_value(text)}
    except ValueError:
        return {"body": text}


def misfits_of(service: str, arn: str, members: dict[str, Any]) -> Iterator[str]:
    """What such a target cannot take."""
    if service in _OBJECTS:
        value = members.get("json")
        if not isinstance(value, dict):
            yield f"its Input is no JSON object, to which Punctual adds the member {ORIGIN}: give --map"
        elif ORIGIN in value:
            yield f"its Input has the member {ORIGIN}, which Punctual adds: give --map"
    if service == "step_functions" and "json" not in members:
        yield "its Input is not JSON"
    if arn.endswith(".fifo") and service in ("sqs", "sns") and "message_group_id" not in members:
        yield "a FIFO queue or topic needs a message group, and the schedule has none"
    if service == "eventbridge":
        for member, name in (("source", "Source"), ("detail_type", "DetailType")):
            if member not in members:
                yield f"EventBridgeParameters has no {name}"

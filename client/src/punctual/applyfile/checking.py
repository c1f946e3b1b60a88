"""Checks the members of a job against the types and limits of the API's schemas."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

import msgspec

from punctual.applyfile.model import ID_PREFIX, KEY, WORKFLOW_ID, value_at
from punctual.applyfile.schema import (
    CALL_MEMBERS,
    KINDS,
    MEMBERS,
    ONLY_WITH,
    REQUEST_MEMBERS,
    SCHEDULE_MEMBERS,
    TARGET_MEMBERS,
    URL_POINTERS,
    Fields,
)
from punctual.aws_targets import OPTIONS, TARGETS, services_with

Path = tuple[str | int, ...]

_BESIDE: Final = "its members stand beside the others"
_RUNS_ONCE: Final = "belongs to a job that runs once, and a file has jobs that recur: create it by itself"
_ELSEWHERE: Final = {
    **dict.fromkeys(("at", "delay_seconds", "start_deadline_seconds", "when_suspended"), _RUNS_ONCE),
    "key": "the name above the members is the key",
    "set": "stands at the head of the file, for all jobs",
    "schedule": f"{_BESIDE}: {', '.join(SCHEDULE_MEMBERS)}",
    "request": f"{_BESIDE}: {', '.join(REQUEST_MEMBERS)}",
    "target": f"{_BESIDE}: {', '.join(TARGET_MEMBERS)}",
}
_MESSAGE = re.compile(r"(?P<what>.*?)(?: - at (?:key in )?`\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.([A-Za-z_]+)|\[(\d+)\]|\[\.\.\.\]")


def member_error(members: Mapping[str, Any]) -> tuple[Path, str] | None:
    """Return the place of the first error and what is wrong, or None. The members need not be complete."""
    for member in members:
        if member not in MEMBERS:
            return (member,), _unknown(member)
    if error := type_error(members, Fields):
        return error
    if unknown_source := outside_error(_maybe_outside(members)):
        return unknown_source
    if why := _workflow_error(members.get("workflow")):
        return ("workflow",), why
    tags = members.get("tags", [])
    if len(set(tags)) != len(tags):
        return ("tags",), "a tag occurs twice"
    names = [header.lower() for header in members.get("headers", {})]
    if len(set(names)) != len(names):
        return ("headers",), "a header occurs twice, in upper and lower case"
    return None


def type_error(members: Mapping[str, Any], fields: type[msgspec.Struct]) -> tuple[Path, str] | None:
    """Return the place of the first member that has not the type or the limits of `fields`, or None."""
    try:
        msgspec.convert(members, type=fields, strict=True)
    except msgspec.ValidationError as error:
        match = _MESSAGE.fullmatch(str(error))
        assert match is not None
        return _steps(match["path"] or ""), _in_plain_words(match["what"])
    return None


def job_error(members: Mapping[str, Any]) -> tuple[Path, str] | None:
    """Return what keeps complete and checked members from being a job, or None."""
    kinds = [kind for kind in KINDS if kind in members]
    if len(kinds) != 1:
        return (), f"exactly one of {', '.join(KINDS)} is needed"
    for member in members:
        if kinds[0] not in ONLY_WITH.get(member, KINDS):
            return (member,), f"has no meaning with {kinds[0]}"
    if re.match(r"\s*at\s*\(", members.get("expression", "")):
        return ("expression",), _RUNS_ONCE
    if "workflow" in members:
        called = next((member for member in members if member in (*CALL_MEMBERS, *TARGET_MEMBERS)), None)
        return (
            None if called is None else ((called,), "belongs to a job that calls a `url`, not a `workflow`")
        )
    return call_error(members, "a `workflow`, or a target, such as `sqs` for a message to a queue")


def call_error(members: Mapping[str, Any], others: str) -> tuple[Path, str] | None:
    """Return what keeps complete members from being a request or a target, or None. `others` may stand for a URL."""
    services = [service for service in TARGETS if service in members]
    if services:
        return _message_error(members, services)
    if "url" not in members:
        return ("url",), f"is required, or {others}"
    for option in OPTIONS:
        if option in members:
            return (option,), f"has no meaning without {services_with(option)}"
    if "body" in members and "json" in members:
        return ("json",), "a request has `body` or `json`, not both"
    return None


def _message_error(members: Mapping[str, Any], services: list[str]) -> tuple[Path, str] | None:
    service, *others = services
    if others:
        return (others[0],), f"only one target can be sent to, and `{service}` is another one"
    options = (option for option in OPTIONS if option not in TARGETS[service])
    for member in ("url", "method", "headers", "auth", "signing_secret", *options):
        if member in members:
            return (member,), f"has no meaning with `{service}`"
    if ("body" in members) == ("json" in members):
        return (service,), "a message has exactly one of `body` and `json`"
    if service == "eventbridge":
        for member in TARGETS[service]:
            if member not in members:
                return (member,), "is required with `eventbridge`"
    return None


def _workflow_error(named: str | None) -> str | None:
    """Return what keeps a text from naming a workflow, or None."""
    if named is None or WORKFLOW_ID.fullmatch(named):
        return None
    if named.startswith(ID_PREFIX):
        return (
            "begins as an id, and an id has wfl_1 and 27 more characters; a workflow of the file whose name begins so "
            "is named with its set"
        )
    if not KEY.fullmatch(named):
        return "names a workflow of the file, or one by its key, such as shop.order, or by its id"
    return None


def _maybe_outside(members: Mapping[str, Any]) -> dict[Path, Any]:
    """The values that may come from outside the file, by their places."""
    given: dict[Path, Any] = {("headers", name): value for name, value in members.get("headers", {}).items()}
    given["body",] = members.get("body")
    return given | {path: value_at(members, path) for path in URL_POINTERS}


def outside_error(given: Mapping[Any, Any]) -> tuple[Path, str] | None:
    """Return the first value from outside the file that does not say where it comes from."""
    for path, value in given.items():
        if isinstance(value, dict) and len(value) != 1:
            return path, "exactly one of env, command is needed"
    return None


def _unknown(member: str) -> str:
    if member in _ELSEWHERE:
        return _ELSEWHERE[member]
    near = get_close_matches(member, MEMBERS, n=1)
    return f"unknown member; did you mean {near[0]}?" if near else "unknown member"


def _in_plain_words(what: str) -> str:
    if "matching regex" in what:
        return "has a form that the API refuses"
    return what[:1].lower() + what[1:]


def _steps(path: str) -> Path:
    """Turn msgspec's path, such as `.retry.max_attempts`, into a path of members.

    msgspec does not say which member of a mapping it means; such a path ends at the mapping.
    """
    steps: list[str | int] = []
    for match in _STEP.finditer(path):
        if match[1]:
            steps.append(match[1])
        elif match[2]:
            steps.append(int(match[2]))
        else:
            break
    return tuple(steps)

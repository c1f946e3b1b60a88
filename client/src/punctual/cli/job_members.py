"""From the options of `create` and `edit` to the members of a job."""

from collections.abc import Iterable, Mapping
from typing import Any

from punctual.aws_targets import OPTIONS, TARGETS, target_of
from punctual.cli.exits import CommandError, Exit
from punctual.cli.job_options import JOB_OPTIONS
from punctual.cli.session import Session

KINDS = ("cron", "rate_seconds", "at", "delay_seconds", "expression")
"""The members of a schedule of which there is exactly one."""
_MESSAGE = ("--body", "--json")
_NO_CALL = "what does the job call or start? Give --url, --workflow, or a target, such as --sqs or --lambda"
PARTS = ("retry", "alerts")
"""Members of a job that `--clear` takes as a whole."""
_KIND_FLAGS = ", ".join(each.flag for each in JOB_OPTIONS if each.part == "schedule" and each.member in KINDS)


def members_of_job(session: Session, values: Mapping[str, Any]) -> dict[str, Any]:
    """The members that options have given, as in the body of `POST /v1/jobs`. Raises CommandError."""
    job: dict[str, Any] = {}
    for option in JOB_OPTIONS:
        value = values.get(option.name)
        if value is None or value == []:
            continue
        part = job.setdefault(option.part, {}) if option.part else job
        if option.member == "auth" and option.member in part:
            raise CommandError("give only one of --oidc-audience and --sigv4", Exit.USAGE)
        part[option.member] = value if option.read is None else option.read(session, option.flag, value)
    if len(_kinds(job)) > 1:
        raise CommandError(f"give only one of {_KIND_FLAGS}", Exit.USAGE)
    return _with_target(job)


def _with_target(job: dict[str, Any]) -> dict[str, Any]:
    """The members with `target` in the form of the API: the body of the request is its message."""
    given = job.pop("target", None)
    if given is None:
        return job
    services, request = [each for each in TARGETS if each in given], job.pop("request", {})
    if len(services) > 1:
        raise CommandError(f"give only one of {_flag(services[0])} and {_flag(services[1])}", Exit.USAGE)
    if wrong := [each.flag for each in JOB_OPTIONS if each.part == "request" and each.member in request]:
        refused = [flag for flag in wrong if flag not in _MESSAGE]
        if refused:
            raise CommandError(f"{refused[0]} has no meaning for a target in AWS", Exit.USAGE)
    service = services[0] if services else _service_of(given)
    if wrong := [each for each in given if each in OPTIONS and each not in TARGETS[service]]:
        raise CommandError(f"{_flag(wrong[0])} has no meaning with {_flag(service)}", Exit.USAGE)
    if not services:
        return {**job, "target": {service: {**request, **given}}}
    return {**job, "target": target_of(service, given.pop(service), {**request, **given})}


def _service_of(options: Iterable[str]) -> str:
    """The first service that has one of these options, where no option names the service."""
    return next(service for service, known in TARGETS.items() if set(known) & set(options))


def _flag(member: str) -> str:
    return f"--{member.replace('_', '-')}"


def checked_new(job: Mapping[str, Any]) -> None:
    """Raise CommandError unless it says when and what to call."""
    if not _kinds(job):
        raise CommandError(f"when does the job run? Give one of {_KIND_FLAGS}", Exit.USAGE)
    target: Mapping[str, Any] = next(iter(job.get("target", {}).values()), {})
    is_called = "url" in job.get("request", {}) or "workflow" in job
    if not is_called and not {"arn", "queue_url"} & set(target):
        raise CommandError(_NO_CALL, Exit.USAGE)


def _kinds(job: Mapping[str, Any]) -> list[str]:
    return [each for each in KINDS if each in job.get("schedule", {})]


def cleared(job: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The patch with null for the members that `--clear` names. Raises CommandError."""
    by_name = {
        flag.lstrip("-"): option
        for option in JOB_OPTIONS
        for flag in option.flags
        if flag.startswith("--") and option.member not in TARGETS
    }
    for given in names:
        name = given.lstrip("-")
        option = by_name.get(name)
        if option is None and name not in PARTS:
            known = ", ".join(sorted({*by_name, *PARTS}))
            raise CommandError(f"--clear {given!r} is no option of a job: give one of {known}", Exit.USAGE)
        part = job.setdefault(option.part, {}) if option is not None and option.part else job
        if option is not None and option.part == "target":
            part = part.setdefault(next(iter(part), None) or _service_of((option.member,)), {})
        member = name if option is None else option.member
        if part is None or member in part:
            raise CommandError(f"--clear {name} contradicts another option", Exit.USAGE)
        part[member] = None
    return job


def without_headers(job: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The patch with null for these headers. Raises CommandError for a header that it sets, too."""
    for name in names:
        headers = job.setdefault("request", {}).setdefault("headers", {})
        if headers is None or name in headers:
            raise CommandError(f"--remove-header {name} contradicts another option", Exit.USAGE)
        headers[name] = None
    return job

"""JSON merge patches (RFC 7396) of jobs."""

from copy import deepcopy
from typing import Any

from functions.api.alert_models import AlertsIn
from functions.api.resources.jobs.auth_models import AuthIn, OidcAuthIn, SigV4AuthIn
from functions.api.resources.jobs.call_models import BACKOFF, RequestIn, RetryIn
from functions.api.resources.jobs.models import JobIn
from functions.api.resources.jobs.target_models import AwsTargetIn
from functions.api.resources.schedules.models import KINDS, ONCE, ScheduleIn
from shared.domain.delivery.call_kind import CallKind
from shared.domain.errors import InvalidValueError, raise_any
from shared.domain.jobs.new_job import CALL_ONLY

_BODIES = ("body", "json")
_MEMBERS: dict[tuple[str, ...], set[str]] = {
    path: {field.alias or name for name, field in model.model_fields.items()}
    for path, model in (
        ((), JobIn),
        (("schedule",), ScheduleIn),
        (("request",), RequestIn),
        (("request", "auth"), AuthIn),
        (("request", "auth", "oidc"), OidcAuthIn),
        (("request", "auth", "sigv4"), SigV4AuthIn),
        (("target",), AwsTargetIn),
        (("retry",), RetryIn),
        (("alerts",), AlertsIn),
    )
}
"""The members of a job, and of each object in it by its path."""


def patched(document: dict[str, Any], patch: Any) -> dict[str, Any]:
    """The document after the patch. InvalidValueError where the patch is not an object, or names no member.

    An extension of the RFC: where members exclude one another, a named member replaces the others. A
    `schedule` of another kind replaces the schedule, a `workflow` or `target` a `request` and the reverse, a
    `business_day` a `when_excluded`, a `json` a `body`, a way of
    `auth` the other, a table of delays a backoff.
    """
    if not isinstance(patch, dict):
        raise InvalidValueError("a merge patch is a JSON object")
    _check_names(patch)
    base = deepcopy(document)
    _remove_excluded(base, patch)
    merged = merge(base, patch)
    return merged if isinstance(merged, dict) else {}


def check_backfill_patch(patch: dict[str, Any]) -> None:
    """InvalidValueError where a patch of a backfill changes more than its name and tags."""
    detail = (
        "a backfill keeps what it began with, all but its name and tags: delete it, and begin another one"
    )
    raise_any(InvalidValueError(detail, path=(name,)) for name in patch if name not in ("name", "tags"))


def _check_names(patch: dict[str, Any]) -> None:
    """Refuse a null for an unknown member: merging would drop a misspelt name before validation."""
    raise_any(
        InvalidValueError("there is no such member", path=(*path, name))
        for path, members in _MEMBERS.items()
        for name, value in _part(patch, path).items()
        if value is None and name not in members
    )


def _part(document: Any, path: tuple[str, ...]) -> dict[str, Any]:
    """The object at a path; empty where there is none."""
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _remove_excluded(document: dict[str, Any], patch: dict[str, Any]) -> None:
    """Remove the members that the patch's members exclude."""
    _remove_other_call(document, patch)
    schedule, request = patch.get("schedule"), patch.get("request")
    if isinstance(schedule, dict):
        kinds = {kind for kind in KINDS if schedule.get(kind) is not None}
        if kinds and not kinds & set(document["schedule"]):
            _check_recurrence(document["schedule"], kinds)
            document["schedule"] = {}
        _remove_excluded_days(document["schedule"], schedule)
    if isinstance(request, dict) and "request" in document and any(name in request for name in _BODIES):
        for name in _BODIES:
            document.get("request", {}).pop(name, None)
    given = [kind for kind, members in _part(patch, ("request", "auth")).items() if members is not None]
    stored = _part(document, ("request", "auth"))
    for kind in [kind for kind in stored if len(given) == 1 and kind not in given]:
        stored.pop(kind)
    if isinstance(patch.get("retry"), dict) and "retry" in document:
        _remove_excluded_delays(document["retry"], patch["retry"])


def _remove_other_call(document: dict[str, Any], patch: dict[str, Any]) -> None:
    """The kinds of calls replace one another, and so do the two spellings of a queue, and of a message."""
    replacing = [kind for kind in CallKind if patch.get(kind) is not None]
    if len(replacing) == 1:
        only_others = CALL_ONLY if CallKind.WORKFLOW in replacing else ()
        for name in (*(kind for kind in CallKind if kind not in replacing), *only_others):
            document.pop(name, None)
    _remove_other_target(document, patch.get("target"))


def _remove_other_target(document: dict[str, Any], given: Any) -> None:
    """Another service replaces the stored one. A service that stays keeps the members that the patch has not."""
    stored = document.get("target")
    if not isinstance(given, dict) or not isinstance(stored, dict):
        return
    for kind in [kind for kind in stored if given and kind not in given]:
        stored.pop(kind)
    for kind, members in given.items():
        if isinstance(members, dict) and isinstance(stored.get(kind), dict):
            for pair in (_BODIES, ("arn", "queue_url")):
                if any(name in members for name in pair):
                    for name in pair:
                        stored[kind].pop(name, None)


def _remove_excluded_days(document: dict[str, Any], patch: dict[str, Any]) -> None:
    """An nth business day and a rule for excluded days replace one another, and both go with their calendar."""
    replacing = {name for name in ("when_excluded", "business_day") if patch.get(name) is not None}
    if replacing or ("calendar" in patch and patch["calendar"] is None):
        for name in {"when_excluded", "business_day"} - replacing:
            document.pop(name, None)


def _remove_excluded_delays(retry: dict[str, Any], patch: dict[str, Any]) -> None:
    """The length of a table of delays determines `max_attempts`, which therefore goes with it."""
    if patch.get("delays_seconds") is not None:
        for name in ("max_attempts", *BACKOFF):
            retry.pop(name, None)
    elif "delays_seconds" in retry and any(patch.get(name) is not None for name in BACKOFF):
        for name in ("max_attempts", "delays_seconds"):
            retry.pop(name)


def _check_recurrence(schedule: dict[str, Any], kinds: set[str]) -> None:
    """A job's id tells whether it recurs, so a patch cannot change that."""
    runs_once = bool(set(ONCE) & set(schedule))
    if "expression" not in kinds and runs_once != bool(set(ONCE) & kinds):
        detail = (
            "a job that runs once cannot be made to recur"
            if runs_once
            else "a job that recurs goes on recurring"
        )
        raise InvalidValueError(detail, path=("schedule",))


def merge(target: Any, patch: Any) -> Any:
    """RFC 7396, without its extension."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged

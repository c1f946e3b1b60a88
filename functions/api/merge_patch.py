"""JSON merge patches (RFC 7396) of jobs."""

from copy import deepcopy
from typing import Any

from functions.api.faults import escaped
from functions.api.models.jobs import JobIn
from functions.api.models.requests import BACKOFF, RequestIn, RetryIn
from functions.api.models.schedules import KINDS, ScheduleIn
from functions.api.problems import FieldError, Problem, ProblemError

_BODIES = ("body", "json")
_ONCE = frozenset({"at", "delay_seconds"})
_MEMBERS = {
    pointer: {field.alias or name for name, field in model.model_fields.items()}
    for pointer, model in (
        ("", JobIn),
        ("/schedule", ScheduleIn),
        ("/request", RequestIn),
        ("/retry", RetryIn),
    )
}
"""What has members that are written out, by its pointer."""


def patched(document: dict[str, Any], patch: Any) -> dict[str, Any]:
    """The document after the patch. ProblemError where the patch is no object.

    Beyond the RFC: naming one of several things that exclude one another takes the place of the others. So a patch
    of `schedule` that names another kind replaces the schedule, a `json` replaces a `body`, and a table of delays
    replaces a backoff.
    """
    if not isinstance(patch, dict):
        fault = FieldError("", "a merge patch is a JSON object")
        raise ProblemError(Problem.VALIDATION_FAILED, "1 error(s) in the body", errors=[fault])
    _check_names(patch)
    base = deepcopy(document)
    _make_room(base, patch)
    merged = _merge(base, patch)
    return merged if isinstance(merged, dict) else {}


def _check_names(patch: dict[str, Any]) -> None:
    """A null would take away what is not there: a name that is misspelt has to be refused before it vanishes."""
    parts = {pointer: patch if not pointer else patch.get(pointer[1:]) for pointer in _MEMBERS}
    faults = [
        FieldError(f"{pointer}/{escaped(name)}", "there is no such member")
        for pointer, part in parts.items()
        if isinstance(part, dict)
        for name, value in part.items()
        if value is None and name not in _MEMBERS[pointer]
    ]
    if faults:
        raise ProblemError(Problem.VALIDATION_FAILED, f"{len(faults)} error(s) in the body", errors=faults)


def _make_room(document: dict[str, Any], patch: dict[str, Any]) -> None:
    schedule, request = patch.get("schedule"), patch.get("request")
    if isinstance(schedule, dict):
        named = {kind for kind in KINDS if schedule.get(kind) is not None}
        if named and not named & set(document["schedule"]):
            _require_same_nature(document["schedule"], named)
            document["schedule"] = {}
    if isinstance(request, dict) and any(name in request for name in _BODIES):
        for name in _BODIES:
            document["request"].pop(name, None)
    if isinstance(patch.get("retry"), dict):
        _make_room_in_retry(document["retry"], patch["retry"])


def _make_room_in_retry(retry: dict[str, Any], patch: dict[str, Any]) -> None:
    """How many attempts there are comes with a table, and goes with it."""
    if patch.get("delays_seconds") is not None:
        for name in ("max_attempts", *BACKOFF):
            retry.pop(name, None)
    elif "delays_seconds" in retry and any(patch.get(name) is not None for name in BACKOFF):
        for name in ("max_attempts", "delays_seconds"):
            retry.pop(name)


def _require_same_nature(schedule: dict[str, Any], named: set[str]) -> None:
    """Whether it recurs is in a job's very id."""
    runs_once = bool(_ONCE & set(schedule))
    if "expression" not in named and runs_once != bool(_ONCE & named):
        detail = (
            "a job that runs once cannot be made to recur"
            if runs_once
            else "a job that recurs goes on recurring"
        )
        fault = FieldError("/schedule", detail)
        raise ProblemError(Problem.VALIDATION_FAILED, "1 error(s) in the body", errors=[fault])


def _merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merge(merged.get(name), value)
    return merged

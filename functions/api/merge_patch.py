"""JSON merge patches (RFC 7396) of jobs."""

from copy import deepcopy
from typing import Any

from functions.api.models.schedules import KINDS
from functions.api.problems import FieldError, Problem, ProblemError

_BODIES = ("body", "json")
_ONCE = frozenset({"at", "delay_seconds"})


def patched(document: dict[str, Any], patch: Any) -> dict[str, Any]:
    """The document after the patch. ProblemError where the patch is no object.

    Beyond the RFC: naming one of several things that exclude one another takes the place of the others. So a patch
    of `schedule` that names another kind replaces the schedule, and a `json` replaces a `body`.
    """
    if not isinstance(patch, dict):
        fault = FieldError("", "a merge patch is a JSON object")
        raise ProblemError(Problem.VALIDATION_FAILED, "1 error(s) in the body", errors=[fault])
    base = deepcopy(document)
    _make_room(base, patch)
    merged = _merge(base, patch)
    return merged if isinstance(merged, dict) else {}


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

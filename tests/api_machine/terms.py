"""A job's document in full: what a PATCH is merged into, by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tests.api_machine.instants import Timetable, in_full

DEFAULTS: dict[str, Any] = {
    "name": None,
    "tags": [],
    "lane": "standard",
    "timeout_seconds": 30,
    "retry": {"max_attempts": 5, "base_seconds": 10, "factor": 2, "cap_seconds": 3600},
    "catch_up": "coalesce",
}
KINDS = {"at", "delay_seconds", "cron", "rate_seconds"}
TOUCH_NO_RUN = {"name", "tags"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a job is. It cannot be changed; another one may take its place."""

    document: dict[str, Any]

    @classmethod
    def of(cls, asked: dict[str, Any], now_ms: int) -> Self:
        """Those of a job that is asked for now."""
        request = _typed({"method": "POST", "headers": {}} | asked["request"])
        return cls._made(DEFAULTS | asked | {"request": request}, now_ms)

    def patched(self, patch: Mapping[str, Any], now_ms: int) -> Self:
        """Those of a job that is changed now."""
        members = {name: self._member(name, value) for name, value in patch.items()}
        return self._made(self.document | members, now_ms)

    @classmethod
    def _made(cls, document: dict[str, Any], now_ms: int) -> Self:
        return cls(document=document | {"schedule": in_full(document["schedule"], now_ms)})

    def _member(self, name: str, value: Any) -> Any:
        if value is None:
            return DEFAULTS[name]
        present = self.document[name]
        match name:
            case "schedule":
                named = {kind for kind in KINDS & set(value) if value[kind] is not None}
                is_another_kind = named and not named & set(present)
                return _merged({} if is_another_kind else present, value)
            case "request":
                return _request(present, value)
            case "retry":
                return DEFAULTS["retry"] | _merged(present, value)
        return value

    @property
    def timetable(self) -> Timetable:
        """When it is due."""
        return Timetable(schedule=self.document["schedule"])

    @property
    def request(self) -> dict[str, Any]:
        """What to call; no two jobs call the same URL."""
        return dict(self.document["request"])

    @property
    def retry(self) -> dict[str, int]:
        """How often and how patiently."""
        return dict(self.document["retry"])

    @property
    def max_runs(self) -> int | None:
        """How often it runs at most."""
        limit: int | None = self.document["schedule"].get("max_runs")
        return limit

    @property
    def instants(self) -> dict[str, Any]:
        """The part of its schedule that says when, and not how often."""
        return {name: value for name, value in self.document["schedule"].items() if name != "max_runs"}

    def runs_as(self, other: "Terms") -> bool:
        """Whether a run of the one is as a run of the other."""
        return all(
            value == other.document[name] for name, value in self.document.items() if name not in TOUCH_NO_RUN
        )


def _merged(present: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**present, **patch}.items() if value is not None}


def _request(present: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """A null takes the body away; a JSON body that was created as null stays one."""
    kept = {name: value for name, value in present.items() if name not in patch}
    changed = kept | _merged({}, patch)
    if "headers" in patch:
        changed["headers"] = {} if patch["headers"] is None else _merged(present["headers"], patch["headers"])
    changed.setdefault("method", "POST")
    return _typed(changed) if patch.get("json") is not None else changed


def _typed(request: dict[str, Any]) -> dict[str, Any]:
    """A JSON body brings its type, once."""
    if "json" not in request:
        return request
    return request | {"headers": {"Content-Type": "application/json"} | request["headers"]}

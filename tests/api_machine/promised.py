"""The small model: what the API has promised of each job, by its documents and not by the product."""

from dataclasses import dataclass, field
from typing import Any

from tests.api_machine.executions import Behaviour, PromisedExecution
from tests.api_machine.instants import Timetable, instant

DEFAULTS: dict[str, Any] = {
    "name": None,
    "lane": "standard",
    "timeout_seconds": 30,
    "retry": {"max_attempts": 5, "base_seconds": 10, "factor": 2, "cap_seconds": 3600},
}
STOPPED_ONE_BY_ONE = 500
"""Where a recurring job has had more instants, an old retry finds out for itself that its job is gone."""
GUARD_MS = 5_000


@dataclass(slots=True, kw_only=True)
class PromisedJob:
    """A job that was acknowledged, and everything that the receiver has seen of it."""

    id: str
    tenant: str
    document: dict[str, Any]
    key: str | None
    behaviour: Behaviour
    created_at: int
    executions: dict[int, PromisedExecution] = field(default_factory=dict)
    """Those that have begun, by their instants."""
    ended_at: int | None = None
    """When its cancellation or deletion was acknowledged."""
    paused_at: int | None = None
    """When its receiver said that it is gone, which pauses a job that recurs."""

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"/v1/jobs/{self.id}"

    @property
    def history_path(self) -> str:
        """Where the API has its executions."""
        return f"{self.path}/executions"

    @property
    def timetable(self) -> Timetable:
        """When it is due."""
        return Timetable(schedule=self.document["schedule"], accepted_at=self.created_at)

    @property
    def is_recurring(self) -> bool:
        """Whether it runs again and again."""
        return self.timetable.is_recurring

    @property
    def request(self) -> dict[str, Any]:
        """What to call; no two jobs call the same URL."""
        return dict(self.document["request"])

    @property
    def retry(self) -> dict[str, int]:
        """How often and how patiently."""
        return dict(self.document.get("retry", DEFAULTS["retry"]))

    @property
    def goes_on(self) -> bool:
        """Whether the receiver has to expect a call."""
        return self.state[0] in ("active", "pending", "waiting")

    @property
    def is_untouched(self) -> bool:
        """Whether it is as it was created, and nothing has stopped it."""
        return self.ended_at is None and self.paused_at is None

    @property
    def state(self) -> tuple[str, ...]:
        """The states that it may be shown in; which of the first two a job is in, is not promised."""
        if self.is_recurring:
            running = "active" if self.paused_at is None else "paused"
            return (running,) if self.ended_at is None else ("deleted",)
        if self.executions:
            return (self.executions[self.timetable.due_at].state,)
        return ("pending", "queued") if self.ended_at is None else ("cancelled",)

    def shown(self) -> dict[str, Any]:
        """What the API shows of it, apart from where it stands; what revision an end makes is not promised."""
        plain = {name: self.document.get(name, value) for name, value in DEFAULTS.items() if name != "retry"}
        target = {"method": self.request.get("method", "POST"), "url": self.request["url"]}
        revision = {"revision": 1} if self.is_untouched else {}
        return (
            plain
            | revision
            | {
                "id": self.id,
                "kind": self._kind,
                "request": target,
                "created_at": instant(self.created_at),
            }
        )

    @property
    def _kind(self) -> str:
        schedule = self.document["schedule"]
        return "cron" if "cron" in schedule else "rate" if "rate_seconds" in schedule else "once"

    @property
    def schedule_shown(self) -> dict[str, Any]:
        """The part of its schedule that was asked for."""
        schedule = dict(self.document["schedule"])
        if self._kind == "cron":
            return {"timezone": "UTC"} | schedule
        if self._kind == "rate":
            return schedule
        return {"at": instant(self.timetable.due_at)}

    def answered(self, execution: PromisedExecution, now_ms: int) -> None:
        """The receiver has answered the call that ran."""
        execution.answered(self.retry["max_attempts"])
        if self.is_recurring and self.is_untouched and execution.end_reason == "not_retryable":
            self.paused_at = now_ms

    def end(self, now_ms: int) -> None:
        """Its cancellation or deletion was acknowledged."""
        if self.ended_at is not None:
            return
        self.ended_at = now_ms
        reason = "job_deleted" if self.is_recurring else "cancelled"
        old_before = self.timetable.up_to(now_ms + GUARD_MS)[-STOPPED_ONE_BY_ONE:][:1]
        for execution in self.executions.values():
            is_old = self.is_recurring and execution.scheduled_at < old_before[0]
            if is_old and not execution.has_ended:
                execution.is_open = True
            else:
                execution.stop(reason)

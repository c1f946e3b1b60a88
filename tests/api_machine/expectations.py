"""The small model: what the API has promised of each job, by its documents and not by the product."""

from dataclasses import dataclass, field
from typing import Any

from tests.api_machine.chains import PromisedChain
from tests.api_machine.executions import Behaviour, PromisedExecution
from tests.api_machine.instants import Timetable, instant
from tests.api_machine.terms import Terms


@dataclass(slots=True, kw_only=True, eq=False)
class PromisedJob:
    """A job that was acknowledged, and everything that the receiver has seen of it."""

    id: str
    tenant: str
    asked: dict[str, Any]
    """The document that it was created with."""
    key: str | None
    behaviour: Behaviour
    created_at: int
    chains: list[PromisedChain]
    """The latest is the present one; a job that runs once has one all its life."""
    executions: dict[str, PromisedExecution] = field(default_factory=dict)
    """Those that have begun or were triggered, by their ids."""
    ended_at: int | None = None
    """When its cancellation or deletion was acknowledged."""
    is_completed: bool = False
    pause_reason: str | None = None
    revisions: list[int] = field(default_factory=lambda: [1])
    """All that were told of; the last one stands, unless the job has changed by itself since."""
    has_changed_by_itself: bool = False
    records: int = 0
    """How long its history was when it was last checked."""

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"/v1/jobs/{self.id}"

    @property
    def history_path(self) -> str:
        """Where the API has its executions."""
        return f"{self.path}/executions"

    @property
    def chain(self) -> PromisedChain:
        """The present one."""
        return self.chains[-1]

    @property
    def terms(self) -> Terms:
        """What it is at present."""
        return self.chain.terms

    @property
    def timetable(self) -> Timetable:
        """When it is due at present."""
        return self.terms.timetable

    @property
    def is_recurring(self) -> bool:
        """Whether it runs again and again."""
        return self.timetable.is_recurring

    @property
    def planned(self) -> dict[int, PromisedExecution]:
        """Those of its executions that have begun by its schedule, by their instants."""
        return {one.scheduled_at: one for one in self.executions.values() if not one.is_beside}

    def chain_of(self, due_at: int) -> PromisedChain | None:
        """The chain that has an instant."""
        return next((chain for chain in self.chains if chain.has(due_at)), None)

    @property
    def is_used_up(self) -> bool:
        """Whether it has had all its runs."""
        limit = self.terms.max_runs
        return limit is not None and len(self.planned) >= limit

    @property
    def is_active(self) -> bool:
        """Whether its schedule goes on."""
        return self.state == ("active",)

    @property
    def goes_on(self) -> bool:
        """Whether the receiver has to expect a call."""
        is_due = self.is_active or self.state[0] == "pending"
        return is_due or any(one.next_call_at is not None for one in self.executions.values())

    @property
    def state(self) -> tuple[str, ...]:
        """The states that it may be shown in; which of the first two a job is in, is not promised."""
        if not self.is_recurring:
            for execution in self.executions.values():
                return (execution.state,)
            return ("pending", "queued") if self.ended_at is None else ("cancelled",)
        if self.ended_at is not None:
            return ("deleted",)
        if self.is_completed:
            return ("completed",)
        if self.chain.is_paused:
            return ("paused",)
        return ("active", "completed") if self.is_used_up else ("active",)

    def begin(self, execution_id: str, scheduled_at: int) -> PromisedExecution:
        """An execution that nobody asked for by itself has begun."""
        chain = self.chain_of(scheduled_at) or self.chain
        begun = PromisedExecution(id=execution_id, scheduled_at=scheduled_at, terms=chain.terms, chain=chain)
        self.executions[execution_id] = begun
        return begun

    def note_revision(self, shown: int) -> None:
        """It is what was told of last; only a change makes another one, and a later one."""
        if self.has_changed_by_itself and shown > self.revisions[-1]:
            self.revisions.append(shown)
        self.has_changed_by_itself = False
        assert shown == self.revisions[-1]

    def note_change(self, revision: int) -> None:
        """A change was acknowledged."""
        assert revision > self.revisions[-1]
        self.revisions.append(revision)
        self.has_changed_by_itself = False

    def shown(self) -> dict[str, Any]:
        """What the API shows of it, apart from where it stands."""
        document = dict(self.terms.document)
        request = document.pop("request")
        catch_up = document.pop("catch_up")
        return document | {
            "id": self.id,
            "kind": self._kind,
            "request": {"method": request["method"], "url": request["url"]},
            "catch_up": catch_up if self.is_recurring else None,
            "pause_reason": self.pause_reason,
            "created_at": instant(self.created_at),
        }

    @property
    def _kind(self) -> str:
        schedule = self.timetable.schedule
        return "cron" if "cron" in schedule else "rate" if "rate_seconds" in schedule else "once"

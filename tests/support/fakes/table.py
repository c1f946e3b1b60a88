"""The storage of the fake stores: executions, retry reminders and definitions, for transactions over all."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State, Transition
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import Chain, Job
from shared.domain.jobs.job_key import KeyedId
from shared.domain.listings.position import IndexPosition
from shared.domain.schedules.own_calendar import OwnCalendar
from shared.domain.triggers.trigger import Trigger
from shared.domain.workflows.map_items import MapItems
from shared.domain.workflows.run import Run
from shared.domain.workflows.workflow import Workflow, WorkflowHead
from shared.ports.listings import TenantIndex


class Damage(Enum):
    """Damage that a test can do to a row."""

    BROKEN = auto()
    """A known version, but not decodable."""
    NEWER = auto()
    """Written by a future version."""


@dataclass(slots=True)
class Row:
    """One execution as it is stored."""

    execution: Execution
    expires_at_s: int | None = None
    entry: TenantIndex | None = None
    """The index of failures that has an entry of the execution."""
    index_is_stale: bool = False
    damage: Damage | None = None

    @property
    def is_dead_letter(self) -> bool:
        return self.entry is TenantIndex.FAILED

    def read(self) -> Execution:
        """UnreadableItemError or UnknownVersionError if the row is damaged."""
        if self.damage is Damage.NEWER:
            raise UnknownVersionError(f"{self.execution.id} was written by a newer version")
        if self.damage is Damage.BROKEN:
            raise UnreadableItemError(f"{self.execution.id} is broken")
        return self.execution

    def matches(self, transition: Transition) -> bool:
        """Whether the transition is allowed: conditions test only the state and the version."""
        return self.damage is not Damage.NEWER and self.execution.state in transition.sources


@dataclass(slots=True)
class ReminderRow:
    """One stored retry reminder."""

    pointer: RetryReminder
    expires_at_s: int | None = None


@dataclass(slots=True)
class RunItem:
    """One stored run of a workflow."""

    run: Run
    expires_at_s: int | None = None


@dataclass(slots=True)
class MapRow:
    """One stored record of a map's items."""

    items: MapItems
    expires_at_s: int | None = None


ReminderKey = tuple[ExecutionId, ExecutionId, int]


def reminder_key(location: ExecutionId, target: ExecutionId, attempt: int) -> ReminderKey:
    """The key of a retry reminder: its location, its target, and the attempt that failed."""
    return location, target, attempt


@dataclass(slots=True)
class FakeTable:
    """The data that the fake execution store, claimer and job store share. Tests may read it."""

    executions: dict[ExecutionId, Row] = field(default_factory=dict)
    pointers: dict[ReminderKey, ReminderRow] = field(default_factory=dict)
    jobs: dict[tuple[str, str], Job] = field(default_factory=dict)
    past_chains: dict[tuple[str, str, int], Chain] = field(default_factory=dict)
    keyed_ids: dict[tuple[str, str], KeyedId] = field(default_factory=dict)
    calendars: dict[tuple[str, str], OwnCalendar] = field(default_factory=dict)
    calendar_marks: dict[tuple[str, str], int] = field(default_factory=dict)
    """By tenant and an empty name."""
    """The last version of each calendar, and its content unless it was deleted, by tenant and name."""
    triggers: dict[tuple[str, str], Trigger] = field(default_factory=dict)
    """By tenant and name."""
    key_expires_at_s: dict[tuple[str, str], int] = field(default_factory=dict)
    """The expiry of the records of keys whose jobs have ended, by tenant and key."""
    extras: dict[tuple[str, str, IndexPosition], int] = field(default_factory=dict)
    """When the records of executions outside their schedules expire, by tenant, job and position."""
    payloads: dict[tuple[str, str], bytes] = field(default_factory=dict)
    payload_stored_at: dict[tuple[str, str], int] = field(default_factory=dict)
    index_throttles: Callable[[Execution], bool] = lambda _: False
    """Whether the index of failures throttles the writes to an execution's entry."""
    job_expires_at_s: dict[tuple[str, str], int] = field(default_factory=dict)
    payload_expires_at_s: dict[tuple[str, str], int] = field(default_factory=dict)
    runs: dict[ExecutionId, RunItem] = field(default_factory=dict)
    maps: dict[tuple[ExecutionId, str], MapRow] = field(default_factory=dict)
    """By run and task."""
    workflows: dict[tuple[str, str], WorkflowHead] = field(default_factory=dict)
    revisions: dict[tuple[str, str, int], Workflow] = field(default_factory=dict)
    workflow_expires_at_s: dict[tuple[str, ...], int] = field(default_factory=dict)
    """By tenant and workflow for a head, and with the number for a revision."""

    def drop_expired(self, now_ms: int, goes: Callable[[], bool]) -> list[ExecutionId]:
        """TTL: deletes expired rows for which `goes` is true; other expired rows remain readable.

        Returns the ids of the deleted executions.
        """
        gone = [key for key, row in self.executions.items() if _expired(row.expires_at_s, now_ms) and goes()]
        for key in gone:
            del self.executions[key]
        for reminder_key, row in list(self.pointers.items()):
            if _expired(row.expires_at_s, now_ms) and goes():
                del self.pointers[reminder_key]
        for extra, expires_at_s in list(self.extras.items()):
            if _expired(expires_at_s, now_ms) and goes():
                del self.extras[extra]
        for run_id, item in list(self.runs.items()):
            if _expired(item.expires_at_s, now_ms) and goes():
                del self.runs[run_id]
        for map_key, record in list(self.maps.items()):
            if _expired(record.expires_at_s, now_ms) and goes():
                del self.maps[map_key]
        _drop(self.jobs, self.job_expires_at_s, now_ms, goes)
        _drop(self.payloads, self.payload_expires_at_s, now_ms, goes)
        return gone

    def insert(self, execution: Execution, expires_at_s: int | None) -> None:
        """Store a new row; the expiry is set if and only if the execution has ended."""
        if (expires_at_s is not None) != execution.state.is_terminal:
            raise ValueError("an expiry goes with an execution that is filed as ended, and with no other")
        entry = TenantIndex.RETRY if execution.state is State.WAITING else None
        self.executions[execution.id] = Row(execution, expires_at_s, entry)


def _expired(expires_at_s: int | None, now_ms: int) -> bool:
    return expires_at_s is not None and expires_at_s * 1000 <= now_ms


def _drop(
    rows: dict[tuple[str, str], Any],
    expiries: dict[tuple[str, str], int],
    now_ms: int,
    goes: Callable[[], bool],
) -> None:
    for key in [key for key, expires_at_s in expiries.items() if _expired(expires_at_s, now_ms) and goes()]:
        rows.pop(key, None)
        del expiries[key]

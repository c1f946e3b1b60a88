"""Definitions of recurring jobs. A one-off job has no definition: the job is its execution."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.bucket import ShardCounts
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason
from shared.domain.ids import ExecutionId
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUpPolicy
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.recurrence import Recurrence

if TYPE_CHECKING:
    from shared.domain.schedules.schedule import Series


class JobState(StrEnum):
    """The state of a recurring job. The values are those of the API.

    PAUSING, UPDATING and DELETING mark a change in progress: any process that finds it rolls it forward.
    """

    ACTIVE = "active"
    PAUSING = "pausing"
    PAUSED = "paused"
    UPDATING = "updating"
    DELETING = "deleting"
    DELETED = "deleted"
    COMPLETED = "completed"


CHANGING = frozenset({JobState.PAUSING, JobState.UPDATING, JobState.DELETING})
ENDED = frozenset({JobState.DELETED, JobState.COMPLETED})
GONE = frozenset({JobState.DELETING, JobState.DELETED})
"""In these states no attempt of the job begins."""
HELD = frozenset({JobState.PAUSING, JobState.PAUSED})
"""In these states no run of the schedule is called for the first time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The parts of a job that its owner can change."""

    schedule: Series
    call: CallSpec
    name: str | None = None
    tags: tuple[str, ...] = ()
    set_name: str | None = None
    """The set of a job with a key, such as one file of jobs."""
    jitter_ms: int = 0
    catch_up: CatchUpPolicy = DEFAULT_POLICY
    overlap_policy: OverlapPolicy = OverlapPolicy.ALLOW
    max_runs: int | None = None

    def needs_new_chain_after(self, other: Definition) -> bool:
        """Whether executions differ between the two definitions, so that a new chain is needed."""
        return _without_labels(self) != _without_labels(other)

    def keeping_zone_rules_of(self, job: Job) -> Definition:
        """A copy that keeps the frozen zone rules of the job's chain if the schedule does not change."""
        # Imported late: only changes of jobs compare schedules.
        from shared.domain.schedules.schedule import without_rules

        is_same = without_rules(self.schedule) == without_rules(job.schedule)
        return replace(self, schedule=job.schedule) if is_same else self


def _without_rules(definition: Definition) -> Definition:
    # Imported late, as above.
    from shared.domain.schedules.schedule import without_rules

    return replace(definition, schedule=without_rules(definition.schedule))


def _without_labels(definition: Definition) -> Definition:
    return replace(definition, name=None, tags=(), set_name=None)


_END_REASONS = {
    JobState.PAUSING: EndReason.JOB_PAUSED,
    JobState.PAUSED: EndReason.JOB_PAUSED,
    JobState.UPDATING: EndReason.JOB_UPDATED,
    JobState.DELETING: EndReason.JOB_DELETED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The executions that one revision of a job started: enough data to compute every key."""

    job_id: str
    tenant_id: str
    revision: int
    recurrence: Recurrence
    history_from: int
    """The first instant that belongs to this chain."""
    history_until: int
    """The last instant that belongs to this chain."""
    skipped_from: int | None = None
    """The first instant that a pause skipped: its record covers all instants up to the end of the chain."""
    expires_at_s: int = 0
    """When the records of the chain may have expired, in epoch seconds."""

    def id_at(self, nominal_at: int) -> ExecutionId:
        return self.recurrence.id_of(self.job_id, self.revision, nominal_at)

    @property
    def schedule(self) -> Series:
        return self.recurrence.schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The definition of a recurring job. No run of the job writes the definition."""

    id: str
    tenant_id: str
    revision: int
    """Incremented by every change; the job's entity tag."""
    state: JobState
    definition: Definition
    counts: ShardCounts
    """Frozen in the chain, so that writers with different configurations name the same keys."""
    fingerprint: bytes
    """Of the request that created the job; changes of the job keep it."""
    created_at: int
    key: str | None = None
    """The key that the owner gave; it never changes."""
    chain_from: int
    """The chain has no gap between this nominal instant and its head."""
    chain_revision: int = 1
    """The revision that started the current chain; part of the chain's keys."""
    history_from: int | None = None
    """The first instant of the current chain; None: every instant after the creation of the job."""
    index_shard: int = 0
    change: Definition | None = None
    """The new definition of an update in progress."""
    changed_at: int | None = None
    """When the latest change started."""
    pause_reason: str | None = None
    runs_before: int = 0
    """The number of runs in earlier chains."""
    ended_from: int | None = None
    """After the end of the chain: every started run is earlier, and all instants from here on are free."""
    ended_through: int | None = None
    """After the end of the chain: the last instant with a tombstone."""

    @property
    def schedule(self) -> Series:
        return self.definition.schedule

    @property
    def call(self) -> CallSpec:
        return self.definition.call

    @property
    def name(self) -> str | None:
        return self.definition.name

    @property
    def tags(self) -> tuple[str, ...]:
        return self.definition.tags

    @property
    def began_at(self) -> int:
        """The first instant that can belong to the current chain."""
        return self.history_from if self.history_from is not None else self.created_at + 1

    def chain(self, until: int, expires_at_s: int = 0, skipped_from: int | None = None) -> Chain:
        """The current chain with its instants up to `until`."""
        return Chain(
            job_id=self.id,
            tenant_id=self.tenant_id,
            revision=self.chain_revision,
            recurrence=self.recurrence,
            history_from=self.began_at,
            history_until=until,
            skipped_from=skipped_from,
            expires_at_s=expires_at_s,
        )

    @property
    def is_recomputed(self) -> bool:
        """Whether the update in progress changes only frozen rules of the chain: a new tzdata release, or new days of
        a calendar."""
        return self.change is not None and _without_rules(self.change) == _without_rules(self.definition)

    @property
    def described(self) -> Job:
        """The job as the API shows it: revision and entity tag already include an update in progress."""
        return replace(self, definition=self.change) if self.change else self

    def id_at(self, nominal_at: int) -> ExecutionId:
        """The id of the current chain's occurrence at a nominal instant."""
        return self.recurrence.id_of(self.id, self.chain_revision, nominal_at)

    @property
    def recurrence(self) -> Recurrence:
        """The rules of the current chain."""
        return Recurrence(
            schedule=self.schedule,
            counts=self.counts,
            jitter_ms=self.definition.jitter_ms,
            catch_up=self.definition.catch_up,
            overlap_policy=self.definition.overlap_policy,
            max_runs=self.definition.max_runs,
        )

    def occurrence(self, nominal_at: int, *, created_at: int, run: int = 1) -> Execution:
        """The unfiled execution of the current chain at a nominal instant; `run` is its number in the job."""
        return Execution(
            id=self.id_at(nominal_at),
            tenant_id=self.tenant_id,
            job_id=self.id,
            revision=self.chain_revision,
            nominal_at=nominal_at,
            created_at=created_at,
            call=self.call,
            fingerprint=self.fingerprint,
            index_shard=self.index_shard,
            recurrence=self.recurrence,
            run=run,
        )


def end_reason_of(job: Job) -> EndReason:
    """Why the chain of a job that is no longer ACTIVE ends."""
    return EndReason.ZONE_RULES_CHANGED if job.is_recomputed else _END_REASONS[job.state]

"""Definitions of recurring jobs. A one-off job has none: it is its execution."""

from dataclasses import dataclass, replace
from enum import StrEnum

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUpPolicy
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.recurrence import Recurrence
from shared.domain.schedules.schedule import Series, without_rules


class JobState(StrEnum):
    """Where a recurring job stands. The values are the API's words.

    PAUSING, UPDATING and DELETING are changes that began: the chain is being ended. Whoever meets one finishes it.
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
"""No attempt of such a job begins any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The parts of a job that its owner may change."""

    schedule: Series
    call: CallSpec
    name: str | None = None
    tags: tuple[str, ...] = ()
    jitter_ms: int = 0
    catch_up: CatchUpPolicy = DEFAULT_POLICY
    overlap_policy: OverlapPolicy = OverlapPolicy.ALLOW
    max_runs: int | None = None

    def makes_other_executions_than(self, other: "Definition") -> bool:
        """Whether executions of the one differ from those of the other: then a new chain has to begin."""
        return replace(self, name=None, tags=()) != replace(other, name=None, tags=())

    def going_on_from(self, job: "Job") -> "Definition":
        """The same; a schedule that stays what it is keeps the rules of its zone, since the chain goes by them."""
        stays = without_rules(self.schedule) == without_rules(job.schedule)
        return replace(self, schedule=job.schedule) if stays else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The executions that one revision of a job began: enough to find each of them by key."""

    job_id: str
    tenant_id: str
    revision: int
    recurrence: Recurrence
    history_from: int
    """The first instant that is this chain's to account for."""
    history_until: int
    """The last one."""
    skipped_from: int | None = None
    """The first instant that a pause of the chain passed over: the record on it tells of all up to the end."""
    expires_at_s: int = 0
    """When its records may have gone, in epoch seconds."""

    def id_at(self, nominal_at: int) -> ExecutionId:
        """The id of the occurrence at a nominal instant."""
        return self.recurrence.id_of(self.job_id, self.revision, nominal_at)

    @property
    def schedule(self) -> Series:
        """When its executions are due."""
        return self.recurrence.schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run and when, again and again. The definition is not written when an occurrence runs."""

    id: str
    tenant_id: str
    revision: int
    """Grows with every change; the job's entity tag."""
    state: JobState
    definition: Definition
    counts: ShardCounts
    """Frozen in the chain, so that writers with different configurations name the same keys."""
    fingerprint: bytes
    """Of the request that created the job; it stays what it is when the job is changed."""
    created_at: int
    chain_from: int
    """From this nominal instant on the chain has no gap up to its head."""
    chain_revision: int = 1
    """The revision that began the present chain: it is part of the chain's keys."""
    history_from: int | None = None
    """The first instant that is the present chain's to account for; None: everything after the job was created."""
    index_shard: int = 0
    change: Definition | None = None
    """What an update that began will make of the job."""
    changed_at: int | None = None
    """When the latest change began."""
    pause_reason: str | None = None
    runs_before: int = 0
    """So many runs began in chains before the present one."""
    ended_from: int | None = None
    """Where the chain has ended: whatever had started lies before, and all instants from here on are free."""
    ended_through: int | None = None
    """Where the chain has ended: the last instant that has a tombstone."""

    @property
    def schedule(self) -> Series:
        """When its executions are due."""
        return self.definition.schedule

    @property
    def call(self) -> CallSpec:
        """The call that each of its executions makes."""
        return self.definition.call

    @property
    def name(self) -> str | None:
        """The name that its owner gave it."""
        return self.definition.name

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags by which its owner finds it."""
        return self.definition.tags

    @property
    def began_at(self) -> int:
        """No instant before this one is the present chain's."""
        return self.history_from if self.history_from is not None else self.created_at + 1

    def chain(self, until: int, expires_at_s: int = 0, skipped_from: int | None = None) -> Chain:
        """The present chain, accounting for nothing after `until`."""
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
        """Whether it is being updated to what it is: its chain alone changes, to the present rules of its zone."""
        return self.change is not None and self.change == self.definition

    @property
    def described(self) -> "Job":
        """The job as its owner is shown it. An update that has begun is part of its revision, and of its entity tag."""
        return replace(self, definition=self.change) if self.change else self

    def id_at(self, nominal_at: int) -> ExecutionId:
        """The id of the present chain's occurrence at a nominal instant."""
        return self.recurrence.id_of(self.id, self.chain_revision, nominal_at)

    @property
    def recurrence(self) -> Recurrence:
        """The rules of the present chain."""
        return Recurrence(
            schedule=self.schedule,
            counts=self.counts,
            jitter_ms=self.definition.jitter_ms,
            catch_up=self.definition.catch_up,
            overlap_policy=self.definition.overlap_policy,
            max_runs=self.definition.max_runs,
        )

    def occurrence(self, nominal_at: int, *, created_at: int, run: int = 1) -> Execution:
        """The execution of the present chain at a nominal instant, not yet filed; `run` is its number in the job."""
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

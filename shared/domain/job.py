"""Definitions of recurring jobs. A one-off job has none: it is its execution."""

from dataclasses import dataclass
from enum import StrEnum

from shared.domain.bucket import ShardCounts
from shared.domain.execution import Execution, Recurrence
from shared.domain.ids import ExecutionId, occurrence_id
from shared.domain.retry import RetryPolicy
from shared.domain.schedule import Cron, Rate
from shared.names import Lane


class JobState(StrEnum):
    """Where a recurring job stands. DELETING is a deletion that began and is finished by whoever meets it."""

    ACTIVE = "active"
    DELETING = "deleting"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run and when, again and again. The definition is not written when an occurrence runs."""

    id: str
    tenant_id: str
    revision: int
    state: JobState
    schedule: Rate | Cron
    counts: ShardCounts
    """Frozen in the revision, so that writers with different configurations name the same keys."""
    lane: Lane
    request: bytes
    fingerprint: bytes
    retry: RetryPolicy
    timeout_ms: int
    created_at: int
    chain_from: int
    """From this nominal instant on the chain has no gap up to its head."""
    index_shard: int = 0
    name: str | None = None
    payload_apart: bool = False

    def id_at(self, nominal_at: int) -> ExecutionId:
        """The id of the occurrence at a nominal instant."""
        return occurrence_id(self.id, self.revision, nominal_at, self.counts)

    def occurrence(self, nominal_at: int, *, created_at: int) -> Execution:
        """The execution of this revision at a nominal instant, not yet filed."""
        return Execution(
            id=self.id_at(nominal_at),
            tenant_id=self.tenant_id,
            job_id=self.id,
            revision=self.revision,
            nominal_at=nominal_at,
            created_at=created_at,
            lane=self.lane,
            request=b"" if self.payload_apart else self.request,
            fingerprint=self.fingerprint,
            retry=self.retry,
            timeout_ms=self.timeout_ms,
            index_shard=self.index_shard,
            payload_apart=self.payload_apart,
            recurrence=Recurrence(schedule=self.schedule, counts=self.counts),
        )

"""Reconcile one recurring job: account for its instants, complete its changes, repair its chain."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import islice
from typing import TypeVar

from shared.dataclass import dataclass
from shared.domain.bucket import HOURLY_MS
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import OPEN
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import CHANGING, Chain, Job, JobState
from shared.domain.schedules.schedule import instants_before
from shared.domain.schedules.skipped_range import SkippedRange
from shared.ports.executions import ExecutionReader
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import FileSuccessor, succession_of
from shared.usecases.reading.find_head import FindHead

T = TypeVar("T")
MAX_INSTANTS = 4_000
PAST_CHAINS = 20
PAGE = 100
OVERDUE_MS = HOURLY_MS
"""A head that is open for longer than the time between two sweeps of an open bucket may be in a closed one."""
STUCK_MS = 300_000
"""A change that began this long ago is completed here: its process has died, or is very slow."""


@dataclass(slots=True, kw_only=True)
class JobFindings:
    missing_executions: list[str] = field(default_factory=list)
    is_repaired: bool = False
    """Whether the next execution was missing, and has been created."""
    is_completed: bool = False
    """Whether an unfinished change was completed."""


@dataclass(frozen=True, slots=True)
class ReconcileJob:
    """Safe to run concurrently for the same job."""

    store: ExecutionReader
    jobs: JobStore
    find_head: FindHead
    file: FileExecution
    file_successor: FileSuccessor
    settle: CompleteTransition
    clock: Clock

    def execute(self, job: Job, from_at: int, until_at: int) -> JobFindings:
        """Check the instants in [from_at, until_at), and the job's present state and head."""
        findings = JobFindings()
        head = self.find_head.execute(job, self.clock.now_ms())
        for chain in self._chains(job, head, from_at):
            findings.missing_executions += self._missing_executions(chain, from_at, until_at)
        if job.state is JobState.ACTIVE:
            findings.is_repaired = self._repair_chain(job, head)
        elif job.state in CHANGING and (job.changed_at or 0) <= self.clock.now_ms() - STUCK_MS:
            findings.is_completed = self.settle.execute(job) is not None
        return findings

    def first_reads(self, job: Job, from_at: int, until_at: int) -> list[ExecutionId]:
        """The keys that a check of a job in order reads, for a prefetch."""
        from_at = max(from_at, job.began_at)
        # With the limit of the check itself, which then computes no instant again.
        instants = instants_before(job.schedule, until_at, from_at, MAX_INSTANTS)[:PAGE]
        probe = self.find_head.first_probe(job, self.clock.now_ms())
        return probe + [job.id_at(instant) for instant in instants]

    def _chains(self, job: Job, head: Execution | None, from_at: int) -> Iterator[Chain]:
        """Chains that cover instants from `from_at` on: the present one up to its head, and past ones."""
        if head is not None:
            yield job.chain(head.nominal_at)
        if job.began_at > max(from_at, job.created_at + 1):
            past = self.jobs.past_chains(job.tenant_id, job.id, limit=PAST_CHAINS)
            yield from (chain for chain in past if chain.history_until >= from_at)

    def _missing_executions(self, chain: Chain, from_at: int, until_at: int) -> list[str]:
        """The ids of nominal instants that have no record and lie in no recorded gap."""
        instants = instants_before(
            chain.schedule,
            min(until_at, chain.history_until + 1),
            max(from_at, chain.history_from),
            MAX_INSTANTS,
        )
        found = self._read(chain.id_at(instant) for instant in instants)
        missing = [instant for instant in instants if chain.id_at(instant) not in found]
        if not missing:
            return []
        gaps = [*_gaps(found), *self._earlier_gaps(chain, missing[-1]), *self._pause(chain)]
        covered = {instant for instant in missing for gap in gaps if gap.first_at <= instant <= gap.last_at}
        return [str(chain.id_at(instant)) for instant in missing if instant not in covered]

    def _earlier_gaps(self, chain: Chain, before_at: int) -> list[SkippedRange]:
        """The gaps in the nearest records before an instant."""
        before = instants_before(chain.schedule, before_at, chain.history_from, MAX_INSTANTS)
        for page in _pages(before):
            records = self.store.get_many([chain.id_at(instant) for instant in page])
            if records:
                return _gaps(records)
        return []

    def _pause(self, chain: Chain) -> list[SkippedRange]:
        """The gap of a pause may have started any number of instants ago; the chain knows its record."""
        if chain.skipped_from is None:
            return []
        return _gaps(self._read([chain.id_at(chain.skipped_from)]))

    def _repair_chain(self, job: Job, head: Execution | None) -> bool:
        """Create the next execution of an active job without an open one, from its last nominal instant."""
        now_ms = self.clock.now_ms()
        if head is None:
            return self._file(job.occurrence(job.chain_from, created_at=now_ms, run=job.runs_before + 1))
        if head.state in OPEN and _overdue_since(head) + OVERDUE_MS < now_ms:
            # The sweeper sends for the head again, whatever closed the bucket of an open execution.
            self.file.ensure_scanned(head.id)
        return head.state.is_terminal and not head.progress.ends_chain and self._file_next(head, now_ms)

    def _file_next(self, head: Execution, now_ms: int) -> bool:
        """Both branches check in one transaction that the job is active at the head's revision."""
        following = succession_of(head, now_ms)
        if following is None or following.missed is not None:
            self.file_successor.execute(head)
            return following is not None
        return self._file(head.occurrence(following.nominal_at, created_at=now_ms))

    def _file(self, draft: Execution) -> bool:
        filed = self.file.prepare(draft)
        if not self.jobs.file_if_active(filed):
            return False
        self.file.ensure_sent(filed)
        return True

    def _read(self, ids: Iterable[ExecutionId]) -> dict[ExecutionId, Execution]:
        found: dict[ExecutionId, Execution] = {}
        for page in _pages(list(ids)):
            found |= self.store.get_many(page)
        return found


def _overdue_since(head: Execution) -> int:
    """The instant from which a worker could have claimed the head."""
    return max(head.not_before, head.progress.lease_until or 0)


def _gaps(records: dict[ExecutionId, Execution]) -> list[SkippedRange]:
    return [record.progress.missed for record in records.values() if record.progress.missed is not None]


def _pages(members: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(members)
    while page := list(islice(rest, PAGE)):
        yield page

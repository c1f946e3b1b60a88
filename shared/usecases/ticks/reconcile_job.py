"""What the reconciler does about one recurring job: account for its instants, finish its changes, mend its chain."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import CHANGING, Chain, Job, JobState
from shared.domain.schedules.schedule import instants_before
from shared.domain.schedules.skipped_range import SkippedRange
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.chains.complete_transition import CompleteTransition
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.file_successor import FileSuccessor, following_of
from shared.usecases.reading.find_head import FindHead

T = TypeVar("T")
INSTANTS_AT_MOST = 4_000
PAST_CHAINS = 20
PAGE = 100
STUCK_MS = 300_000
"""Whoever began a change this long ago has died, or is so slow that another may as well finish it."""


@dataclass(slots=True, kw_only=True)
class JobFindings:
    """What was found of one job."""

    missing_executions: list[str] = field(default_factory=list)
    is_mended: bool = False
    """Whether its next execution was missing, and has been filed."""
    is_settled: bool = False
    """Whether a change of it had been left unfinished, and has been finished."""


@dataclass(frozen=True, slots=True)
class ReconcileJob:
    """May be done to one job by several at once."""

    store: ExecutionStore
    jobs: JobStore
    find_head: FindHead
    file: FileExecution
    file_successor: FileSuccessor
    settle: CompleteTransition
    clock: Clock

    def execute(self, job: Job, from_at: int, until_at: int) -> JobFindings:
        """Look at the instants in [from, until), and at the job's state and head as they are now."""
        findings = JobFindings()
        for chain in self._chains(job, from_at):
            findings.missing_executions += self._missing_executions(chain, from_at, until_at)
        if job.state is JobState.ACTIVE:
            findings.is_mended = self._mend(job)
        elif job.state in CHANGING and (job.changed_at or 0) <= self.clock.now_ms() - STUCK_MS:
            findings.is_settled = self.settle.execute(job) is not None
        return findings

    def _chains(self, job: Job, from_at: int) -> Iterator[Chain]:
        """The chains that account for instants from `from_at` on: the present one as far as its head, and past ones."""
        head = self.find_head.execute(job, self.clock.now_ms())
        if head is not None:
            yield job.chain(head.nominal_at)
        if job.began_at > max(from_at, job.created_at + 1):
            past = self.jobs.past_chains(job.tenant_id, job.id, limit=PAST_CHAINS)
            yield from (chain for chain in past if chain.history_until >= from_at)

    def _missing_executions(self, chain: Chain, from_at: int, until_at: int) -> list[str]:
        """Each nominal instant has a record, or lies in a recorded gap."""
        instants = instants_before(
            chain.schedule,
            min(until_at, chain.history_until + 1),
            max(from_at, chain.history_from),
            INSTANTS_AT_MOST,
        )
        found = self._read(chain.id_at(instant) for instant in instants)
        missing = [instant for instant in instants if chain.id_at(instant) not in found]
        if not missing:
            return []
        gaps = [*_gaps(found), *self._earlier_gaps(chain, missing[-1]), *self._pause(chain)]
        covered = {instant for instant in missing for gap in gaps if gap.first_at <= instant <= gap.last_at}
        return [str(chain.id_at(instant)) for instant in missing if instant not in covered]

    def _earlier_gaps(self, chain: Chain, before_at: int) -> list[SkippedRange]:
        """What the nearest records before an instant say."""
        before = instants_before(chain.schedule, before_at, chain.history_from, INSTANTS_AT_MOST)
        for page in _pages(before):
            records = self.store.get_many([chain.id_at(instant) for instant in page])
            if records:
                return _gaps(records)
        return []

    def _pause(self, chain: Chain) -> list[SkippedRange]:
        """The gap of a pause may have begun any number of instants ago; the chain knows where its record stands."""
        if chain.skipped_from is None:
            return []
        return _gaps(self._read([chain.id_at(chain.skipped_from)]))

    def _mend(self, job: Job) -> bool:
        """An active job without an open execution gets its next one, computed from its last nominal instant."""
        now_ms = self.clock.now_ms()
        head = self.find_head.execute(job, now_ms)
        if head is None:
            return self._file(job.occurrence(job.chain_from, created_at=now_ms, run=job.runs_before + 1))
        return head.state.is_terminal and not head.progress.ends_chain and self._file_next(head, now_ms)

    def _file_next(self, head: Execution, now_ms: int) -> bool:
        """Both ways check in one transaction that the job is active at the head's revision."""
        following = following_of(head, now_ms)
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


def _gaps(records: dict[ExecutionId, Execution]) -> list[SkippedRange]:
    return [record.progress.missed for record in records.values() if record.progress.missed is not None]


def _pages(members: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(members)
    while page := list(islice(rest, PAGE)):
        yield page

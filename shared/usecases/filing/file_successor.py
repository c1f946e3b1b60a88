"""The chain of a recurring job: each execution files its successor while it runs."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import State
from shared.domain.jobs.job import JobState
from shared.domain.jobs.misfire import Succession, succession, succession_over
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import Lane
from shared.ports.executions import ExecutionStore
from shared.ports.jobs import JobStore
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution
from shared.usecases.filing.record_dst_skips import RecordDstSkips
from shared.usecases.tenancy.read_tenant import ReadTenant

COMPLETION_TRIES = 3
"""Tries to complete a job against concurrent changes before the message is returned."""


@dataclass(frozen=True, slots=True)
class FileSuccessor:
    """Makes sure that the next occurrence exists; safe to repeat for the same execution."""

    file: FileExecution
    store: ExecutionStore
    jobs: JobStore
    read_tenant: ReadTenant
    clock: Clock
    retention: Retention

    def execute(self, execution: Execution) -> None:
        """File the successor of an execution; no effect for a one-off job or at the end of a chain.

        The immediate successor is a pure function of job, revision and nominal instant. If instants were
        missed, the jump over them is one transaction that competes with the immediate successor for its key.
        Two writers that judge lateness differently therefore cannot split the chain.
        """
        if execution.recurrence is None or execution.progress.ends_chain:
            return
        if execution.progress.missed is not None:
            self._resume_after(execution, execution.progress.missed)
            return
        now_ms = self.clock.now_ms()
        following = self._past_suspension(execution, succession_of(execution, now_ms), now_ms)
        self._record_dst_skips(execution, following)
        if following is None:
            self._complete(execution, execution.nominal_at, [])
        elif following.missed is None or not self._jump(execution, following, following.missed, now_ms):
            self._file_immediate(execution, following, now_ms)

    def _past_suspension(
        self, execution: Execution, following: Succession | None, now_ms: int
    ) -> Succession | None:
        """Skip the instants of a suspension of the tenant. The tenant is read only if the chain is behind."""
        rules = execution.recurrence
        is_behind = following is not None and following.immediate_at < now_ms
        if rules is None or rules.is_backfill or following is None or not is_behind:
            return following
        tenant = self.read_tenant.execute(execution.tenant_id)
        suspension = tenant.suspension_at(following.immediate_at) if tenant is not None else None
        if suspension is None:
            return following
        return succession_over(rules.schedule, following.immediate_at, suspension, now_ms)

    def _record_dst_skips(self, execution: Execution, following: Succession | None) -> None:
        """Record first: if the successor already exists, no later call would write these records."""
        until = following.nominal_at if following is not None else _end_of(execution)
        RecordDstSkips(self.store, self.clock, self.retention).execute(execution, execution.nominal_at, until)

    def _complete(self, last: Execution, ended_at: int, records: list[Execution]) -> bool:
        """Mark the job as completed; False if the chain was ended by a change or goes on."""
        for _ in range(COMPLETION_TRIES):
            job = self.jobs.get(last.tenant_id, last.job_id)
            if job is None or job.state is not JobState.ACTIVE or job.chain_revision != last.revision:
                return False
            if any(self.store.get(record.id) is not None for record in records):
                return False
            completed = replace(
                job, state=JobState.COMPLETED, ended_from=ended_at + 1, ended_through=ended_at
            )
            expires_at_s = self.retention.outlives_records_s(self.clock.now_ms())
            if self.jobs.replace(job, completed, executions=records, expires_at_s=expires_at_s):
                return True
        raise UnavailableError("the job is being changed by others")

    def _file_immediate(self, execution: Execution, following: Succession, now_ms: int) -> None:
        successor = execution.occurrence(following.immediate_at, created_at=now_ms)
        filed = self.file.execute(in_lane(successor, following))
        if filed.progress.missed is not None and not filed.progress.ends_chain:
            self._resume_after(filed, filed.progress.missed)

    def _jump(self, execution: Execution, following: Succession, missed: SkippedRange, now_ms: int) -> bool:
        """Jump over missed instants; False leaves the chain to its immediate successor.

        A rejected transaction means one of two things: the immediate successor exists, or a change is ending
        the chain and puts a tombstone at the same key. Filing the immediate successor is right in both cases.
        """
        immediate = execution.occurrence(following.immediate_at, created_at=now_ms)
        # A late retry is not a late chain. This read avoids a transaction that would be rejected.
        if self.store.get(immediate.id) is not None:
            return False
        skipped = immediate.progressed(
            state=State.SKIPPED,
            end_reason=following.reason,
            missed=missed,
            ends_chain=following.ends,
        )
        if following.ends:
            return self._complete(execution, missed.last_at, [skipped])
        target = in_lane(execution.occurrence(following.nominal_at, created_at=now_ms), following)
        target = self.file.prepare(target)
        expires_at_s = self.retention.record_expires_at_s(skipped.id.dispatch_at, now_ms)
        if not self.jobs.jump(skipped, target, expires_at_s):
            return False
        self.file.ensure_sent(target)
        return True

    def _resume_after(self, skipped: Execution, missed: SkippedRange) -> None:
        """Send the target of an earlier jump, because its writer may have crashed before sending."""
        target = self.store.get(skipped.occurrence(missed.resumed_at, created_at=0).id)
        if target is None:
            raise UnavailableError("a jump left no target; it is read again")
        self.file.ensure_sent(target)


def succession_of(execution: Execution, now_ms: int) -> Succession | None:
    """How the chain continues after an execution; None at its end."""
    rules = execution.recurrence
    if rules is None or (rules.max_runs is not None and execution.run >= rules.max_runs):
        return None
    return succession(
        rules.schedule, execution.nominal_at, now_ms, rules.catch_up, filed_at=execution.created_at
    )


def _end_of(last: Execution) -> int:
    """The end of the schedule, or the last nominal instant if `max_runs` was reached or the schedule has no
    end."""
    rules = last.recurrence
    is_used_up = rules is None or (rules.max_runs is not None and last.run >= rules.max_runs)
    end_at = None if rules is None or is_used_up else rules.schedule.end_at
    return last.nominal_at if end_at is None else end_at


def in_lane(successor: Execution, following: Succession) -> Execution:
    """Move a catch-up run to the bulk lane, so that it does not delay executions that are due now."""
    if not following.catches_up or successor.lane is Lane.BULK:
        return successor
    return successor.progressed(lane=Lane.BULK)

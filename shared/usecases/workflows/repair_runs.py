"""The part of the sweep for workflows: ends that a run has not learned of, and open runs."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import NotFoundError, PunctualError, UnreadableItemError
from shared.domain.executions.execution import TaskRef
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import GONE
from shared.domain.workflows.identities import run_id_text
from shared.domain.workflows.run import Run
from shared.ports.executions import ExecutionStore, RunRow
from shared.ports.jobs import JobStore
from shared.ports.workflows import RunStore
from shared.usecases.workflows.advance_run import AdvanceRun
from shared.usecases.workflows.cancel_run import CancelRun

READ_AT_ONCE = 100


@dataclass(slots=True)
class UnsettledRuns:
    """What keeps a shard open."""

    rows: list[DueRow] = field(default_factory=list)
    """Ended tasks whose runs may not have learned of the end."""
    open_runs: list[RunRow] = field(default_factory=list)
    failed: int = 0
    """Runs that could not be read or written now."""
    quarantined: list[str] = field(default_factory=list)
    """Runs that only an operator can repair."""

    def keep(self, run_id: ExecutionId, rows: Mapping[ExecutionId, RunRow]) -> None:
        """The run lies in this shard: it keeps the shard open."""
        if run_id in rows:
            self.open_runs.append(rows[run_id])


@dataclass(frozen=True, slots=True)
class RepairRuns:
    """A shard stays open while a run in it is open or not notified, or an ended task in it has a run that has not
    learned of it."""

    runs: RunStore
    executions: ExecutionStore
    jobs: JobStore
    advance: AdvanceRun
    cancel_run: CancelRun

    def execute(self, rows: Sequence[DueRow], runs: Iterable[RunRow]) -> UnsettledRuns:
        """One strong read of each run, and one for the executions of its open tasks. For ended runs, one read of their
        notifications. For an open run of another shard whose ended executions here are items, one read of each map, and
        more only if an end is missing there: the shard of the run does the rest."""
        runs = list(runs)
        ended: dict[ExecutionId, list[DueRow]] = {}
        for row in rows:
            if row.task is not None and row.state.is_terminal:
                ended.setdefault(row.task.run, []).append(row)
        has_ended = {row.id for row in rows if row.state.is_terminal}
        # An ended run whose parent is open keeps the shard open as well.
        open_rows = {
            row.id: row
            for row in runs
            if row.is_open or (row.parent is not None and row.parent not in has_ended)
        }
        unnotified = {row.id: row for row in self._unnotified(runs)}
        rows_here = {**open_rows, **unnotified}
        result, ids = UnsettledRuns(), list(dict.fromkeys([*rows_here, *ended]))
        for start in range(0, len(ids), READ_AT_ONCE):
            part = ids[start : start + READ_AT_ONCE]
            found = self._found(part)
            for run_id in part:
                rows_of_run = () if run_id in rows_here else ended.get(run_id, ())
                items = [
                    row.task for row in rows_of_run if row.task is not None and row.task.item is not None
                ]
                run, is_settled = self._heal(
                    run_id,
                    found,
                    result,
                    is_unnotified=run_id in unnotified,
                    items=items if len(items) == len(rows_of_run) else (),
                )
                is_over = is_settled and (run is None or run.state.is_terminal)
                if not is_over:
                    result.keep(run_id, rows_here)
                if not is_settled:
                    result.rows += ended.get(run_id, ())
        return result

    def _unnotified(self, runs: Iterable[RunRow]) -> list[RunRow]:
        """Ended runs whose notifications do not stand, as far as one read can tell: filing one again is harmless."""
        named = {row.notification: row for row in runs if not row.is_open and row.notification is not None}
        ids, missing = list(named), list[RunRow]()
        for start in range(0, len(ids), READ_AT_ONCE):
            part, standing = ids[start : start + READ_AT_ONCE], frozenset[ExecutionId]()
            with suppress(PunctualError):
                standing = frozenset(self.executions.get_many(part))
            missing += [named[each] for each in part if each not in standing]
        return missing

    def _found(self, ids: Sequence[ExecutionId]) -> dict[ExecutionId, Run] | None:
        """The runs; None if they must be read one by one."""
        try:
            return self.runs.get_many(ids)
        except PunctualError:
            return None

    def _heal(
        self,
        run_id: ExecutionId,
        found: dict[ExecutionId, Run] | None,
        result: UnsettledRuns,
        *,
        is_unnotified: bool,
        items: Sequence[TaskRef],
    ) -> tuple[Run | None, bool]:
        """The stored run, and whether it has learned of every end, each chosen task stands, and its end is notified.

        `items` are ended items, if the run lies in another shard and no other task of it has ended here.
        """
        try:
            run = self.runs.get(run_id) if found is None else found.get(run_id)
            if run is not None and run.state.is_terminal:
                self.advance.end_parent(run)
            if run is None or (run.state.is_terminal and not is_unnotified):
                return run, True
            if items and self.advance.maps().have_recorded(run_id, items):
                return run, True
            workflow = self.advance.read_revision.execute(run)
            if workflow is None:
                result.quarantined.append(run_id_text(run_id))
            elif self._is_left_by_deletion(run):
                return self.cancel_run.execute(run.tenant_id, run_id_text(run.id))[0], True
            else:
                return self.advance.heal(workflow, run), True
        except UnreadableItemError:
            result.quarantined.append(run_id_text(run_id))
        except NotFoundError:
            return None, True  # Deleted meanwhile, with its tenant.
        except PunctualError:
            result.failed += 1
        return None, False

    def _is_left_by_deletion(self, run: Run) -> bool:
        """Whether the job of an open run is deleted: one strong read. A run of many is not reached before the answer.

        A run that is redriven afterwards goes on.
        """
        if run.parent is None or run.state.is_terminal or run.epoch > 1:
            return False
        job = self.jobs.get(run.tenant_id, run.parent.job_id)
        return job is not None and job.state in GONE

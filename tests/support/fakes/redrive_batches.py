"""The writes of many redrives in memory."""

from collections.abc import Sequence

from shared.domain.errors import NotFoundError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.ids import ExecutionId
from shared.ports.executions import WriteUnknown
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.job_store import FakeJobStore
from tests.support.fakes.table import FakeTable

MarkResult = Execution | WriteUnknown | None


class FakeRedriveBatches:
    """Writes in sequence. A test can name marks of the next call whose result is unknown."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table
        self.unwritten: set[int] = set()
        """The numbers of marks of the next call that are not written."""
        self.unanswered: set[int] = set()
        """The numbers of marks of the next call that are written, but whose response is lost."""

    def mark_all(self, marks: Sequence[tuple[ExecutionId, RedrivenBy]]) -> list[MarkResult]:
        if len({execution_id for execution_id, _ in marks}) != len(marks):
            raise ValueError("the ids of a batch are all different")
        unwritten, unanswered = self.unwritten, self.unanswered
        self.unwritten, self.unanswered = set(), set()
        results: list[MarkResult] = []
        for number, mark in enumerate(marks):
            result = WriteUnknown("injected") if number in unwritten else self._mark(*mark)
            results.append(WriteUnknown("injected") if number in unanswered else result)
        return results

    def note_all_beside(self, notes: Sequence[tuple[Execution, int]]) -> None:
        for note in notes:
            FakeJobStore(self._table).note_beside(*note)

    def _mark(self, execution_id: ExecutionId, redriven_by: RedrivenBy) -> MarkResult:
        try:
            return FakeExecutionStore(self._table).mark_redriven(execution_id, redriven_by)
        except UnknownVersionError as newer:
            return WriteUnknown(str(newer), is_newer=True)
        except (NotFoundError, UnreadableItemError) as missing:
            return WriteUnknown(str(missing), is_permanent=True)

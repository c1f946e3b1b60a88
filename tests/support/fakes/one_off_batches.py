"""Batches of puts in memory."""

from collections.abc import Sequence
from enum import Enum, auto

from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.ports.executions import WriteUnknown
from shared.ports.jobs import Payload
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.job_store import FakeJobStore
from tests.support.fakes.table import FakeTable


class Fault(Enum):
    """A fault of one put of a batch."""

    NOT_WRITTEN = auto()
    WRITTEN = auto()
    """Written, but the response is lost."""
    REJECTED = auto()
    """Rejected for good: the put can never succeed."""
    DIES = auto()
    """The process dies before this put and after the earlier puts."""


class FakeOneOffBatches:
    """Puts in sequence. A test can set faults of the next batch by the number of the put."""

    def __init__(self, table: FakeTable) -> None:
        self._store = FakeExecutionStore(table)
        self._jobs = FakeJobStore(table)
        self.faults: dict[int, Fault] = {}
        self.payload_faults: dict[int, Fault] = {}

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[Execution | WriteUnknown | None]:
        if len({execution.id for execution in executions}) != len(executions):
            raise ValueError("the ids of a batch are all different")
        faults, self.faults = self.faults, {}
        return [self._put(execution, faults.get(number)) for number, execution in enumerate(executions)]

    def put_payloads(self, payloads: Sequence[Payload]) -> list[WriteUnknown | None]:
        faults, self.payload_faults = self.payload_faults, {}
        return [self._put_payload(payload, faults.get(number)) for number, payload in enumerate(payloads)]

    def _put_payload(self, payload: Payload, fault: Fault | None) -> WriteUnknown | None:
        if fault is Fault.DIES:
            raise Died
        if fault in (Fault.NOT_WRITTEN, Fault.REJECTED):
            return WriteUnknown("injected", is_permanent=fault is Fault.REJECTED)
        self._jobs.put_payload(payload)
        return None if fault is None else WriteUnknown("injected")

    def _put(self, execution: Execution, fault: Fault | None) -> Execution | WriteUnknown | None:
        if fault is Fault.DIES:
            raise Died
        if fault is Fault.REJECTED:
            return WriteUnknown("injected", is_permanent=True)
        if fault is Fault.NOT_WRITTEN:
            return WriteUnknown("injected")
        try:
            standing = self._store.put_if_absent(execution)
        except UnreadableItemError as unreadable:
            return WriteUnknown(str(unreadable), is_permanent=True)
        return standing if fault is None else WriteUnknown("injected")


class Died(BaseException):
    """The process dies within a batch."""

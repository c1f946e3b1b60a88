"""The order in which a job's executions are told: by nominal instant, and by id where several share one."""

from dataclasses import dataclass

from shared.domain.execution import Execution
from shared.domain.ids import ExecutionId, parse_execution_id


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """One execution's place in the history of its job. Places are compared as the history is ordered, oldest first."""

    at: int
    """Its nominal instant."""
    identity: str = ""
    """Its id as text; empty stands before every execution of the instant."""

    @property
    def execution_id(self) -> ExecutionId:
        """The execution; InvalidValueError where the place names none."""
        return parse_execution_id(self.identity)


def place_of(execution: Execution) -> Place:
    """Where an execution stands in the history of its job."""
    return Place(at=execution.nominal_at, identity=str(execution.id))

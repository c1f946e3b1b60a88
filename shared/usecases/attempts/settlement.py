"""How attempts end."""

from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State


class AttemptEnd(StrEnum):
    """How an attempt ended; the values are metric dimensions."""

    SUCCEEDED = "succeeded"
    RETRIED = "retried"
    REFUNDED = "refunded"
    """No call was made for a reason of Punctual's own: the attempt does not count, and another follows."""
    FAILED = "failed"
    WITHDRAWN = "withdrawn"
    """No call was made: the job was paused or updated before the first call, its start deadline passed, or its
    tenant was suspended when it was due."""
    ASYNC_ACCEPTED = "async_accepted"
    """The call has ended and the attempt has not: the receiver will report the outcome."""
    REPORTED = "reported"
    """The receiver reported the outcome before its call had ended."""
    FENCED = "fenced"
    UNRECORDED = "unrecorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How an attempt ended. `is_done`: no message or repeated report is needed to complete it."""

    end: AttemptEnd
    is_done: bool = True
    untold: Execution | None = None
    """A task that has ended, and of whose end the caller has to tell the run."""


def overtaken(execution: Execution, existing: Execution) -> Settlement:
    """Another write came first. A different outcome of the same attempt can only be the receiver's report."""
    is_reported = any(outcome.attempt == execution.attempt for outcome in existing.progress.outcomes)
    return Settlement(end=AttemptEnd.REPORTED if is_reported else AttemptEnd.FENCED)


def is_same_claim(execution: Execution, existing: Execution) -> bool:
    """Whether the claim of an execution is still the present one."""
    mine, other = execution.progress, existing.progress
    return (other.owner, other.claims) == (mine.owner, mine.claims) and existing.state is State.RUNNING

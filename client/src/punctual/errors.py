"""Everything that the client raises. The errors that the API answers with are in `punctual.problems`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from punctual.models import ExecutionDetail, Job
    from punctual.problems import ApiError

__all__ = [
    "BatchRefusedError",
    "ConfigurationError",
    "ExecutionFailedError",
    "NoAnswerError",
    "PunctualError",
    "RequestError",
    "UnexpectedAnswerError",
    "WaitTimeoutError",
]


class PunctualError(Exception):
    """The base of every error of this package. Errors can be pickled, as the workers of a process pool need."""

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[PunctualError], args: tuple[Any, ...], members: dict[str, Any]) -> PunctualError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(members)
    return error


class ConfigurationError(PunctualError):
    """The URL, the key or the profile is missing or unusable. Nothing was sent."""


class RequestError(PunctualError):
    """A request that did not succeed."""

    def __init__(
        self,
        text: str,
        *,
        operation: str,
        idempotency_key: str | None = None,
        attempts: int = 1,
        maybe_applied: bool = False,
    ) -> None:
        super().__init__(text)
        self.operation = operation
        """The `operationId` of the OpenAPI document."""
        self.idempotency_key = idempotency_key
        """The key that was sent. The same request with the same key never takes effect twice."""
        self.attempts = attempts
        """How often the request was sent."""
        self.maybe_applied = maybe_applied
        """Whether an attempt may have taken effect although no answer said so."""


class NoAnswerError(RequestError):
    """No answer arrived: the connection failed or was lost, or the time was up."""


class UnexpectedAnswerError(RequestError):
    """The answer is not one of Punctual, such as the page of a proxy."""


class WaitTimeoutError(PunctualError, TimeoutError):
    """The job or execution had not ended in time."""

    def __init__(self, subject: str, state: str, timeout: float) -> None:
        super().__init__(f"{subject} is still {state} after {timeout:g} s")
        self.subject = subject
        """The id that was waited for."""
        self.state = state
        """The state when the time was up."""


class ExecutionFailedError(PunctualError):
    """A job or an execution ended in another state than `succeeded` (a backfill: `completed`)."""

    def __init__(self, text: str, job: "Job | None", execution: "ExecutionDetail | None") -> None:
        super().__init__(text)
        self.job = job
        """The job, if a job was waited for."""
        self.execution = execution
        """The execution, with its attempts; None if the job never ran."""


class BatchRefusedError(PunctualError):
    """Jobs of a batch were not created."""

    def __init__(self, refused: "Sequence[tuple[int, ApiError]]", *, total: int) -> None:
        first = "; ".join(f"job {place}: {error}" for place, error in refused[:3])
        more = f"; and {len(refused) - 3} more" if len(refused) > 3 else ""
        super().__init__(f"{len(refused)} of {total} jobs were not created: {first}{more}")
        self.refused = tuple(refused)
        """The place in the batch, from 0, and the error of each job that was not created."""

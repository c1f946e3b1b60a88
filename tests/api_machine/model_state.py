"""What is kept under an Idempotency-Key: asking again is answered with it, and asking for anything else is refused."""

from dataclasses import dataclass
from typing import Any

from tests.api_machine.executions import PromisedExecution
from tests.api_machine.expectations import PromisedJob


@dataclass(frozen=True, slots=True, kw_only=True)
class PromisedTrigger:
    """One run of a job beside its schedule."""

    job: PromisedJob
    key: str
    execution: PromisedExecution


@dataclass(frozen=True, slots=True, kw_only=True)
class PromisedBatch:
    """Many jobs of one request."""

    tenant: str
    key: str | None
    documents: list[Any]
    results: list[PromisedJob | str]
    """The job, or the type of the problem, of each document."""


Kept = PromisedJob | PromisedTrigger | PromisedBatch

"""Many jobs in one request."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, SkipValidation, field_serializer

from functions.api.models.examples.jobs import BATCH_IN, BATCH_OUT
from functions.api.models.jobs import JobIn, JobOut
from functions.api.models.schema import Schema, shown_by
from functions.api.models.system import ProblemOut

MAX_JOBS = 100


class BatchIn(Schema):
    """Jobs to be created. Each is read by itself: what is wrong with one is answered in its own result."""

    model_config = shown_by(BATCH_IN)

    jobs: Annotated[list[SkipValidation[JobIn]], Field(min_length=1, max_length=MAX_JOBS)]


class AcceptedOut(BaseModel):
    """A job that was accepted."""

    status: Literal[201]
    job: JobOut


class RefusedOut(BaseModel):
    """A job that was not, and why; pointers begin at the body of the whole request."""

    status: int
    problem: ProblemOut

    @field_serializer("problem")
    def _spare(self, problem: ProblemOut) -> dict[str, Any]:
        """As a problem document has it: what does not apply is not there."""
        return problem.model_dump(exclude_none=True)


class BatchOut(BaseModel):
    """One result for each job, in the order of the request."""

    model_config = shown_by(BATCH_OUT)

    results: list[AcceptedOut | RefusedOut]

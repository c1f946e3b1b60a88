"""Schemas of batches."""

from typing import Annotated, Literal

from pydantic import Field, SkipValidation

from functions.api.models import ProblemOut, Representation, Schema, with_examples
from functions.api.resources.batches.examples import BATCH_IN, BATCH_OUT
from functions.api.resources.jobs.models import JobIn, JobOut

MAX_JOBS = 100


class BatchIn(Schema):
    """Jobs to create. Each job is validated by itself; its errors are in its own result."""

    model_config = with_examples(BATCH_IN)

    # Validated job by job in the route: one invalid job must not refuse the batch.
    jobs: Annotated[list[SkipValidation[JobIn]], Field(min_length=1, max_length=MAX_JOBS)]


class AcceptedOut(Representation):
    """A job that was created."""

    status: Literal[201]
    job: JobOut


class RefusedOut(Representation):
    """A job that was refused, and the reason. Pointers start at the body of the whole request."""

    status: int
    problem: ProblemOut


class BatchOut(Representation):
    """One result for each job, in the order of the request."""

    model_config = with_examples(BATCH_OUT)

    results: list[AcceptedOut | RefusedOut]

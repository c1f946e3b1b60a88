"""Schemas of jobs with a key."""

from typing import Any

from pydantic import Field

from functions.api.models import Representation, with_examples
from functions.api.resources.jobs import examples
from functions.api.resources.jobs.models import JobOut
from shared.usecases.jobs.put_job import Change


class FieldChange(Representation):
    """One member that differs."""

    pointer: str = Field(description="A JSON pointer into the description of the job.")
    before: Any = Field(description="Null for a member that was missing, and for a hidden one.")
    after: Any = Field(description="Null for a member that is missing, and for a hidden one.")
    hidden: bool = Field(
        description="Whether the values are never shown: headers and the body of the request."
    )


class JobPutOut(Representation):
    """What the request did. With `dry_run=true`: what it would do."""

    model_config = with_examples(examples.JOB_PUT)

    change: Change
    fields: list[FieldChange] = Field(description="What differs, for `updated`.")
    job: JobOut | None = Field(
        description=(
            "The job as it is now; with `dry_run=true` still the job before the change. Null for a job that would be "
            "created."
        )
    )

"""Schemas of jobs with a key."""

from dataclasses import replace
from typing import Any

from pydantic import ConfigDict, Field

from functions.api.models import EXAMPLES, Representation, SetName, with_examples
from functions.api.resources.jobs import examples
from functions.api.resources.jobs.member_rules import ONE_KIND
from functions.api.resources.jobs.models import JobIn, JobOut
from shared.domain.delivery.trace import Trace
from shared.domain.jobs.new_job import NewJob
from shared.usecases.jobs.put_job import Change


class KeyedJobIn(JobIn):
    """The whole description of the recurring job with a key. A member that is missing has its default."""

    model_config = ConfigDict(json_schema_extra={EXAMPLES: examples.KEYED_JOB_IN, **ONE_KIND})

    set_: SetName | None = Field(
        None,
        alias="set",
        description="The set of jobs to which the job belongs, such as one file. Lists can be filtered by it.",
    )

    def new_job(self, *, depth: int = 0, trace: Trace | None = None) -> NewJob:
        return replace(super().new_job(depth=depth, trace=trace), set_name=self.set_)


Value = str | int | list[str] | list[int] | dict[str, Any] | None
"""Of a member of a job."""


class FieldChange(Representation):
    """One member that differs."""

    pointer: str = Field(
        description="A JSON pointer into the description. The tasks of a workflow stand under their keys."
    )
    before: Value = Field(description="Null for a member that was missing, and for a hidden one.")
    after: Value = Field(description="Null for a member that is missing, and for a hidden one.")
    hidden: bool = Field(
        description="Whether the values are never shown: headers and the body of the request or message."
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

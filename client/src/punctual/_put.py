"""What `jobs.put` and `workflows.put` return."""

from typing import NamedTuple

from punctual.errors import UnexpectedAnswerError
from punctual.models import FieldChange, Job, JobPut, Workflow, WorkflowPut


class _Pair(NamedTuple):
    job: Job
    """The job as it is now."""
    change: str
    """`created`, `updated` or `unchanged`."""


class Put(_Pair):
    """The job and what the request did, to be unpacked: `job, change = p.jobs.put(...)`."""

    fields: tuple[FieldChange, ...]
    """What differed, for `updated`. The values of headers and of the body are hidden."""

    @classmethod
    def of(cls, answer: JobPut) -> "Put":
        """Raises UnexpectedAnswerError for an answer without a job, which only a dry run has."""
        if answer.job is None:
            raise UnexpectedAnswerError("the answer has no job", operation="putJob")
        made = cls(answer.job, answer.change)
        made.fields = answer.fields
        return made


class _WorkflowPair(NamedTuple):
    workflow: Workflow
    """The workflow as it is now."""
    change: str
    """`created`, `updated` or `unchanged`."""


class PutWorkflow(_WorkflowPair):
    """The workflow and what the request did, to be unpacked: `workflow, change = p.workflows.put(...)`."""

    fields: tuple[FieldChange, ...]
    """What differed, for `updated`. The values of headers and of bodies are hidden."""

    @classmethod
    def of(cls, answer: WorkflowPut) -> "PutWorkflow":
        """Raises UnexpectedAnswerError for an answer without a workflow, which only a dry run has."""
        if answer.workflow is None:
            raise UnexpectedAnswerError("the answer has no workflow", operation="putWorkflow")
        made = cls(answer.workflow, answer.change)
        made.fields = answer.fields
        return made

"""Schemas of workflows with a key."""

from dataclasses import replace

from pydantic import ConfigDict, Field

from functions.api.models import EXAMPLES, Representation, SetName, with_examples
from functions.api.resources.jobs.keyed_models import FieldChange
from functions.api.resources.workflows import examples
from functions.api.resources.workflows.models import WorkflowIn, WorkflowOut
from shared.domain.workflows.new_workflow import NewWorkflow
from shared.usecases.workflows.put_keyed_workflow import WorkflowChange


class KeyedWorkflowIn(WorkflowIn):
    """The whole description of the workflow with a key. A member that is missing has its default."""

    model_config = ConfigDict(json_schema_extra={EXAMPLES: examples.KEYED_WORKFLOW_IN})

    set_: SetName | None = Field(
        None,
        alias="set",
        description="The set to which the workflow belongs, such as one file. The list can be filtered by it.",
    )

    def new_workflow(self) -> NewWorkflow:
        return replace(super().new_workflow(), set_name=self.set_)


class WorkflowPutOut(Representation):
    """What the request did. With `dry_run=true`: what it would do."""

    model_config = with_examples(examples.WORKFLOW_PUT)

    change: WorkflowChange
    fields: list[FieldChange] = Field(
        description=(
            "What differs, for `updated`. A task stands under its key, as in `/tasks/ship/request/url`. With the "
            "pointer `/tasks`, the order of the keys differs."
        )
    )
    workflow: WorkflowOut | None = Field(
        description=(
            "The workflow as it is now; with `dry_run=true` still the workflow before the change. Null for a workflow "
            "that would be created."
        )
    )

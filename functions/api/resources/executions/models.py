"""Schemas of executions."""

from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import InstantOut, Representation, is_none, with_examples
from functions.api.resources.executions.examples import EXECUTION_DETAIL, EXECUTION_OUT, EXECUTION_PAGE
from shared.domain.delivery.callback import Reason
from shared.domain.dispatch.wait_hint import WaitingFor
from shared.domain.executions.states import EndReason
from shared.domain.listings.filters import EXECUTION_STATES

StateOut = Annotated[str, Field(json_schema_extra={"enum": [state.value for state in EXECUTION_STATES]})]
WaitReasonOut = Annotated[str, Field(json_schema_extra={"enum": [reason.value for reason in WaitingFor]})]
EndReasonOut = Annotated[str, Field(json_schema_extra={"enum": [reason.value for reason in EndReason]})]


class AttemptOut(Representation):
    """One attempt of an execution. An attempt whose worker was lost is counted but has no entry."""

    number: int
    started_at: InstantOut
    duration_ms: int
    status: int | None = Field(description="The HTTP status; null where there was no response.")
    reason: Annotated[str, Field(json_schema_extra={"enum": [reason.word for reason in Reason]})] = Field(
        description="The outcome of the attempt; `ok` for success."
    )


class MissedOut(Representation):
    """Nominal instants that were skipped together."""

    count: int
    first_at: InstantOut
    last_at: InstantOut


class NotificationOut(Representation):
    """The execution that delivers the outcome of another."""

    id: str
    state: StateOut | None = Field(
        description="Null where it does not exist, and in responses to other methods than GET."
    )


class TaskOfRunOut(Representation):
    """The task of a workflow's run that an execution carries out."""

    run_id: str
    key: str
    epoch: int = Field(description="The epoch of the run in which the task was chosen.")
    item: int | SkipJsonSchema[None] = Field(
        None,
        exclude_if=is_none,
        description="Of an item of a map: the position of its element in the array, from 0.",
    )


class EventOfRunOut(Representation):
    """The event that has started an execution, and the trigger that it matched."""

    trigger: str
    source: str
    id: str


class ExecutionOut(Representation):
    """One planned run of a job."""

    model_config = with_examples(EXECUTION_OUT)

    id: str
    job_id: str
    name: str | None = Field(
        description="The present name of its job; null where it has none, or could not be read."
    )
    state: StateOut
    backfill_of: str | None = Field(description="For a run of a backfill: the job that it belongs to.")
    scheduled_at: InstantOut = Field(
        description="The nominal instant; for a run of a backfill, the past instant that it covers."
    )
    due_at: InstantOut = Field(
        description="The instant at which it is or was due: later than `scheduled_at` by the job's jitter, or by the "
        "events that have postponed it."
    )
    lag_ms: int | None = Field(
        description="How late its first call began; null where that is not known, or not yet."
    )
    attempts_begun: int = Field(description="Includes attempts whose worker was lost.")
    attempts: list[AttemptOut]
    next_attempt_at: InstantOut | None
    end_reason: EndReasonOut | None = Field(
        description="The reason of the end, where the state alone does not tell it."
    )
    last_response_body: str | None = Field(description="First 256 bytes of the last failed response.")
    missed: MissedOut | None = Field(
        description="The instants that a `skipped` execution covers, where they are several."
    )
    redrive_of: str | None = Field(description="The failed execution whose request it repeats.")
    redriven_by: str | None = Field(description="The execution that repeats its request.")
    notification: NotificationOut | None = Field(
        description="The execution that delivers its outcome; null where no notification is sent."
    )
    notification_of: str | None = Field(
        description=(
            "The execution whose outcome it delivers; its own id, if it announces a limit of the tenant, or tells of "
            "the end of a run."
        )
    )
    task: TaskOfRunOut | None = Field(
        description="For a task of a workflow, whose id is the `job_id`; null for any other execution."
    )
    run: str | SkipJsonSchema[None] = Field(
        None,
        exclude_if=is_none,
        description=(
            "The run that it has started, of a job that starts a workflow. It ends as the run does."
        ),
    )
    event: EventOfRunOut | SkipJsonSchema[None] = Field(
        None,
        exclude_if=is_none,
        description="The event that has started it, by a trigger; where several events share the run, the latest.",
    )
    archived: bool = Field(
        description=(
            "Whether its record has expired, so that it is shown from the archive: without `redriven_by` and "
            "`notification`."
        )
    )


class WaitOut(Representation):
    """The reason why an execution that is due has not started: a hint from the present state of limits."""

    reason: WaitReasonOut
    until: InstantOut | None = Field(
        description="The earliest start, as far as it is known now; null where it is not known."
    )


class ExecutionDetailOut(ExecutionOut):
    """One planned run of a job, read by its id."""

    model_config = with_examples(EXECUTION_DETAIL)

    waiting_for: WaitOut | None = Field(
        description=(
            "Why its next attempt is due and has not started. A hint, which may lag by a few seconds. Null "
            "where no attempt is due, where it has started, and where the reason is not known."
        )
    )


class ExecutionPageOut(Representation):
    """Newest first. A page may be short while `next_cursor` is there."""

    model_config = with_examples(EXECUTION_PAGE)

    executions: list[ExecutionOut]
    next_cursor: str | None

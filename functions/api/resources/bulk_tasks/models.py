"""Schemas of bulk operations on jobs."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from functions.api.models import (
    Instant,
    InstantOut,
    Representation,
    Schema,
    Seconds,
    SetName,
    instant_errors,
    read_instant,
    with_examples,
)
from functions.api.resources.bulk_tasks import examples
from functions.api.resources.bulk_tasks.patch_models import BulkPatchIn, BulkPatchOut
from functions.api.resources.jobs.page_models import JobSummaryOut
from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.job_task import HOUR_MS, MAX_GRACE_HOURS, MAX_RATE, JobTaskState, NewJobTask
from shared.domain.errors import InvalidValueError, raise_any
from shared.domain.jobs.new_job import MAX_NAME_LENGTH, TAG, TAG_TEXT
from shared.domain.listings.filters import JOB_STATES, JobFilter, Kind
from shared.usecases.bulk.sign_plan import PLAN
from shared.usecases.bulk.start_job_task import COUNTED_AT_MOST, EXAMPLES, FREE_OF_PLAN

DEFAULT_RATE = 20
DEFAULT_GRACE_HOURS = 24
MAX_REASON_LENGTH = 200


class BulkFilterIn(Schema):
    """The jobs to change: those that match every member. `{}` means all."""

    state: str | None = Field(
        None, description="Only jobs in this state.", json_schema_extra={"enum": [*sorted(JOB_STATES), None]}
    )
    tag: Annotated[str, Field(json_schema_extra={"pattern": TAG})] | None = Field(
        None, description="Only jobs with this tag."
    )
    set_: SetName | None = Field(
        None, alias="set", description="Only jobs of this set. One-off jobs have no set."
    )
    q: Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH)] | None = Field(
        None, description="Only jobs whose name starts with this text; case-sensitive."
    )
    kind: Annotated[Kind, Field(strict=False)] | None = Field(
        None, description="Only jobs of this kind. One-off jobs are chosen by `once` alone."
    )
    created_from: Instant | None = Field(None, description="Created at this instant or later.")
    created_to: Instant | None = Field(
        None, description="Created before this instant; by default before the time of the request."
    )

    def errors(self) -> Iterator[InvalidValueError]:
        if self.state is not None and self.state not in JOB_STATES:
            yield InvalidValueError(
                f"must be one of {', '.join(sorted(JOB_STATES))}", path=("filter", "state")
            )
        if self.tag is not None and not re.fullmatch(TAG, self.tag):
            yield InvalidValueError(f"must be {TAG_TEXT}", path=("filter", "tag"))
        if self.q is not None and any(unicodedata.category(char) == "Cc" for char in self.q):
            yield InvalidValueError("must have no control characters", path=("filter", "q"))
        for error in instant_errors({"created_from": self.created_from, "created_to": self.created_to}):
            yield InvalidValueError(str(error), path=("filter", error.field))

    def criteria(self) -> JobFilter:
        """ScheduleError for a text that is no instant."""
        return JobFilter(
            state=self.state,
            tag=self.tag,
            set_name=self.set_,
            name_prefix=self.q,
            kind=self.kind,
            created_from=read_instant("created_from", self.created_from),
            created_before=read_instant("created_to", self.created_to),
            recurs=self.kind is not Kind.ONCE,
            is_live=True,
        )


class BulkIn(Schema):
    """A filter, and the action on all jobs that match it."""

    model_config = with_examples(examples.BULK_IN)

    filter: BulkFilterIn
    action: Annotated[BulkAction, Field(strict=False)]
    reason: Annotated[str, StringConstraints(min_length=1, max_length=MAX_REASON_LENGTH)] | None = Field(
        None, description="The reason of a pause, shown with each job together with the operation's id."
    )
    patch: BulkPatchIn | None = Field(None, description="Of the action `patch`, which needs it.")
    grace_hours: Annotated[Seconds, Field(ge=0, le=MAX_GRACE_HOURS)] | None = Field(
        None,
        description="Of a deletion: the jobs are paused at once, and deleted this much later unless the "
        f"operation is undone or cancelled. {DEFAULT_GRACE_HOURS} by default; 0 deletes at once.",
    )
    rate: Annotated[Seconds, Field(ge=1, le=MAX_RATE)] = Field(
        DEFAULT_RATE, description="At most this many jobs are changed per second."
    )
    dry_run: bool = Field(default=False, description="Only count the jobs and make a plan; change nothing.")
    plan: Annotated[str, Field(json_schema_extra={"pattern": PLAN})] | None = Field(
        None,
        description="The plan of a dry run with the same filter and action, at most 10 minutes old. An "
        f"operation on more than {FREE_OF_PLAN} jobs needs it.",
    )

    @model_validator(mode="after")
    def _is_lawful(self) -> Self:
        raise_any(self._errors())
        return self

    def _errors(self) -> Iterator[InvalidValueError]:
        found = [*self.filter.errors()]
        yield from found
        if self.reason is not None and self.action is not BulkAction.PAUSE:
            yield InvalidValueError("only a pause has a reason", path=("reason",))
        if self.grace_hours is not None and self.action is not BulkAction.DELETE:
            yield InvalidValueError("only a deletion has a grace", path=("grace_hours",))
        yield from self._patch_errors()
        if self.plan is not None and self.dry_run:
            yield InvalidValueError("a dry run makes a plan and takes none", path=("plan",))
        if not found:
            yield from self._selection_errors(self.filter.criteria())

    def _patch_errors(self) -> Iterator[InvalidValueError]:
        if (self.action is BulkAction.PATCH) != (self.patch is not None):
            yield InvalidValueError("the action patch has a patch, and no other", path=("patch",))
        elif self.patch is not None:
            try:
                self.patch.patch()
            except InvalidValueError as error:
                yield error

    def _selection_errors(self, criteria: JobFilter) -> Iterator[InvalidValueError]:
        is_once = criteria.kind is Kind.ONCE
        if is_once and self.action is not BulkAction.DELETE:
            detail = f"a one-off job has no {self.action}; its only bulk action is delete"
            yield InvalidValueError(detail, path=("action",))
        elif is_once and self.grace_hours != 0:
            detail = "a one-off job cannot be paused for a grace: set grace_hours to 0"
            yield InvalidValueError(detail, path=("grace_hours",))
        if is_once and criteria.set_name is not None:
            detail = "a one-off job has no set: leave out the set, or the kind once"
            yield InvalidValueError(detail, path=("filter", "set"))
        elif not (criteria.one_off if is_once else criteria.recurring):
            detail = f"no {'one-off' if is_once else 'recurring'} job has the state {criteria.state}"
            yield InvalidValueError(detail, path=("filter", "state"))
        since, until = criteria.created_from, criteria.created_before
        if since is not None and until is not None and since >= until:
            yield InvalidValueError("created_to: must be after created_from", path=("filter", "created_to"))

    def new_task(self, max_tags: int) -> NewJobTask:
        """The operation; `max_tags` is the quota of the tenant."""
        is_deletion = self.action is BulkAction.DELETE
        grace_hours = DEFAULT_GRACE_HOURS if self.grace_hours is None else self.grace_hours
        return NewJobTask(
            criteria=self.filter.criteria(),
            action=self.action,
            rate=self.rate,
            reason=self.reason,
            patch=self.patch.patch(max_tags) if self.patch is not None else None,
            grace_ms=grace_hours * HOUR_MS if is_deletion else 0,
        )


class BulkPlanOut(Representation):
    """The jobs that would be changed. Nothing was changed."""

    model_config = with_examples(examples.BULK_PLAN)

    count: int = Field(description="The number of jobs that match.")
    complete: bool = Field(
        description=f"False where the counts are lower bounds: at most {COUNTED_AT_MOST} jobs are counted."
    )
    unchanged: int = Field(description="Matching jobs that already are as the action would leave them.")
    refused: dict[Refusal, int] = Field(description="Matching jobs that cannot take the action, by reason.")
    examples: list[JobSummaryOut] = Field(description=f"The first {EXAMPLES} jobs that would be changed.")
    warnings: list[str] = Field(description="What to consider before the operation.")
    plan: str = Field(description="Send this with the request itself.")
    plan_expires_at: InstantOut


class BulkFilterOut(Representation):
    """The filter of an operation."""

    state: str | None
    tag: str | None
    set_: str | None = Field(alias="set")
    q: str | None
    kind: Kind | None
    created_from: InstantOut | None
    created_to: InstantOut


class BulkCountsOut(Representation):
    """What happened to the jobs so far."""

    done: int = Field(description="Jobs that the action has changed; of a deletion with a grace, paused.")
    unchanged: int = Field(description="Jobs that already were as the action leaves them.")
    refused: dict[Refusal, int] = Field(description="Jobs that could not take the action, by reason.")
    deleted: int = Field(description="Jobs that were deleted after the grace.")
    undone: int = Field(description="Jobs whose change was undone.")
    changed_since: int = Field(
        description="Jobs that others changed after the operation, and triggered runs that had started: "
        "neither an undo nor a deletion after the grace touches them."
    )
    gone: int = Field(description="Jobs that an undo found deleted.")


class BulkTaskOut(Representation):
    """A bulk operation."""

    model_config = with_examples(examples.BULK_TASK)

    id: str
    action: BulkAction
    state: JobTaskState = Field(
        description="`waiting`: the jobs of a deletion are paused until `deletes_at`. `undone`: every change "
        "that could be undone is undone."
    )
    filter: BulkFilterOut
    reason: str | None
    patch: BulkPatchOut | None
    grace_hours: int | None = Field(description="Null for actions other than a deletion.")
    rate: int
    total: int = Field(description="The number of jobs that matched at the start.")
    total_is_exact: bool = Field(description="False where `total` is a lower bound.")
    counts: BulkCountsOut
    left: int = Field(description="Jobs that the present pass has not reached, as far as it is known.")
    ends_at: InstantOut | None = Field(
        description="When the present pass ends at the earliest; null where nothing is left to do."
    )
    deletes_at: InstantOut | None
    created_at: InstantOut
    ended_at: InstantOut | None


class BulkTaskPageOut(Representation):
    """Bulk operations, newest first."""

    model_config = with_examples(examples.BULK_TASK_PAGE)

    operations: list[BulkTaskOut]
    next_cursor: str | None

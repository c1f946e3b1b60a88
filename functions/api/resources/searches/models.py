"""Schemas of searches of executions."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from functions.api.http.filters import word_errors
from functions.api.models import (
    Instant,
    InstantOut,
    Representation,
    Schema,
    Seconds,
    instant_errors,
    read_instant,
    with_examples,
)
from functions.api.resources.searches import examples
from shared.domain.archive.reading import RowFilter
from shared.domain.archive.search_task import MOST_FOUND, RESULT_DAYS, SearchState
from shared.domain.errors import InvalidValueError, ScheduleError, raise_any
from shared.domain.ids import JOB_ID
from shared.domain.jobs.new_job import TAG
from shared.domain.listings.filters import EXECUTION_STATES, FAILURE_REASONS
from shared.names import Lane
from shared.usecases.archive.manage_searches import URL_SECONDS
from shared.usecases.archive.start_search import NewSearch

_STATES = tuple(state.value for state in EXECUTION_STATES)


class SearchFilterIn(Schema):
    """The executions to find: those that match every member. `{}` means all."""

    state: str | None = Field(
        None, description="Only executions in this state.", json_schema_extra={"enum": [*_STATES, None]}
    )
    job: Annotated[str, Field(json_schema_extra={"pattern": JOB_ID})] | None = Field(
        None, description="Only executions of this job."
    )
    tag: Annotated[str, Field(json_schema_extra={"pattern": TAG})] | None = Field(
        None, description="Only executions of jobs with this tag. A recurring job has its present tags."
    )
    reason: str | None = Field(
        None,
        description="Only executions that ended for this reason, or whose last attempt did.",
        json_schema_extra={"enum": [*FAILURE_REASONS, None]},
    )
    status: Annotated[Seconds, Field(ge=100, le=599)] | None = Field(
        None, description="Only executions whose last attempt got this HTTP status."
    )
    lane: Annotated[Lane, Field(strict=False)] | None = Field(
        None, description="Only executions of this lane."
    )

    def errors(self) -> Iterator[InvalidValueError]:
        if self.state is not None and self.state not in _STATES:
            yield InvalidValueError(f"must be one of {', '.join(_STATES)}", path=("filter", "state"))
        yield from word_errors(job=self.job, tag=self.tag, reason=self.reason, within=("filter",))

    def rows(self) -> RowFilter:
        lane = self.lane.value if self.lane is not None else None
        return RowFilter(state=self.state, job_id=self.job, reason=self.reason, status=self.status, lane=lane)


class SearchIn(Schema):
    """A range of due times, and what to find in it."""

    model_config = with_examples(examples.SEARCH_IN)

    from_: Instant = Field(
        alias="from",
        description="Due at this instant or later. An instant before all that is kept is raised to that.",
    )
    to: Instant | None = Field(
        None, description="Due before this instant; the time of the request at the latest, and by default."
    )
    filter: SearchFilterIn = Field(default_factory=SearchFilterIn)

    @model_validator(mode="after")
    def _is_lawful(self) -> Self:
        raise_any(self._errors())
        return self

    def _errors(self) -> Iterator[InvalidValueError]:
        yield from self.filter.errors()
        bounds = [*instant_errors({"from": self.from_, "to": self.to})]
        yield from bounds
        if not bounds:
            until_at = read_instant("to", self.to)
            if until_at is not None and self._from_at >= until_at:
                yield ScheduleError("to: must be after from", field="to")

    def new_search(self) -> NewSearch:
        return NewSearch(
            rows=self.filter.rows(),
            from_at=self._from_at,
            until_at=read_instant("to", self.to),
            tag=self.filter.tag,
        )

    @property
    def _from_at(self) -> int:
        return max(0, read_instant("from", self.from_) or 0)


class SearchFilterOut(Representation):
    """The criteria of a search. A criterion that is null matches everything."""

    state: str | None
    job: str | None
    tag: str | None
    reason: str | None
    status: int | None
    lane: str | None


class SearchOut(Representation):
    """A search of executions."""

    model_config = with_examples(examples.SEARCH)

    id: str
    state: SearchState
    from_: InstantOut = Field(alias="from")
    to: InstantOut
    filter: SearchFilterOut
    found: int = Field(description="Executions that were found so far.")
    progress_at: InstantOut | None = Field(
        description="What was due at this instant or later is searched; null after the end."
    )
    truncated: bool = Field(
        description=f"Whether the search ends before all of its range: after {MOST_FOUND:,} executions, or a day."
    )
    next_to: InstantOut | None = Field(
        description="Of a truncated search: `to` of another one, which finds the rest, and nothing again."
    )
    created_at: InstantOut
    ended_at: InstantOut | None
    expires_at: InstantOut = Field(
        description=f"The files are offered until this instant, {RESULT_DAYS} days after the start."
    )


class SearchFileOut(Representation):
    """A part of the result: JSON lines, compressed with gzip."""

    url: str = Field(description="Reads this file without an API key, until `urls_expire_at`.")
    rows: int
    bytes: int = Field(description="The size of the compressed file.")


class SearchDetailOut(SearchOut):
    """A search of executions, with its files once it has finished."""

    model_config = with_examples(examples.SEARCH_DETAIL)

    files: list[SearchFileOut] = Field(
        description="Newest executions first. A line is an execution as the lists show it, without "
        "`last_response_body`. Empty until the search has finished, and after `expires_at`."
    )
    urls_expire_at: InstantOut | None = Field(
        description=f"{URL_SECONDS // 60} minutes after this response: another one has new URLs. Null without files."
    )


class SearchPageOut(Representation):
    """Searches, newest first."""

    model_config = with_examples(examples.SEARCH_PAGE)

    searches: list[SearchOut]
    next_cursor: str | None

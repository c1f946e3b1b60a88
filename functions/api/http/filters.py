"""Query parameters that filter a listing. ProblemError (400) for every value that is not exactly right.

The same filters in bodies have an error for each such value.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from functions.api.http.problems import Problem, ProblemError
from functions.api.models import MAX_INSTANT_CHARACTERS
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.ids import JOB_ID, is_job_id, is_recurring_job_id
from shared.domain.jobs.job_key import check_set
from shared.domain.jobs.new_job import MAX_NAME_LENGTH, TAG, TAG_TEXT, check_tags
from shared.domain.listings.filters import (
    EXECUTION_STATES,
    FAILURE_REASONS,
    JOB_STATES,
    DeadLetterFilter,
    ExecutionFilter,
    JobFilter,
    Kind,
)
from shared.domain.listings.position import BEGINNING, END, IndexPosition, PositionRange
from shared.domain.schedules.schedule import parse_instant
from shared.domain.workflows.identities import WORKFLOW_ID, is_workflow_id
from shared.names import Lane

EXECUTION_FILTERS = ("state", "from", "to")
DEAD_LETTER_FILTERS = ("job", "tag", "reason", "status", "lane", "from", "to")
JOB_FILTERS = ("state", "tag", "set", "q", "kind", "backfill_of")
OWNER_ID = f"{JOB_ID}|{WORKFLOW_ID}"
"""The pattern of the ID of a job or of a workflow."""
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_STATUS = re.compile("[1-5][0-9][0-9]")
W = TypeVar("W", bound=StrEnum)


class JobPart(StrEnum):
    """What a list of jobs shows if it is asked for. The values are those of the API."""

    LAST_RUN = "last_run"


def execution_filter(query: Mapping[str, str]) -> ExecutionFilter:
    return ExecutionFilter(state=_word(query, "state", EXECUTION_STATES), span=_range(query))


def dead_letter_filter(query: Mapping[str, str]) -> DeadLetterFilter:
    job_id, status = query.get("job"), query.get("status")
    if job_id is not None and not (is_job_id(job_id) or is_workflow_id(job_id)):
        raise _malformed("job is the id of a job or of a workflow")
    if status is not None and not _STATUS.fullmatch(status):
        raise _malformed("status is a whole number from 100 to 599")
    reason = query.get("reason")
    if reason is not None and reason not in FAILURE_REASONS:
        raise _malformed(f"reason is one of {', '.join(FAILURE_REASONS)}")
    return DeadLetterFilter(
        job_id=job_id,
        tag=_tag(query),
        reason=reason,
        status=int(status) if status is not None else None,
        lane=_word(query, "lane", tuple(Lane)),
        span=_range(query),
    )


def job_filter(query: Mapping[str, str]) -> JobFilter:
    state = query.get("state")
    if state is not None and state not in JOB_STATES:
        raise _malformed(f"state is one of {', '.join(sorted(JOB_STATES))}")
    return JobFilter(
        state=state,
        tag=_tag(query),
        set_name=_set_name(query),
        name_prefix=_name_prefix(query),
        kind=_word(query, "kind", tuple(Kind)),
        backfill_of=_recurring_job_id(query, "backfill_of"),
    )


def set_filter(query: Mapping[str, str]) -> str | None:
    """The name of a set; None where the parameter is absent."""
    return _set_name(query)


def include_last_run(query: Mapping[str, str]) -> bool:
    """Whether a list of jobs shows the last runs of recurring jobs as well."""
    return _word(query, "include", tuple(JobPart)) is not None


def word_errors(
    *,
    job: str | None,
    tag: str | None,
    reason: str | None,
    within: tuple[str, ...] = (),
    workflows: bool = False,
) -> Iterator[InvalidValueError]:
    """An error for each filter of a body that is no such word. `within` are the members that lead to the filter.

    `workflows`: the `job` may be a workflow.
    """
    is_owner = job is None or is_job_id(job) or (workflows and is_workflow_id(job))
    if not is_owner:
        text = "the id of a job or of a workflow" if workflows else "the id of a job, as in job_..."
        yield InvalidValueError(f"must be {text}", path=(*within, "job"))
    if reason is not None and reason not in FAILURE_REASONS:
        yield InvalidValueError(f"must be one of {', '.join(FAILURE_REASONS)}", path=(*within, "reason"))
    if tag is not None and not re.fullmatch(TAG, tag):
        yield InvalidValueError(f"must be {TAG_TEXT}", path=(*within, "tag"))


def instant(query: Mapping[str, str], name: str) -> int | None:
    """An instant in milliseconds; None where the parameter is absent."""
    text = query.get(name)
    if text is None:
        return None
    try:
        if len(text) > MAX_INSTANT_CHARACTERS:
            raise ScheduleError("too long", field="at")
        return parse_instant(text, None)
    except InvalidValueError as error:
        raise _malformed(
            f"{name} must be an RFC 3339 instant with an offset, such as 2030-01-01T09:00:00Z"
        ) from error


def day(query: Mapping[str, str], name: str) -> int | None:
    """The first instant of a day in UTC, in milliseconds; None where the parameter is absent."""
    text = query.get(name)
    if text is None:
        return None
    try:
        if not _DAY.fullmatch(text):
            raise ValueError("no date")
        return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000
    except ValueError as error:
        raise _malformed(f"{name} must be a date, such as 2030-01-01") from error


def _malformed(detail: str) -> ProblemError:
    return ProblemError(Problem.MALFORMED_REQUEST, detail)


def _word(query: Mapping[str, str], name: str, words: Iterable[W]) -> W | None:
    text = query.get(name)
    if text is None:
        return None
    for word in words:
        if text == word.value:
            return word
    raise _malformed(f"{name} is one of {', '.join(word.value for word in words)}")


def _range(query: Mapping[str, str]) -> PositionRange:
    after, before = _position(query, "from", BEGINNING), _position(query, "to", END)
    if after >= before:
        raise _malformed("from must be before to")
    return PositionRange(after=after, before=before)


def _position(query: Mapping[str, str], name: str, default: IndexPosition) -> IndexPosition:
    at = instant(query, name)
    return default if at is None else IndexPosition(at=at)


def _recurring_job_id(query: Mapping[str, str], name: str) -> str | None:
    """Only the form is checked: the job may be deleted, and its backfills are still listed."""
    job_id = query.get(name)
    if job_id is not None and not is_recurring_job_id(job_id):
        raise _malformed(f"{name} is the id of a recurring job")
    return job_id


def _tag(query: Mapping[str, str]) -> str | None:
    tag = query.get("tag")
    try:
        check_tags((tag,) if tag is not None else ())
    except InvalidValueError as error:
        raise _malformed(f"{error}") from error
    return tag


def _set_name(query: Mapping[str, str]) -> str | None:
    name = query.get("set")
    try:
        check_set(name)
    except InvalidValueError as error:
        raise _malformed(f"{error}") from error
    return name


def _name_prefix(query: Mapping[str, str]) -> str | None:
    prefix = query.get("q")
    if prefix is None:
        return None
    has_control = any(unicodedata.category(character) == "Cc" for character in prefix)
    if not 1 <= len(prefix) <= MAX_NAME_LENGTH or has_control:
        raise _malformed(f"q is 1 to {MAX_NAME_LENGTH} characters of a name")
    return prefix

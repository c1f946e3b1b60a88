"""Query parameters that narrow a listing. Whatever is not exactly one of their words is refused with 400."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar

from functions.api.problems import Problem, ProblemError
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.ids import is_job_id, is_recurring_job_id
from shared.domain.jobs.new_job import MAX_NAME_LENGTH, check_tags
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
from shared.names import Lane

EXECUTION_FILTERS = ("state", "from", "to")
DEAD_LETTER_FILTERS = ("job", "tag", "reason", "status", "lane", "from", "to")
JOB_FILTERS = ("state", "tag", "q", "kind", "backfill_of")
_MAX_INSTANT_LENGTH = 64
_STATUS = re.compile("[1-5][0-9][0-9]")
W = TypeVar("W", bound=StrEnum)


def wanted_executions(given: Mapping[str, str]) -> ExecutionFilter:
    """`state`, `from` (the first instant) and `to` (the first one that is too late)."""
    return ExecutionFilter(state=_word(given, "state", EXECUTION_STATES), span=_span(given))


def wanted_dead_letters(given: Mapping[str, str]) -> DeadLetterFilter:
    """`job`, `tag`, `reason`, `status`, `lane`, `from` and `to`."""
    job_id, status = given.get("job"), given.get("status")
    if job_id is not None and not is_job_id(job_id):
        raise refused("job is the id of a job")
    if status is not None and not _STATUS.fullmatch(status):
        raise refused("status is a whole number from 100 to 599")
    reason = given.get("reason")
    if reason is not None and reason not in FAILURE_REASONS:
        raise refused(f"reason is one of {', '.join(FAILURE_REASONS)}")
    return DeadLetterFilter(
        job_id=job_id,
        tag=_tag(given),
        reason=reason,
        status=int(status) if status is not None else None,
        lane=_word(given, "lane", tuple(Lane)),
        span=_span(given),
    )


def wanted_jobs(given: Mapping[str, str]) -> JobFilter:
    """`state`, `tag`, `q` (how the name begins), `kind` and `backfill_of`."""
    state = given.get("state")
    if state is not None and state not in JOB_STATES:
        raise refused(f"state is one of {', '.join(sorted(JOB_STATES))}")
    return JobFilter(
        state=state,
        tag=_tag(given),
        name_prefix=_prefix(given),
        kind=_word(given, "kind", tuple(Kind)),
        backfill_of=_job(given, "backfill_of"),
    )


def whole(given: Mapping[str, str], name: str, default: int, at_most: int) -> int:
    """A whole number from 1 on, in plain digits."""
    text = given.get(name, str(default))
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(at_most))
    if not (is_number and 1 <= int(text) <= at_most):
        raise refused(f"{name} is a whole number from 1 to {at_most}")
    return int(text)


def refused(detail: str) -> ProblemError:
    """A query parameter that is not understood."""
    return ProblemError(Problem.MALFORMED_REQUEST, detail)


def _word(given: Mapping[str, str], name: str, words: Iterable[W]) -> W | None:
    text = given.get(name)
    if text is None:
        return None
    for word in words:
        if text == word.value:
            return word
    raise refused(f"{name} is one of {', '.join(word.value for word in words)}")


def _span(given: Mapping[str, str]) -> PositionRange:
    after, before = _place(given, "from", BEGINNING), _place(given, "to", END)
    if after >= before:
        raise refused("from is before to")
    return PositionRange(after=after, before=before)


def _place(given: Mapping[str, str], name: str, default: IndexPosition) -> IndexPosition:
    text = given.get(name)
    if text is None:
        return default
    try:
        if len(text) > _MAX_INSTANT_LENGTH:
            raise ScheduleError("too long", field="at")
        return IndexPosition(at=parse_instant(text, None))
    except ScheduleError as fault:
        raise refused(f"{name} is an RFC 3339 instant with an offset") from fault


def _job(given: Mapping[str, str], name: str) -> str | None:
    """The id of a recurring job, of which nobody says whether there is one."""
    job_id = given.get(name)
    if job_id is not None and not is_recurring_job_id(job_id):
        raise refused(f"{name} is the id of a recurring job")
    return job_id


def _tag(given: Mapping[str, str]) -> str | None:
    tag = given.get("tag")
    try:
        check_tags((tag,) if tag is not None else ())
    except InvalidValueError as fault:
        raise refused(f"{fault}") from fault
    return tag


def _prefix(given: Mapping[str, str]) -> str | None:
    prefix = given.get("q")
    if prefix is None:
        return None
    if not 1 <= len(prefix) <= MAX_NAME_LENGTH or any(unicodedata.category(one) == "Cc" for one in prefix):
        raise refused(f"q is 1 to {MAX_NAME_LENGTH} characters of a name")
    return prefix

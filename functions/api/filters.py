"""Query parameters that narrow a listing. Whatever is not exactly one of their words is refused with 400."""

import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar

from functions.api.problems import Problem, ProblemError
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.ids import is_recurring_job_id
from shared.domain.new_job import MAX_NAME_LENGTH, check_tags
from shared.domain.place import BEGINNING, END, Place, Span
from shared.domain.schedule import parse_instant
from shared.domain.wanted import EXECUTION_STATES, JOB_STATES, Kind, WantedExecutions, WantedJobs

EXECUTION_FILTERS = ("state", "from", "to")
JOB_FILTERS = ("state", "tag", "q", "kind", "backfill_of")
_MAX_INSTANT_LENGTH = 64
W = TypeVar("W", bound=StrEnum)


def wanted_executions(given: Mapping[str, str]) -> WantedExecutions:
    """`state`, `from` (the first instant) and `to` (the first one that is too late)."""
    state = _word(given, "state", EXECUTION_STATES)
    after, before = _place(given, "from", BEGINNING), _place(given, "to", END)
    if after >= before:
        raise refused("from is before to")
    return WantedExecutions(state=state, span=Span(after=after, before=before))


def wanted_jobs(given: Mapping[str, str]) -> WantedJobs:
    """`state`, `tag`, `q` (how the name begins), `kind` and `backfill_of`."""
    state = given.get("state")
    if state is not None and state not in JOB_STATES:
        raise refused(f"state is one of {', '.join(sorted(JOB_STATES))}")
    return WantedJobs(
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


def _place(given: Mapping[str, str], name: str, default: Place) -> Place:
    text = given.get(name)
    if text is None:
        return default
    try:
        if len(text) > _MAX_INSTANT_LENGTH:
            raise ScheduleError("too long", field="at")
        return Place(at=parse_instant(text, None))
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

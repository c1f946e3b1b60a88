"""Every error of a refused job at once: otherwise the client needs a request for each of them.

It runs only after a refusal, so an accepted job pays nothing for it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from pydantic import ValidationError

from functions.api.context import Context
from functions.api.http.error_mapping import errors_problem, merged, problem_for
from functions.api.http.problems import ProblemError
from functions.api.http.schema_errors import BodyError
from functions.api.resources.jobs.models import recurring_only_errors
from functions.api.resources.schedules.models import ONCE, ScheduleIn
from shared.domain.delivery.request import Request, check_callback_target
from shared.domain.delivery.target import check_target, header_errors
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidValueError
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Once, check_fires

_ANY_REQUEST = Request(method="POST", url="https://example.com/")


def with_all_errors(
    context: Context, error: Exception, document: Any, *, has_new_time: bool = True
) -> ProblemError:
    """The problem for a refused job, with every other error of the job.

    `has_new_time`: the schedule is also compared with the time of the request.
    """
    refused = problem_for(error)
    if refused is None:
        raise error
    if not refused.errors or not isinstance(document, dict):
        return refused
    policy = context.cases.jobs.create_job.draft.policy
    more = list(_errors(document, policy, context.now_ms() if has_new_time else None))
    return merged(refused, errors_problem(more)) if more else refused


def _errors(document: dict[str, Any], policy: TargetPolicy, now_ms: int | None) -> Iterator[BodyError]:
    schedule, request = document.get("schedule"), document.get("request")
    if isinstance(request, dict):
        yield from _request_errors(request, policy)
    for name in ("on_success", "on_failure"):
        if isinstance(document.get(name), str):
            yield from _caught((), partial(check_callback_target, name, document[name], policy))
    if isinstance(schedule, dict):
        if any(schedule.get(name) is not None for name in ONCE):
            yield from (BodyError(each.path, each) for each in recurring_only_errors(document))
        if now_ms is not None:
            yield from _caught(("schedule",), lambda: _check_time(schedule, now_ms))


def _request_errors(request: dict[str, Any], policy: TargetPolicy) -> Iterator[BodyError]:
    url, headers = request.get("url"), request.get("headers")
    if isinstance(url, str):
        yield from _caught((), lambda: check_target(url, policy))
    if isinstance(headers, dict) and all(isinstance(value, str) for value in headers.values()):
        yield from (BodyError(("request", *each.path), each) for each in header_errors(headers))


def _check_time(document: dict[str, Any], now_ms: int) -> None:
    """InvalidValueError for a readable schedule that nothing can follow from now on."""
    try:
        timing = ScheduleIn.model_validate(document).timing
    except ValidationError:
        return
    schedule = NewJob(timing=timing, request=_ANY_REQUEST).schedule_at(now_ms)
    if not isinstance(schedule, Once):
        check_fires(schedule, now_ms)


def _caught(prefix: tuple[str, ...], check: Callable[[], None]) -> Iterator[BodyError]:
    try:
        check()
    except InvalidValueError as error:
        yield from (BodyError((*prefix, *each.path), each) for each in error.each())

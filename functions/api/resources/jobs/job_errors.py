"""Every error of a refused job at once: otherwise the client needs a request for each of them.

It runs only after a refusal, so an accepted job pays nothing for it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from functions.api.context import Context
from functions.api.http.error_mapping import errors_problem, merged, problem_for
from functions.api.http.problems import ProblemError
from functions.api.http.schema_errors import BodyError
from functions.api.resources.jobs.auth_models import MAX_ROLE_CHARACTERS
from functions.api.resources.jobs.member_rules import kind_errors, recurring_only_errors
from functions.api.resources.schedules.models import ONCE, ScheduleIn, under_sent_member
from shared.domain.delivery.alerts import Alerts
from shared.domain.delivery.identity_token import OidcAuth
from shared.domain.delivery.request import Request, request_errors
from shared.domain.delivery.request_auth import Auth
from shared.domain.delivery.sigv4_auth import SigV4Auth
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.schedule import Cron, Once, check_fires
from shared.domain.tenancy.tenant import Tenant

_ANY_REQUEST = Request(method="POST", url="https://example.com/")


def with_all_errors(
    context: Context, tenant: Tenant, error: Exception, document: Any, *, has_new_time: bool = True
) -> ProblemError:
    """The problem for a refused job, with every other error of the job.

    `has_new_time`: the schedule is also compared with the time of the request.
    """
    schedule = document.get("schedule") if isinstance(document, dict) else None
    if isinstance(error, ScheduleError) and isinstance(schedule, dict):
        error = under_sent_member(error, schedule)
    refused = problem_for(error)
    if refused is None:
        raise error
    if not refused.errors or not isinstance(document, dict):
        return refused
    policy = context.cases.jobs.create_job.draft.policy
    more = [
        *_errors(document, policy, context.now_ms() if has_new_time else None),
        *_secret_errors(context, tenant, document),
    ]
    return merged(refused, errors_problem(more)) if more else refused


def _errors(document: dict[str, Any], policy: TargetPolicy, now_ms: int | None) -> Iterator[BodyError]:
    """The errors of what can be read of the job."""
    for each in request_errors(_readable_request(document), policy):
        yield BodyError(each.path, each)
    for each in kind_errors({name for name, value in document.items() if value is not None}):
        yield BodyError(each.path, each)
    schedule = document.get("schedule")
    if not isinstance(schedule, dict):
        return
    if any(schedule.get(name) is not None for name in ONCE):
        yield from (BodyError(each.path, each) for each in recurring_only_errors(document))
    if now_ms is not None:
        try:
            _check_time(schedule, now_ms)
        except ScheduleError as error:
            sent = under_sent_member(error, schedule)
            yield BodyError(("schedule", *sent.path), sent)


def _secret_errors(context: Context, tenant: Tenant, document: dict[str, Any]) -> Iterator[BodyError]:
    name = document.get("signing_secret")
    if isinstance(name, str):
        current = context.cases.core.read_tenant.cached(tenant.id) or tenant
        try:
            current.check_secret_name(name)
        except InvalidValueError as error:
            yield BodyError(error.path, error)


def _readable_request(document: dict[str, Any]) -> Request:
    """The request of a job, with lawful values in place of members that the schema refuses."""
    texts = {name: value for name, value in document.items() if isinstance(value, str)}
    request = document.get("request")
    members = request if isinstance(request, dict) else {}
    url = members.get("url")
    pairs = members["headers"].items() if isinstance(members.get("headers"), dict) else ()
    return replace(
        _ANY_REQUEST,
        workflow_id=texts.get("workflow"),
        url=url if isinstance(url, str) else _ANY_REQUEST.url,
        headers=tuple((name, value) for name, value in pairs if isinstance(value, str)),
        on_success=texts.get("on_success"),
        on_failure=texts.get("on_failure"),
        alerts=_readable_alerts(document.get("alerts")),
        auth=_readable_auth(members.get("auth")),
    )


def _readable_auth(document: Any) -> Auth | None:
    sigv4 = document.get("sigv4") if isinstance(document, dict) else None
    if isinstance(sigv4, dict):
        named = [sigv4.get(name) for name in ("role", "service", "region")]
        texts = [text for text in named if isinstance(text, str) and len(text) <= MAX_ROLE_CHARACTERS]
        if len(texts) == len(named):
            return SigV4Auth(role=texts[0], service=texts[1], region=texts[2])
        return None
    oidc = document.get("oidc") if isinstance(document, dict) else None
    audience = oidc.get("audience") if isinstance(oidc, dict) else None
    return OidcAuth(audience=audience) if isinstance(audience, str) else None


def _readable_alerts(document: Any) -> Alerts | None:
    url = document.get("url") if isinstance(document, dict) else None
    return Alerts(url=url) if isinstance(url, str) else None


def _check_time(document: dict[str, Any], now_ms: int) -> None:
    """ScheduleError for a readable schedule that nothing can follow from now on."""
    try:
        timing = ScheduleIn.model_validate(document).timing
    except ValidationError:
        return
    if isinstance(timing, Cron) and timing.calendar is not None and timing.calendar.is_own:
        return  # Its days are not known here.
    schedule = NewJob(timing=timing, request=_ANY_REQUEST).schedule_at(now_ms)
    if not isinstance(schedule, Once):
        check_fires(schedule, now_ms)

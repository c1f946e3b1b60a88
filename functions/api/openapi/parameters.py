"""Parameters: parts of the path, query parameters and headers."""

from typing import Any

from functions.api.http.cursors import MAX_LENGTH
from functions.api.http.filters import OWNER_ID, JobPart
from functions.api.http.request import DEFAULT_LIMIT, MAX_LIMIT
from functions.api.http.route import Route
from functions.api.models import MAX_INSTANT_CHARACTERS
from functions.api.resources.upcoming.routes import (
    DEFAULT_COUNT,
    DEFAULT_STEP_SECONDS,
    DEFAULT_WITHIN_SECONDS,
)
from shared.domain.archive.stat_window import Step
from shared.domain.delivery.depth import DEPTH, DEPTH_HEADER, MAX_DEPTH
from shared.domain.delivery.trace import TRACEPARENT
from shared.domain.jobs.job_key import KEY, SET
from shared.domain.jobs.new_job import MAX_NAME_LENGTH, TAG
from shared.domain.listings.filters import EXECUTION_STATES, FAILURE_REASONS, JOB_STATES, Kind
from shared.domain.schedules.own_calendar import CALENDAR_NAME
from shared.domain.triggers.trigger import TRIGGER_NAME
from shared.names import Lane
from shared.usecases.listings.count_upcoming import MAX_STEP_SECONDS
from shared.usecases.listings.list_upcoming import MAX_WITHIN_SECONDS
from shared.usecases.listings.next_runs import MAX_COUNT

Parameter = dict[str, Any]


def _whole(description: str, at_most: int, default: int) -> Parameter:
    schema = {"type": "integer", "minimum": 1, "maximum": at_most}
    return {"description": f"{description} {default} by default.", "schema": schema}


def _word(description: str, words: list[str]) -> Parameter:
    return {"description": description, "schema": {"type": "string", "enum": words}}


def _instant(description: str) -> Parameter:
    schema = {"type": "string", "format": "date-time", "maxLength": MAX_INSTANT_CHARACTERS}
    return {"description": f"{description} An RFC 3339 instant with an offset.", "schema": schema}


def _id(description: str, example: str) -> Parameter:
    return {"description": description, "schema": {"type": "string"}, "example": example}


_IN_PATH = {
    "key": {
        "description": "The key that the owner gives to the job.",
        "schema": {"type": "string", "pattern": KEY},
        "example": "billing.nightly",
    },
    "account": {
        "description": "An account of AWS: 12 digits.",
        "schema": {"type": "string", "pattern": "^[0-9]{12}$"},
        "example": "111122223333",
    },
    "trigger": {
        "description": "The name of a trigger.",
        "schema": {"type": "string", "pattern": TRIGGER_NAME},
        "example": "large-orders",
    },
    "calendar": {
        "description": "The name of a calendar.",
        "schema": {"type": "string", "pattern": CALENDAR_NAME},
        "example": "plant",
    },
    "shared_calendar": {
        "description": "The name of a calendar of the operators, without `operator/`.",
        "schema": {"type": "string", "pattern": CALENDAR_NAME},
        "example": "deployments",
    },
    "job_id": _id("A job's `id`.", "job_r001jmg0r03szjym089eyz6ab9d1"),
    "execution_id": _id(
        "An execution's `id`: the `webhook-id` of its calls.", "exe_1001jmg0r03s0009xjjb7t357kf8p8b"
    ),
    "workflow_id": _id("A workflow's `id`.", "wfl_1001jmg0r03szjym089eyz6ab9d1"),
    "run_id": _id("A run's `id`.", "run_1001jmg0r03s0009xjjb7t357kf8p8b"),
    "redrive_id": _id("A bulk redrive's `id`.", "rdr_01jmg4bfzkg2c8k9w3qdm7vtqn6y"),
    "search_id": _id("A search's `id`.", "srh_01jmg0r03sg2c8k9w3qdm7vtqn6y"),
    "bulk_task_id": _id("A bulk operation's `id`.", "blk_01jmg0r03sg2c8k9w3qdm7vtqn6y"),
    "key_id": _id(
        "The id of an API key: the part between the underscores of `pk_<id>_…`.", "mfs9rrrpq58f4h2n"
    ),
    "secret_id": _id("A signing secret's `id`.", "sec_4d42d1kk"),
    "tenant_id": _id("A tenant's `id`.", "acme"),
    "parked_id": _id("A parked message's `id`.", "1740000000000-1f6a2f0e-3a5d-4c1b-9f64-2f1f3f6b8f11"),
}
_JOB_STATE = _word(
    "Only jobs in this state. A one-off job has the state of its execution.", sorted(JOB_STATES)
)
_EXECUTION_STATE = _word("Only executions in this state.", [state.value for state in EXECUTION_STATES])
# Swagger UI fills a form with each example and default, so optional parameters and headers have neither.
_IN_QUERY: dict[str, Parameter] = {
    "limit": _whole("The maximum number of entries in a page.", MAX_LIMIT, DEFAULT_LIMIT),
    "cursor": {
        "description": "The `next_cursor` of the page before. Valid only for the same tenant and filters.",
        "schema": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
    },
    "from": _instant("At this instant or later."),
    "to": _instant("Before this instant."),
    "day": {
        "description": "A day in UTC that is over; by default the latest one.",
        "schema": {"type": "string", "format": "date"},
    },
    "by": _word("The length of a step; `hour` by default.", [step.value for step in Step]),
    "tag": {"description": "Only jobs with this tag.", "schema": {"type": "string", "pattern": TAG}},
    "q": {
        "description": "Only jobs whose name starts with this text; case-sensitive.",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_NAME_LENGTH,
            "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$",
        },
    },
    "kind": _word("Only jobs of this kind.", [kind.value for kind in Kind]),
    "backfill_of": {
        "description": "Only the backfills of this job.",
        "schema": {"type": "string", "pattern": "^job_r[0-9a-hjkmnp-tv-z]{27}$"},
    },
    "within": _whole("How many seconds to look ahead.", MAX_WITHIN_SECONDS, DEFAULT_WITHIN_SECONDS),
    "step_seconds": _whole("The length of a step, in seconds.", MAX_STEP_SECONDS, DEFAULT_STEP_SECONDS),
    "count": _whole("How many runs to show.", MAX_COUNT, DEFAULT_COUNT),
    "job": {
        "description": "Only executions of this job, or of the tasks of this workflow.",
        "schema": {"type": "string", "pattern": OWNER_ID},
    },
    "reason": _word(
        "Only dead letters that ended for this reason, or whose last attempt did.", list(FAILURE_REASONS)
    ),
    "status": {
        "description": "Only dead letters whose last attempt got this HTTP status.",
        "schema": {"type": "integer", "minimum": 100, "maximum": 599},
    },
    "lane": _word("Only dead letters of this lane.", [lane.value for lane in Lane]),
    "reveal": {
        "description": "Show header values and the body. Needs the scope `admin` besides `read`.",
        "schema": {"type": "boolean"},
    },
    "target": {
        "description": "Only changes of the thing with this id.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 128},
    },
    "dry_run": {
        "description": "Only answer what the request would do.",
        "schema": {"type": "boolean"},
    },
    "include": _word("Show the last runs of recurring jobs, too.", [part.value for part in JobPart]),
    "set": {
        "description": "Only recurring jobs, or workflows, of this set.",
        "schema": {"type": "string", "pattern": SET},
    },
    "stop_retries": {
        "description": "Make a running attempt the last one, where it is too late to cancel.",
        "schema": {"type": "boolean"},
    },
}
_IN_HEADER: dict[str, Parameter] = {
    "If-Match": {
        "description": 'The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.',
        "schema": {"type": "string", "pattern": r'^(\*|"[1-9][0-9]{0,8}")$'},
    },
    "If-None-Match": {
        "description": "The ETag from your last read. Without a change since, the answer is a 304.",
        "schema": {"type": "string", "pattern": r'^"[1-9][0-9]{0,8}"$'},
    },
    "Idempotency-Key": {
        "description": "Visible ASCII. For 7 days, repetitions with the same key have no further effect.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[\x21-\x7e]+$"},
    },
    DEPTH_HEADER: {
        "description": "The value that the call carried from which this job is created. The job is one "
        f"deeper than the call's, and refused beyond {MAX_DEPTH}.",
        "schema": {"type": "string", "pattern": DEPTH},
    },
    TRACEPARENT: {
        "description": "W3C Trace Context, version 00: the job's calls belong to this trace. A value that is not "
        "valid is ignored; then each execution has a trace of its own.",
        "schema": {"type": "string"},
    },
}

_CREATES_ALONE: Parameter = {
    "description": "`*`: create, and change nothing that exists.",
    "schema": {"type": "string", "pattern": r"^\*$"},
}
"""The If-None-Match of a request that changes."""


def parameters(route: Route) -> list[dict[str, Any]]:
    """The parameters of a route, those of its path first."""
    in_path = [{"name": name, "in": "path", "required": True, **_IN_PATH[name]} for name in route.path_parts]
    in_query = [{"name": name, "in": "query", **_query(route, name)} for name in route.query]
    in_header = [
        {"name": name, "in": "header", "required": name in route.required_headers, **_header(route, name)}
        for name in route.headers
    ]
    return in_path + in_query + in_header


def _query(route: Route, name: str) -> Parameter:
    if name == "state":
        return _JOB_STATE if route.answer.__name__ == "JobPageOut" else _EXECUTION_STATE
    return _IN_QUERY[name]


def _header(route: Route, name: str) -> Parameter:
    return _CREATES_ALONE if name == "If-None-Match" and route.method != "GET" else _IN_HEADER[name]

"""Responses: the success of each operation, and every problem that it may have."""

from typing import Any

from functions.api.http.problems import CONTENT_TYPE, Problem
from functions.api.http.route import JSON, Route
from functions.api.models import ProblemOut
from functions.api.openapi.links import links_of
from functions.api.openapi.schemas import answer_content, content_of, schema_of
from functions.api.routes import every_route

HEADERS: dict[str, Any] = {
    "Location": {
        "description": "The path of the created resource.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "ETag": {
        "description": "The job's revision. Send it as `If-Match` to change the job only if nobody else has.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
    },
    "PresentETag": {
        "description": "The job's present revision, unless there is no job.",
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
    },
    "WrittenETag": {
        "description": "The version. The answer to a dry run has none.",
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
    },
    "Idempotency-Replayed": {
        "description": "Present where the same request took effect before (with the same `Idempotency-Key`, "
        "if the operation takes one).",
        "schema": {"type": "string", "const": "true"},
    },
    "Retry-After": {
        "description": "Seconds to wait before a repetition. Always present with `rate-limited` and 503.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {
        "description": "The accepted scheme of authentication.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Cache-Control": {
        "description": "Responses are never cached.",
        "required": True,
        "schema": {"type": "string", "const": "no-store"},
    },
    "X-Content-Type-Options": {
        "description": "Browsers do not guess another type.",
        "required": True,
        "schema": {"type": "string", "const": "nosniff"},
    },
}
SENT_AS = {"PresentETag": "ETag", "WrittenETag": "ETag"}
"""The headers that another name than that of their component has."""
_EACH = ("Cache-Control", "X-Content-Type-Options")
"""Headers of every response."""
_PROBLEM_HEADERS: dict[Problem, tuple[str, ...]] = {
    Problem.UNAUTHENTICATED: ("WWW-Authenticate",),
    Problem.PRECONDITION_FAILED: ("PresentETag",),
    Problem.ALREADY_EXISTS: ("PresentETag",),
    Problem.RATE_LIMITED: ("Retry-After",),
    Problem.SERVICE_UNAVAILABLE: ("Retry-After",),
}


def responses(route: Route) -> dict[str, Any]:
    """Every response of a route, by status."""
    found = {str(route.success): _success(route, _first_sentence(route.answer.__doc__ or ""))}
    if route.dry_run is not None:
        found["200"] = {
            "description": _first_sentence(route.dry_run.__doc__ or ""),
            "headers": _headers(_EACH),
            "content": {JSON: content_of(route.dry_run)},
        }
    if route.method == "GET" and "If-None-Match" in route.headers:
        found["304"] = {
            "description": "The job is as the client knows it.",
            "headers": _headers((*_EACH, *route.answer_headers)),
        }
    if route.later:
        found["202"] = _success(route, route.later)
    for status, problems in _by_status(route).items():
        found[str(status)] = _reference(problems[0]) if len(problems) == 1 else _refusal(problems)
    return found


def problem_responses() -> dict[str, Any]:
    """The responses that one type of problem has for itself, by its slug."""
    single = {
        problems[0]
        for route in every_route()
        for problems in _by_status(route).values()
        if len(problems) == 1
    }
    return {problem.slug: _refusal([problem]) for problem in sorted(single, key=lambda problem: problem.slug)}


def _by_status(route: Route) -> dict[int, list[Problem]]:
    statuses = sorted({problem.status for problem in route.all_problems})
    return {
        status: [problem for problem in route.all_problems if problem.status == status] for status in statuses
    }


def _success(route: Route, description: str) -> dict[str, Any]:
    is_replayed = route.may_replay or "Idempotency-Key" in route.headers
    replayed = ("Idempotency-Replayed",) if is_replayed else ()
    success: dict[str, Any] = {
        "description": description,
        "headers": _headers((*_EACH, *route.answer_headers, *replayed)),
        "content": answer_content(route),
    }
    links = links_of(route)
    return success | ({"links": links} if links else {})


def _refusal(problems: list[Problem]) -> dict[str, Any]:
    headers = dict.fromkeys(name for problem in problems for name in _PROBLEM_HEADERS.get(problem, ()))
    return {
        "description": "; ".join(f"{problem.title} (`{problem.slug}`)" for problem in problems),
        "headers": _headers((*_EACH, *headers)),
        "content": {
            CONTENT_TYPE: {
                "schema": schema_of(ProblemOut),
                "examples": {
                    problem.slug: {"$ref": f"#/components/examples/{problem.slug}"} for problem in problems
                },
            }
        },
    }


def _reference(problem: Problem) -> dict[str, str]:
    return {"$ref": f"#/components/responses/{problem.slug}"}


def _headers(names: tuple[str, ...]) -> dict[str, Any]:
    return {SENT_AS.get(name, name): {"$ref": f"#/components/headers/{name}"} for name in names}


def _first_sentence(text: str) -> str:
    return text.strip().partition("\n")[0].partition(". ")[0].rstrip(".") + "."

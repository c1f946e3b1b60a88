"""The OpenAPI 3.1 document, made from the routes and the schemas that the code itself uses."""

from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from functions.api.models.system import ProblemOut
from functions.api.problems import CONTENT_TYPE, Problem
from functions.api.route import Route
from functions.api.routes import ROUTES
from shared.domain.callback_token import TOKEN_HEADER

VERSION = "0.1.0"
_REF = "#/components/schemas/{model}"
_ALWAYS = (Problem.SERVICE_UNAVAILABLE, Problem.INTERNAL_ERROR)
_GUARDED = (Problem.UNAUTHENTICATED, Problem.FORBIDDEN)
_PARAMETERS: dict[str, dict[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50},
    "cursor": {"type": "string", "maxLength": 1024},
    "from": {"type": "string", "format": "date-time"},
    "to": {"type": "string", "format": "date-time"},
    "state": {"type": "string"},
    "tag": {"type": "string", "minLength": 1, "maxLength": 63},
    "q": {"type": "string", "minLength": 1, "maxLength": 128, "description": "How the name begins."},
    "kind": {"type": "string", "enum": ["once", "cron", "rate"]},
    "within": {"type": "integer", "minimum": 1, "maximum": 86_400, "default": 300},
    "count": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    "target": {"type": "string", "minLength": 1, "maxLength": 128},
    "stop_retries": {"type": "boolean", "default": False},
    "If-Match": {"type": "string", "maxLength": 64, "examples": ['"3"']},
    "Idempotency-Key": {"type": "string", "minLength": 1, "maxLength": 255},
}


@cache
def openapi_json() -> str:
    """The document, made once for each container."""
    return orjson.dumps(document()).decode()


def document() -> dict[str, Any]:
    """The document as a value."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        path = route.path.replace("<", "{").replace(">", "}")
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Punctual",
            "version": VERSION,
            "description": "Calls an HTTP endpoint at the time you say: once, on a cron line or at a rate.",
        },
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {
                "apiKey": {"type": "http", "scheme": "bearer", "bearerFormat": "pk_<id>_<secret>"},
                "callbackToken": {"type": "apiKey", "in": "header", "name": TOKEN_HEADER},
            },
        },
    }


def _schemas() -> dict[str, Any]:
    models: set[type[BaseModel]] = {ProblemOut}
    for route in ROUTES:
        models |= {route.answer, *([route.body] if route.body else [])}
    wanted = [(model, "validation") for model in sorted(models, key=lambda model: model.__name__)]
    _, schema = models_json_schema(wanted, ref_template=_REF)  # type: ignore[arg-type]
    return dict(schema["$defs"])


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.operation,
        "summary": route.summary,
        "parameters": _parameters(route),
        "responses": _responses(route),
        "security": _security(route),
    }
    if route.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _ref(route.body)}},
        }
    return operation


def _security(route: Route) -> list[dict[str, list[str]]]:
    if route.takes_token:
        return [{"callbackToken": []}]
    return [] if route.is_open else [{"apiKey": []}]


def _parameters(route: Route) -> list[dict[str, Any]]:
    in_path = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for part in route.path.split("/")
        if part.startswith("<")
    ]
    in_query = [{"name": name, "in": "query", "schema": _PARAMETERS[name]} for name in route.query]
    in_header = [{"name": name, "in": "header", "schema": _PARAMETERS[name]} for name in route.headers]
    return in_path + in_query + in_header


def _responses(route: Route) -> dict[str, Any]:
    responses: dict[str, Any] = {
        str(route.success): {
            "description": "Done",
            "content": {"application/json": {"schema": _ref(route.answer)}},
        }
    }
    problems = (*route.problems, *(() if route.is_open else _GUARDED), *_ALWAYS)
    for status in sorted({problem.status for problem in problems}):
        titles = [problem.title for problem in problems if problem.status == status]
        responses[str(status)] = {
            "description": "; ".join(titles),
            "content": {CONTENT_TYPE: {"schema": _ref(ProblemOut)}},
        }
    return responses


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}

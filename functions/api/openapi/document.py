"""The whole document."""

from functools import cache
from typing import Any

import orjson

from functions.api.http.route import Route
from functions.api.openapi.links import LINKS
from functions.api.openapi.parameters import parameters
from functions.api.openapi.responses import HEADERS, problem_responses, responses
from functions.api.openapi.schemas import body_content, examples, schemas
from functions.api.openapi.tags import OVERVIEW, TAGS, tag_of
from functions.api.openapi.webhooks import WEBHOOKS
from functions.api.routes import every_route
from shared.domain.executions.callback_token import TOKEN_HEADER
from shared.names import VERSION

_KEY = "An API key, `pk_<id>_<secret>`. It alone determines the tenant."
_TOKEN = "The `X-Callback-Token` of one attempt, which its receiver got with the call."  # noqa: S105


@cache
def openapi_json() -> str:
    """The document as JSON, generated once for each process."""
    return orjson.dumps(document()).decode()


def checked_in() -> str:
    """The document as docs/openapi.json has it: one member a line, with sorted keys."""
    return orjson.dumps(document(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode() + "\n"


def document() -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for route in every_route():
        paths.setdefault(path_of(route), {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Punctual", "version": VERSION, "description": OVERVIEW},
        "servers": [{"url": "/", "description": "The deployment that serves this document."}],
        "tags": [tag.described() for tag in TAGS],
        "paths": paths,
        "webhooks": WEBHOOKS,
        "components": {
            "schemas": schemas(),
            "responses": problem_responses(),
            "headers": HEADERS,
            "examples": examples(),
            "links": LINKS,
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "pk_<id>_<secret>",
                    "description": _KEY,
                },
                "callbackToken": {
                    "type": "apiKey",
                    "in": "header",
                    "name": TOKEN_HEADER,
                    "description": _TOKEN,
                },
            },
        },
    }


def path_of(route: Route) -> str:
    """The path of a route, as OpenAPI writes it."""
    return route.path.replace("<", "{").replace(">", "}")


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.operation,
        "tags": [tag_of(route).name],
        "summary": route.summary,
        "description": route.description,
        "parameters": parameters(route),
        "responses": responses(route),
        "security": _security(route),
    }
    if route.body is not None:
        operation["requestBody"] = {
            "required": not route.body_is_optional,
            "content": body_content(route),
        }
    return operation


def _security(route: Route) -> list[dict[str, list[str]]]:
    if route.takes_token:
        return [{"callbackToken": []}]
    return [] if route.is_open else [{"apiKey": []}]

"""Requests that change a job, as the tenant sends them."""

from typing import Any

import orjson

from tests.support.api.api_world import Answer, ApiWorld, Request

MINUTELY: dict[str, Any] = {"schedule": {"rate_seconds": 60}}
DAILY: dict[str, Any] = {"schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}}


def send(
    world: ApiWorld, method: str, path: str, document: Any = None, match: str | None = None, **headers: str
) -> Answer:
    """A request of the tenant, with a body where there is a document."""
    spelt = world.credential | {name.replace("_", "-"): value for name, value in headers.items()}
    if match is not None:
        spelt["if-match"] = match
    if document is not None:
        spelt.setdefault("content-type", "application/json")
    body = None if document is None else orjson.dumps(document)
    return world.handle(Request(method=method, path=path, headers=spelt, body=body))


def patch(world: ApiWorld, job: dict[str, Any], document: Any, match: str | None = "") -> Answer:
    """A PATCH of a job with the entity tag that was last read."""
    tag = f'"{job["revision"]}"' if match == "" else match
    return send(world, "PATCH", f"/v1/jobs/{job['id']}", document, tag)


def post(world: ApiWorld, job: dict[str, Any], verb: str, document: Any = None, **headers: str) -> Answer:
    """A POST of a verb, such as pause."""
    return send(world, "POST", f"/v1/jobs/{job['id']}/{verb}", document, **headers)

"""How each type of problem is reached."""

from collections.abc import Callable
from typing import Any

from functions.api.http.admission import MAX_BODY_BYTES
from functions.api.http.problems import Problem
from shared.domain.errors import UnavailableError
from shared.domain.tenancy.quota import Quota
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request

SECRET = "s3cr3t-value"


def schedule(**fields: Any) -> Callable[[ApiWorld], Answer]:
    """Create a job with this schedule."""
    return lambda world: world.post(JOB | {"schedule": fields})


def broken(error: Exception) -> Callable[[ApiWorld], Answer]:
    """Ask when the store raises this."""

    def ask(world: ApiWorld) -> Answer:
        world.world.steps.before("jobs.get", lambda: raise_(error))
        return world.get("/v1/jobs/job_r" + "0" * 27)

    return ask


def raise_(error: Exception) -> None:
    """For lambdas."""
    raise error


def already_started(world: ApiWorld) -> Answer:
    """Cancel what has ended."""
    job = world.create(schedule={"delay_seconds": 0})
    world.world.attempt(world.world.standing(world.world.sent()[0]))
    return world.delete(f"/v1/jobs/{job['id']}")


def reused(world: ApiWorld) -> Answer:
    """Send two requests under one key."""
    world.post(JOB, idempotency_key="k")
    return world.post(JOB | {"name": "other"}, idempotency_key="k")


def with_body(body: str, **headers: str) -> Callable[[ApiWorld], Answer]:
    """Create a job from a body as it is."""
    sent = {"content-type": "application/json"} | headers
    return lambda world: world.handle(
        Request(method="POST", path="/v1/jobs", headers=world.credential | sent, body=body)
    )


def patched(**headers: str) -> Callable[[ApiWorld], Answer]:
    """Change a job, with headers of one's own."""

    def ask(world: ApiWorld) -> Answer:
        sent = world.credential | {"content-type": "application/json"} | headers
        path = f"/v1/jobs/{world.create()['id']}"
        return world.handle(Request(method="PATCH", path=path, headers=sent, body='{"name":"n"}'))

    return ask


def created_again(world: ApiWorld) -> Answer:
    """Create the job of a key, and create it again with another lane."""
    path, headers = "/v1/jobs/by-key/nightly", world.credential | {"content-type": "application/json"}
    body = '{"schedule":{"cron":"@daily"},"request":{"url":"https://example.com/"},"lane":"%s"}'
    world.handle(Request(method="PUT", path=path, headers=headers, body=body % "bulk"))
    headers["if-none-match"] = "*"
    return world.handle(Request(method="PUT", path=path, headers=headers, body=body % "standard"))


def limited(quota: Quota) -> Callable[[ApiWorld], Answer]:
    """Create a job where none is allowed."""

    def ask(world: ApiWorld) -> Answer:
        world.allow(quota, 0)
        return world.post(JOB)

    return ask


def suspended(world: ApiWorld) -> Answer:
    """Look at a job with the key of a suspended tenant."""
    world.suspend()
    return world.get("/v1/jobs/x")


REACHED: dict[Problem, tuple[int, Callable[[ApiWorld], Answer]]] = {
    Problem.MALFORMED_REQUEST: (400, with_body('{"a":1,"a":2}')),
    Problem.VALIDATION_FAILED: (422, with_body("{}")),
    Problem.PAYLOAD_TOO_LARGE: (413, with_body("x" * (MAX_BODY_BYTES + 1))),
    Problem.UNSUPPORTED_MEDIA_TYPE: (415, with_body("{}", **{"content-type": "text/plain"})),
    Problem.UNAUTHENTICATED: (401, lambda world: world.handle(Request(method="GET", path="/v1/jobs/x"))),
    Problem.FORBIDDEN: (403, suspended),
    Problem.NOT_FOUND: (404, lambda world: world.get("/v1/jobs/job_unknown")),
    Problem.METHOD_NOT_ALLOWED: (405, lambda world: world.delete("/v1/jobs")),
    Problem.PRECONDITION_REQUIRED: (428, patched()),
    Problem.ALREADY_EXISTS: (412, created_again),
    Problem.PRECONDITION_FAILED: (412, patched(**{"if-match": '"9"'})),
    Problem.RATE_LIMITED: (429, limited(Quota.CREATES_PER_SECOND)),
    Problem.QUOTA_EXCEEDED: (429, limited(Quota.DUE_PER_MINUTE)),
    Problem.INVALID_STATE: (409, already_started),
    Problem.IDEMPOTENCY_KEY_INVALID: (400, lambda world: world.post(JOB, idempotency_key="two words")),
    Problem.IDEMPOTENCY_KEY_REUSED: (422, reused),
    Problem.CALLBACK_URL_NOT_ALLOWED: (
        422,
        lambda world: world.post(JOB | {"request": {"url": "http://x/"}}),
    ),
    Problem.SCHEDULE_NEVER_FIRES: (422, schedule(cron="0 0 30 2 *")),
    Problem.SCHEDULE_IN_PAST: (422, schedule(at="2001-01-01T00:00:00Z")),
    Problem.SCHEDULE_TOO_FAR: (422, schedule(at="2099-01-01T00:00:00Z")),
    Problem.INVALID_CURSOR: (400, lambda world: world.get("/v1/dead-letters", cursor="forged")),
    Problem.SERVICE_UNAVAILABLE: (503, broken(UnavailableError("ProvisionedThroughputExceeded"))),
    Problem.INTERNAL_ERROR: (500, broken(RuntimeError(SECRET))),
}

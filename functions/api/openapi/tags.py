"""The tags that group operations, and the overview of the document."""

from typing import Any

from functions.api.http.route import Route
from shared.dataclass import dataclass

OVERVIEW = """\
Punctual calls an HTTP endpoint at the time you say: once, on a cron line or at a fixed rate.

* **Credentials.** Send `Authorization: Bearer pk_<id>_<secret>`. Another tenant's ids are answered like ids
  that do not exist: 404. A key has the scopes `read`, `write` or `admin`, and no scope includes another.
* **Accepted means it happens.** A 201 means that the job is durable. Send an `Idempotency-Key` with a request
  that creates something; the same request may then be sent again after any failure.
* **Errors** are problem documents (RFC 9457, `application/problem+json`). Compare `type`. After a 503 the
  request may or may not have taken effect: sending the same request again settles it.
* **Instants** are RFC 3339 in UTC with milliseconds; durations end in `_seconds`.
* **Lists** come in pages: follow `next_cursor` until it is null. Any page may be short or empty.
* **Strict.** Unknown members, unknown query parameters, duplicate keys in an object and whole numbers with a
  fraction (`30.0`) are refused.

API Gateway itself answers bodies above 10 MB (413) and requests beyond the account's throttling limits (429,
503); those answers are no problem documents.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A group of operations, by the beginnings of their paths."""

    name: str
    description: str
    paths: tuple[str, ...]
    page: str | None = None
    """The page below /v1/docs that explains the group."""

    def described(self) -> dict[str, Any]:
        """Return the tag as OpenAPI writes it."""
        described: dict[str, Any] = {"name": self.name, "description": self.description}
        if self.page is not None:
            described["externalDocs"] = {"description": "Explained", "url": f"/v1/docs/{self.page}"}
        return described


TAGS = (
    Tag(
        name="Jobs",
        description="The requests to make, and their schedules.",
        paths=("/v1/jobs", "/v1/bulk-tasks"),
        page="reference/api",
    ),
    Tag(
        name="Executions",
        description="The runs of jobs: one execution for each, with its attempts.",
        paths=("/v1/executions", "/v1/searches"),
        page="reference/api#states",
    ),
    Tag(
        name="Workflows",
        description="Tasks that wait for one another, and their runs.",
        paths=("/v1/workflows", "/v1/runs"),
        page="guides/workflows",
    ),
    Tag(
        name="Dead letters",
        description="Executions that failed for good: listed, inspected and redriven.",
        paths=("/v1/dead-letters", "/v1/redrives"),
        page="reference/delivery#dead-letters",
    ),
    Tag(
        name="Long-running callbacks",
        description="Receivers that answered 202 with `X-Punctual-Async: true` report here. The token of the "
        "attempt is their credential.",
        paths=(),
        page="guides/long-running-calls",
    ),
    Tag(
        name="Schedules",
        description="Previews of schedules, calendars, and runs that are about to start.",
        paths=("/v1/schedules", "/v1/calendars", "/v1/upcoming"),
        page="reference/schedules",
    ),
    Tag(
        name="Triggers and events",
        description="Events that start jobs.",
        paths=("/v1/triggers", "/v1/events"),
        page="guides/triggers",
    ),
    Tag(
        name="Keys and signing secrets",
        description="Of the tenant that owns the key. They need the scope `admin`; any key may ask what it is.",
        paths=("/v1/keys", "/v1/signing-secrets", "/v1/whoami"),
        page="reference/tenants",
    ),
    Tag(
        name="Settings",
        description="Of the tenant that owns the key. They need the scope `admin`.",
        paths=("/v1/settings",),
        page="reference/tenants#settings",
    ),
    Tag(
        name="Statistics",
        description="Counts by outcome, and how late calls began, by minute, hour or day.",
        paths=("/v1/stats",),
        page="guides/statistics",
    ),
    Tag(
        name="Usage and audit",
        description="Quotas and their usage, and the audit trail.",
        paths=("/v1/usage", "/v1/audit"),
        page="reference/tenants",
    ),
    Tag(
        name="Operators",
        description="Only for keys of the operators' tenant. Every other key gets 403 on every path.",
        paths=("/v1/admin",),
        page="reference/tenants",
    ),
    Tag(name="Service", description="Status of the API, without a key.", paths=("/v1/health",)),
)
_REPORTS = next(tag for tag in TAGS if not tag.paths)


def tag_of(route: Route) -> Tag:
    """StopIteration for a path that belongs to no tag."""
    if route.takes_token:
        return _REPORTS
    return next(tag for tag in TAGS if route.path.startswith(tag.paths))

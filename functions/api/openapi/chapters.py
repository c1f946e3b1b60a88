"""The groups that operations are shown in, and what is said before all of them."""

from dataclasses import dataclass

from functions.api.route import Route

OVERVIEW = """\
Punctual calls an HTTP endpoint at the time you say: once, on a cron line or at a fixed rate.

* **Credentials.** Send `Authorization: Bearer pk_<id>_<secret>`. What is another tenant's is answered like what does
  not exist: 404. A key has the scopes `read`, `write` or `admin`, and no scope includes another.
* **Accepted means it happens.** A 201 means that the job is durable. Send an `Idempotency-Key` with what creates
  something, and the same request may be sent again after any failure.
* **Errors** are problem documents (RFC 9457, `application/problem+json`). Compare `type`. After a 503 nothing was
  decided, or nothing that the same request sent again would not settle.
* **Instants** are RFC 3339 in UTC with milliseconds, lengths of time end in `_seconds`.
* **Lists** come in pages: follow `next_cursor` until it is null, for a page may be short, or empty, before the last.
* **Strict.** Unknown members, unknown query parameters, keys that stand twice in an object and whole numbers that are
  written with a fraction (`30.0`) are refused.

API Gateway answers by itself, and not with a problem document, bodies above 10 MB (413) and requests beyond the
account's throttling limits (429, 503).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A group of operations: those whose path begins so."""

    name: str
    description: str
    paths: tuple[str, ...]


CHAPTERS = (
    Chapter(name="Jobs", description="What to call, and when.", paths=("/v1/jobs",)),
    Chapter(
        name="Executions",
        description="What became of jobs: one execution for each firing, with its attempts.",
        paths=("/v1/executions",),
    ),
    Chapter(
        name="Dead letters",
        description="Executions that failed for good: listed, inspected and redriven.",
        paths=("/v1/dead-letters", "/v1/redrives"),
    ),
    Chapter(
        name="Long-running callbacks",
        description="Receivers that answered 202 with `X-Punctual-Async: true` report here, with the token of their "
        "attempt and without an API key.",
        paths=(),
    ),
    Chapter(
        name="Schedules",
        description="What a schedule would do, and what is about to run.",
        paths=("/v1/schedules", "/v1/upcoming"),
    ),
    Chapter(
        name="Keys and signing secrets",
        description="Of the tenant that the key belongs to; the scope `admin` is needed.",
        paths=("/v1/keys", "/v1/signing-secrets"),
    ),
    Chapter(
        name="Usage and audit",
        description="Quotas, what of them is used, and who changed what.",
        paths=("/v1/usage", "/v1/audit"),
    ),
    Chapter(
        name="Operators",
        description="For keys of the operators' tenant alone; everybody else gets 403, whatever the path names.",
        paths=("/v1/admin",),
    ),
    Chapter(name="Service", description="The API about itself, open to all.", paths=("/v1/health",)),
)
_REPORTS = next(chapter for chapter in CHAPTERS if not chapter.paths)


def chapter_of(route: Route) -> Chapter:
    """The group of an operation; StopIteration for a path that belongs to none."""
    if route.takes_token:
        return _REPORTS
    return next(chapter for chapter in CHAPTERS if route.path.startswith(chapter.paths))

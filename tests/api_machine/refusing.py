"""Requests that are refused, each with the status and problem type that docs/reference/api.md gives it."""

from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.creating import post
from tests.api_machine.instants import instant
from tests.api_machine.machine import ApiMachine, picks, some_job, tenants
from tests.api_machine.sightings import SEEN

URL = "https://receiver.example/refused"
GOOD: dict[str, Any] = {"schedule": {"delay_seconds": 1}, "request": {"url": URL}}
YEAR_MS = 366 * 86_400_000


class Refused(NamedTuple):
    """A body, and what it is answered with."""

    status: int
    problem: str
    document: Any
    key: str | None = None


def _without_delay(**schedule: Any) -> dict[str, Any]:
    return GOOD | {"schedule": schedule}


def _calling(url: str) -> dict[str, Any]:
    return GOOD | {"request": {"url": url}}


REFUSED = {
    "no body": Refused(400, "malformed-request", b""),
    "a key twice": Refused(400, "malformed-request", b'{"schedule": {}, "schedule": {}}'),
    "not a number": Refused(400, "malformed-request", b'{"schedule": NaN}'),
    "too deep": Refused(400, "malformed-request", b"[" * 33 + b"]" * 33),
    "too large": Refused(413, "payload-too-large", b'"' + b"x" * 262_144 + b'"'),
    "a list": Refused(422, "validation-failed", []),
    "no schedule": Refused(422, "validation-failed", _without_delay()),
    "two schedules": Refused(422, "validation-failed", _without_delay(rate_seconds=5, cron="* * * * *")),
    "minute 61": Refused(422, "validation-failed", _without_delay(cron="61 * * * *")),
    "no interval": Refused(422, "validation-failed", _without_delay(rate_seconds=0)),
    "too many attempts": Refused(422, "validation-failed", GOOD | {"retry": {"max_attempts": 21}}),
    "an unknown field": Refused(422, "validation-failed", GOOD | {"surprise": 1}),
    "30 February": Refused(422, "schedule-never-fires", _without_delay(cron="0 0 30 2 *")),
    "http": Refused(422, "callback-url-not-allowed", _calling("http://receiver.example/")),
    "port 80": Refused(422, "callback-url-not-allowed", _calling("https://receiver.example:80/")),
    "empty key": Refused(400, "idempotency-key-invalid", GOOD, key=""),
    "blank in the key": Refused(400, "idempotency-key-invalid", GOOD, key="two words"),
    "long key": Refused(400, "idempotency-key-invalid", GOOD, key="x" * 256),
}
DISTANCES = {
    "just past": (-60_001, "schedule-in-past"),
    "long past": (-40 * YEAR_MS, "schedule-in-past"),
    "too far": (11 * YEAR_MS, "schedule-too-far"),
}
"""From now to an instant that is no good for `at`."""


class BadAsk(NamedTuple):
    """A request for a job that is there, and what it is answered with."""

    status: int
    problem: str
    method: str
    rest: str = ""
    query: dict[str, str] = {}  # noqa: RUF012 - nobody writes it


BAD_ASKS = {
    "limit 0": BadAsk(400, "malformed-request", "GET", "/executions", {"limit": "0"}),
    "limit 101": BadAsk(400, "malformed-request", "GET", "/executions", {"limit": "101"}),
    "limit +1": BadAsk(400, "malformed-request", "GET", "/executions", {"limit": "%2B1"}),
    "empty limit": BadAsk(400, "malformed-request", "GET", "/executions", {"limit": ""}),
    "misspelt parameter": BadAsk(400, "malformed-request", "GET", "/executions", {"cursors": "x"}),
    "flag 1": BadAsk(400, "malformed-request", "DELETE", "", {"stop_retries": "1"}),
    "flag TRUE": BadAsk(400, "malformed-request", "DELETE", "", {"stop_retries": "TRUE"}),
    "misspelt flag": BadAsk(400, "malformed-request", "DELETE", "", {"stop-retries": "true"}),
    "PUT": BadAsk(405, "method-not-allowed", "PUT"),
    "POST": BadAsk(405, "method-not-allowed", "POST", "/executions"),
    "no path": BadAsk(404, "not-found", "GET", "/execution"),
}


class Refusing(ApiMachine):
    """Nothing is left behind, not even the Idempotency-Key."""

    @some_job
    @rule(tenant=tenants, fault=st.sampled_from(sorted(REFUSED)))
    def post_what_is_refused(self, tenant: str, fault: str) -> None:
        """A body or key that cannot be accepted."""
        refused = REFUSED[fault]
        answer = post(self.deployment, tenant, refused.document, refused.key)
        assert (answer.status, answer.problem) == (refused.status, refused.problem), answer.text
        assert answer.status != 422 or answer.json["errors"]
        SEEN[f"refused {refused.problem}"] += 1

    @some_job
    @rule(tenant=tenants, distance=st.sampled_from(sorted(DISTANCES)), key=st.sampled_from([None, "unused"]))
    def post_what_is_past_or_far(self, tenant: str, distance: str, key: str | None) -> None:
        """An instant that cannot be accepted now."""
        distance_ms, problem = DISTANCES[distance]
        document = GOOD | {"schedule": {"at": instant(self.now_ms + distance_ms)}}
        answer = post(self.deployment, tenant, document, key)
        assert (answer.status, answer.problem) == (422, problem)
        SEEN[f"refused {problem}"] += 1

    @some_job
    @rule(pick=picks, fault=st.sampled_from(sorted(BAD_ASKS)))
    def ask_what_is_refused(self, pick: int, fault: str) -> None:
        """Nothing is cancelled by mistake."""
        job = self.jobs[pick % len(self.jobs)]
        bad = BAD_ASKS[fault]
        answer = self.deployment.ask(job.tenant, bad.method, job.path + bad.rest, **bad.query)
        assert (answer.status, answer.problem) == (bad.status, bad.problem), answer.text
        SEEN[f"refused {bad.problem}"] += 1

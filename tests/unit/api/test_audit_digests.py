"""Digests of jobs: the state before a change is the one after the change before it, whatever time has done."""

import itertools
from typing import Any

import pytest

from shared.domain.audit_trail.continuity import gaps
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.request_factory import ask
from tests.support.fakes.sender import in_turn
from tests.support.usecases.lanes import Lanes

HOUR_MS = 3_600_000
MINUTE_MS = 60_000


class Audited:
    """A tenant with a recurring job, whose records are read from the log."""

    def __init__(self, rate_seconds: int = 3_600) -> None:
        self.api = ApiWorld()
        self.key = self.api.world.credentials.api_key
        recurring = JOB | {"schedule": {"rate_seconds": rate_seconds}}
        self.job = ask(self.api, self.key, "POST", "/v1/jobs", recurring).json["id"]

    def do(self, method: str, path: str = "", document: Any = None) -> None:
        """A change two hours later."""
        self.api.world.clock.time_ms += 2 * HOUR_MS
        answer = ask(self.api, self.key, method, f"/v1/jobs/{self.job}{path}", document)
        assert answer.status == 200, answer.text

    def digests(self) -> list[tuple[str | None, str | None]]:
        """Before and after each change, in order."""
        records = sorted(self.api.world.audit_log.of("acme"), key=lambda each: each.at)
        return [(each.before, each.after) for each in records]


def test_changes_of_a_job_follow_one_another() -> None:
    audited = Audited()
    audited.do("POST", "/pause", {"reason": "holidays"})
    audited.do("POST", "/resume")
    audited.do("PATCH", "", {"name": "other"})
    audited.do("PATCH", "", {"schedule": {"rate_seconds": 7_200}})
    audited.do("DELETE")
    digests = audited.digests()
    assert len(digests) == 6
    for (_, after), (before, _) in itertools.pairwise(digests):
        assert after == before
    assert len({after for _, after in digests}) == 5, "resumed, the job is as it was"
    assert list(gaps(audited.api.world.audit_log.of("acme"))) == []


@pytest.mark.parametrize(
    "change",
    [
        {"request": {"json": {"n": 2}}},
        {"request": {"headers": {"X-Tenant": "other"}}},
        {"request": {"method": "PUT"}},
        {"retry": {"max_attempts": 3}},
        {"on_failure": "https://receiver.example/failed"},
    ],
)
def test_change_of_what_is_never_shown_changes_the_digest_too(change: dict[str, Any]) -> None:
    audited = Audited()
    audited.do("PATCH", "", change)
    (_, created), (before, after) = audited.digests()
    assert created == before != after


@pytest.mark.parametrize(
    ("method", "path", "document"),
    [
        ("POST", "/resume", None),
        ("PATCH", "", {"name": "other"}),
        ("POST", "/pause", {"reason": "later"}),
        ("DELETE", "", None),
    ],
)
def test_change_of_a_job_that_was_paused_as_gone_follows_the_change_before(
    method: str, path: str, document: Any
) -> None:
    """Its receiver has paused it, and no request: the pause has no record."""
    audited = Audited(rate_seconds=60)
    world = audited.api.world
    world.sender.answer_to = in_turn(CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410))
    Lanes(world).until(world.clock.time_ms + 2 * MINUTE_MS)
    job = ask(audited.api, audited.key, "GET", f"/v1/jobs/{audited.job}").json
    assert (job["state"], job["pause_reason"]) == ("paused", "gone")
    audited.do(method, path, document)
    if method != "DELETE":
        audited.do("PATCH", "", {"name": "last"})
    digests = audited.digests()
    for (_, after), (before, _) in itertools.pairwise(digests):
        assert after == before
    assert list(gaps(world.audit_log.of("acme"))) == []


def test_repetition_changes_no_digest() -> None:
    audited = Audited()
    audited.do("DELETE")
    audited.do("DELETE")
    assert audited.digests()[-1][0] == audited.digests()[-1][1] == audited.digests()[-2][1]

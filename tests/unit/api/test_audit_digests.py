"""Digests of jobs: the state before a change is the one after the change before it, whatever time has done."""

import itertools
from typing import Any

import pytest

from shared.domain.audit_trail.continuity import gaps
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.request_factory import ask

HOUR_MS = 3_600_000
RECURRING = JOB | {"schedule": {"rate_seconds": 3_600}}


class Audited:
    """A tenant with a recurring job, whose records are read from the log."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.key = self.api.world.credentials.api_key
        self.job = ask(self.api, self.key, "POST", "/v1/jobs", RECURRING).json["id"]

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


def test_repetition_changes_no_digest() -> None:
    audited = Audited()
    audited.do("DELETE")
    audited.do("DELETE")
    assert audited.digests()[-1][0] == audited.digests()[-1][1] == audited.digests()[-2][1]

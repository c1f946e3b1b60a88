"""Changes that are refused because of what they say, whatever the job is."""

from typing import Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.machine import ApiMachine, picks, some_job
from tests.api_machine.observing import check_unchanged, view
from tests.api_machine.sightings import SEEN

MALFORMED = (400, "malformed-request")
INVALID = (422, "validation-failed")


class BadChange(NamedTuple):
    """A request, and what it is answered with."""

    refusal: tuple[int, str]
    method: str
    rest: str
    document: Any


def _patch(document: Any, refusal: tuple[int, str] = INVALID) -> BadChange:
    return BadChange(refusal, "PATCH", "", document)


def _pause(document: Any, refusal: tuple[int, str] = INVALID) -> BadChange:
    return BadChange(refusal, "POST", "/pause", document)


BAD_CHANGES = {
    "no patch": _patch(b"", MALFORMED),
    "half a patch": _patch(b'{"name":', MALFORMED),
    "a key twice": _patch(b'{"name": "a", "name": "b"}', MALFORMED),
    "null": _patch(b"null"),
    "a list": _patch([]),
    "an unknown field": _patch({"surprise": 1}),
    "an id": _patch({"id": "job_x"}),
    "a state": _patch({"state": "active"}),
    "no schedule": _patch({"schedule": None}),
    "no request": _patch({"request": None}),
    "no URL": _patch({"request": {"url": None}}),
    "two kinds": _patch({"schedule": {"rate_seconds": 5, "cron": "* * * * *"}}),
    "no such lane": _patch({"lane": "express"}),
    "no time": _patch({"timeout_seconds": 0}),
    "a text for a number": _patch({"timeout_seconds": "7"}),
    "too many attempts": _patch({"retry": {"max_attempts": 21}}),
    "http": _patch({"request": {"url": "http://receiver.example/"}}, (422, "callback-url-not-allowed")),
    "an empty reason": _pause({"reason": ""}),
    "a long reason": _pause({"reason": "x" * 257}),
    "a number for a reason": _pause({"reason": 1}),
    "a misspelt reason": _pause({"raison": "maintenance"}),
    "a list of reasons": _pause([]),
    "half a reason": _pause(b'{"reason":', MALFORMED),
    "GET of a pause": BadChange((405, "method-not-allowed"), "GET", "/pause", None),
    "PATCH of a trigger": BadChange((405, "method-not-allowed"), "PATCH", "/trigger", {}),
    "an empty key": BadChange((400, "idempotency-key-invalid"), "POST", "/trigger", None),
}
BAD_BATCHES: dict[str, tuple[tuple[int, str], Any]] = {
    "no jobs": (INVALID, {"jobs": []}),
    "a list": (INVALID, []),
    "101 jobs": (INVALID, {"jobs": [{}] * 101}),
    "more than jobs": (INVALID, {"jobs": [{}], "key": "a"}),
    "half of one": (MALFORMED, b'{"jobs": [{}'),
}


class RefusingChanges(ApiMachine):
    """Nothing is changed, and no key is taken."""

    @some_job
    @rule(pick=picks, fault=st.sampled_from(sorted(BAD_CHANGES)))
    def change_badly(self, pick: int, fault: str) -> None:
        """A body that is no change, or makes no job."""
        job, bad = self.jobs[pick % len(self.jobs)], BAD_CHANGES[fault]
        before = view(self.deployment, job)
        headers = {"idempotency_key": "two words"} if bad.rest == "/trigger" else {"if_match": "*"}
        answer = self.deployment.send(job.tenant, bad.method, job.path + bad.rest, bad.document, **headers)
        assert (answer.status, answer.problem) == bad.refusal, answer.text
        check_unchanged(self.deployment, job, before)
        SEEN[f"change refused: {bad.refusal[1]}"] += 1

    @some_job
    @rule(pick=picks, fault=st.sampled_from(sorted(BAD_BATCHES)))
    def create_batch_badly(self, pick: int, fault: str) -> None:
        """Nothing of it can be read."""
        tenant, (refusal, document) = self.jobs[pick % len(self.jobs)].tenant, BAD_BATCHES[fault]
        answer = self.deployment.send(tenant, "POST", "/v1/jobs/batch", document, idempotency_key="b!~")
        assert (answer.status, answer.problem) == refusal, answer.text
        SEEN[f"batch refused: {refusal[1]}"] += 1

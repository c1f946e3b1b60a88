"""Pause recurring jobs: before, between and during attempts, and again."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.changes import pause
from tests.api_machine.deployment import Deployment
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import ApiMachine, is_series, picks, some_job, some_job_goes_on
from tests.api_machine.observing import check_answer, check_unchanged, view
from tests.api_machine.sightings import SEEN
from tests.api_machine.tags import optional_matches, refusal_of, tag_of

reasons = st.sampled_from([None, {}, {"reason": None}, {"reason": "maintenance"}, {"reason": "обслуживание"}])


class Pausing(ApiMachine):
    """POST /v1/jobs/{id}/pause."""

    @some_job
    @rule(pick=picks, document=reasons, match=optional_matches)
    def pause(self, pick: int, document: Any, match: str | None) -> None:
        """While no attempt runs, and whatever has become of the job."""
        ask_to_pause(self.deployment, self.choose(pick, is_series, self.jobs), document, match)

    @some_job_goes_on
    @rule(pick=picks, document=reasons, match=optional_matches)
    def pause_while_it_runs(self, pick: int, document: Any, match: str | None) -> None:
        """While the receiver works at the job's next attempt."""
        job = self.choose(pick, is_series, self.going_on)
        self.while_it_runs(job, lambda: ask_to_pause(self.deployment, job, document, match))


def ask_to_pause(deployment: Deployment, job: PromisedJob, document: Any, match: str | None) -> None:
    """Ask for it, and note what the answer promises."""
    before = view(deployment, job)
    answer = deployment.send(job.tenant, "POST", f"{job.path}/pause", document, **tag_of(job, match))
    refusal = refusal_of(before.shown, match, ("active", "paused"))
    if refusal is not None:
        assert (answer.status, answer.problem) == refusal, answer.text
        check_unchanged(deployment, job, before)
        SEEN[f"pause refused: {before.shown['state']}, {refusal[0]}"] += 1
        return
    if before.shown["state"] == "active":
        pause(job, (document or {}).get("reason"), deployment.now_ms)
        job.note_change(answer.json["revision"])
    check_answer(deployment, job, answer)
    if before.shown["state"] == "paused":
        check_unchanged(deployment, job, before)
    SEEN[f"paused while {before.shown['state']}"] += 1

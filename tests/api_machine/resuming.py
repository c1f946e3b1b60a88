"""Resume recurring jobs that are paused, and others."""

from hypothesis.stateful import rule

from tests.api_machine.changes import resume
from tests.api_machine.deployment import Deployment
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import ApiMachine, is_series, picks, some_job, some_job_goes_on
from tests.api_machine.observing import check_answer, check_unchanged, view
from tests.api_machine.sightings import SEEN
from tests.api_machine.tags import optional_matches, refusal_of, tag_of


class Resuming(ApiMachine):
    """POST /v1/jobs/{id}/resume."""

    @some_job
    @rule(pick=picks, match=optional_matches)
    def resume(self, pick: int, match: str | None) -> None:
        """While no attempt runs; one that is paused, where there is any."""
        job = self.choose(pick, lambda each: each.state == ("paused",), self.jobs)
        ask_to_resume(self.deployment, job, match)

    @some_job_goes_on
    @rule(pick=picks, match=optional_matches)
    def resume_while_it_runs(self, pick: int, match: str | None) -> None:
        """While the receiver works at the job's next attempt, which may be a retry of a job that is paused."""
        job = self.choose(pick, is_series, self.going_on)
        self.while_it_runs(job, lambda: ask_to_resume(self.deployment, job, match))


def ask_to_resume(deployment: Deployment, job: PromisedJob, match: str | None) -> None:
    """Ask for it, and note what the answer promises."""
    before = view(deployment, job)
    answer = deployment.send(job.tenant, "POST", f"{job.path}/resume", **tag_of(job, match))
    refusal = refusal_of(before.shown, match, ("active", "paused"))
    if refusal is not None:
        assert (answer.status, answer.problem) == refusal, answer.text
        check_unchanged(deployment, job, before)
        SEEN[f"resumption refused: {before.shown['state']}, {refusal[0]}"] += 1
        return
    if before.shown["state"] == "paused":
        resume(job, before.records, deployment.now_ms)
        job.note_change(answer.json["revision"])
    check_answer(deployment, job, answer)
    if before.shown["state"] == "active":
        check_unchanged(deployment, job, before)
    SEEN[f"resumed while {before.shown['state']}"] += 1

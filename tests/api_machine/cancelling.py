"""Cancel one-off jobs and delete recurring ones: before, between and during attempts, and again."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.changes import end
from tests.api_machine.deployment import Deployment
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import ApiMachine, picks, some_job, some_job_goes_on
from tests.api_machine.observing import View, view, without_run
from tests.api_machine.sightings import SEEN

flags = st.sampled_from([None, "false", "true"])


class Cancelling(ApiMachine):
    """DELETE /v1/jobs/{id}."""

    @some_job
    @rule(pick=picks, stop_retries=flags)
    def cancel(self, pick: int, stop_retries: str | None) -> None:
        """While no attempt runs; it may have ended already."""
        ended = [job for job in self.jobs if not job.goes_on]
        choice = self.going_on + ended[:1]
        cancel(self.deployment, choice[pick % len(choice)], stop_retries)

    @some_job_goes_on
    @rule(pick=picks, stop_retries=flags)
    def cancel_while_it_runs(self, pick: int, stop_retries: str | None) -> None:
        """While the receiver works at the job's next attempt."""
        job = self.going_on[pick % len(self.going_on)]
        self.while_it_runs(job, lambda: cancel(self.deployment, job, stop_retries))


def cancel(deployment: Deployment, job: PromisedJob, stop_retries: str | None) -> None:
    """Ask for it, and note what the answer promises."""
    if job.is_recurring:
        _delete(deployment, job, stop_retries)
    else:
        _cancel(deployment, job, stop_retries)


def _cancel(deployment: Deployment, job: PromisedJob, stop_retries: str | None) -> None:
    is_stopped = job.state == ("running",) and stop_retries == "true"
    is_late = job.state[0] in ("running", "succeeded", "failed") and not is_stopped
    SEEN[f"cancelled while {job.state[0]}, stop_retries={stop_retries}"] += 1
    query = {} if stop_retries is None else {"stop_retries": stop_retries}
    answer = deployment.ask(job.tenant, "DELETE", job.path, **query)
    if is_late:
        assert (answer.status, answer.problem) == (409, "invalid-state")
        return
    assert answer.status == (202 if is_stopped else 200), answer.text
    if is_stopped:
        for execution in job.executions.values():
            execution.stop("stopped")
        job.has_changed_by_itself = True
    else:
        end(job, deployment.now_ms)
        assert answer.json["next_due_at"] is None
    assert without_run(answer.json) == without_run(deployment.ask(job.tenant, "GET", job.path).json)
    assert answer.json["state"] in job.state


def _delete(deployment: Deployment, job: PromisedJob, stop_retries: str | None) -> None:
    before = view(deployment, job)
    query = {} if stop_retries is None else {"stop_retries": stop_retries}
    answer = deployment.ask(job.tenant, "DELETE", job.path, **query)
    assert answer.status == 200, answer.text
    if job.ended_at is None:
        _note_crossings(before)
    SEEN[f"deleted while {before.shown['state']}"] += 1
    end(job, deployment.now_ms)
    assert answer.json["state"] == "deleted"
    assert answer.json["next_due_at"] is None
    assert without_run(answer.json) == without_run(deployment.ask(job.tenant, "GET", job.path).json)


def _note_crossings(before: View) -> None:
    """Another attempt of the job was claimed, and it cannot be told whether it will be called."""
    for execution in before.claimed:
        execution.is_open = execution.has_crossed = True
        SEEN["deletion crossed an attempt"] += 1

"""Cancel one-off jobs and delete recurring ones: before, between and during attempts, and again."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.deployment import Deployment
from tests.api_machine.executions import PromisedExecution
from tests.api_machine.instants import milliseconds
from tests.api_machine.machine import SEEN, ApiMachine, jobs
from tests.api_machine.pages import listed
from tests.api_machine.promised import PromisedJob

flags = st.sampled_from([None, "false", "true"])


class Cancelling(ApiMachine):
    """DELETE /v1/jobs/{id}."""

    @rule(job=jobs, stop_retries=flags)
    def cancel(self, job: PromisedJob, stop_retries: str | None) -> None:
        """While no attempt runs."""
        cancel(self.deployment, job, stop_retries)

    @rule(job=jobs, stop_retries=flags)
    def cancel_while_it_runs(self, job: PromisedJob, stop_retries: str | None) -> None:
        """While the receiver works at the job's next attempt."""
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
        job.executions[job.timetable.due_at].stop("stopped")
    else:
        job.end(deployment.now_ms)
        assert answer.json["next_due_at"] is None
    assert answer.json == deployment.ask(job.tenant, "GET", job.path).json
    assert answer.json["state"] in job.state


def _delete(deployment: Deployment, job: PromisedJob, stop_retries: str | None) -> None:
    records = listed(deployment, job.tenant, job.history_path)
    query = {} if stop_retries is None else {"stop_retries": stop_retries}
    answer = deployment.ask(job.tenant, "DELETE", job.path, **query)
    assert answer.status == 200, answer.text
    if job.ended_at is None:
        for record in records:
            _note_crossing(job, record["id"], milliseconds(record["scheduled_at"]), record["state"])
    job.end(deployment.now_ms)
    SEEN["deleted"] += 1
    assert answer.json["state"] == "deleted"
    assert answer.json["next_due_at"] is None
    assert answer.json == deployment.ask(job.tenant, "GET", job.path).json


def _note_crossing(job: PromisedJob, execution_id: str, scheduled_at: int, state: str) -> None:
    """Another attempt of the job was claimed or has ended in this very moment; only the API can tell."""
    execution = job.executions.get(scheduled_at)
    if state != "running" or (execution is not None and execution.state == "running"):
        return
    crossed = execution or PromisedExecution(id=execution_id, scheduled_at=scheduled_at)
    crossed.is_open = True
    job.executions[scheduled_at] = crossed
    SEEN["deletion crossed an attempt"] += 1

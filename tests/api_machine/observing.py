"""A job and its history as the API shows them, in the middle of a call too."""

from dataclasses import dataclass
from typing import Any

from tests.api_machine.deployment import Deployment
from tests.api_machine.executions import PromisedExecution
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.instants import milliseconds
from tests.api_machine.pages import listed
from tests.api_machine.receiver import CLAIMED_AHEAD_MS
from tests.support.api.api_world import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the API said at one moment, and what of it only the API can know."""

    shown: dict[str, Any]
    records: list[dict[str, Any]]
    claimed: tuple[PromisedExecution, ...]
    """A worker has taken these up, and has not called the receiver yet."""


def shown(deployment: Deployment, job: PromisedJob) -> dict[str, Any]:
    """The job as the API shows it to its tenant, which is as it was promised."""
    answer = deployment.ask(job.tenant, "GET", job.path)
    assert answer.status == 200, answer.text
    found: dict[str, Any] = answer.json
    expected = job.shown()
    assert {name: found[name] for name in expected} == expected
    assert found["state"] in job.state
    job.note_revision(found["revision"])
    return found


def view(deployment: Deployment, job: PromisedJob) -> View:
    """Before a change: from then on the model knows of each execution whether it has started."""
    found = shown(deployment, job)
    if found["state"] == "completed":
        job.is_completed = True
    records = listed(deployment, job.tenant, job.history_path)
    running = [record for record in records if record["state"] == "running"]
    claimed = [_claimed(deployment, job, record) for record in running]
    return View(shown=found, records=records, claimed=tuple(one for one in claimed if one is not None))


def _claimed(deployment: Deployment, job: PromisedJob, record: dict[str, Any]) -> PromisedExecution | None:
    known = job.executions.get(record["id"])
    if known is not None:
        return None if known.state == "running" and known.calls else known
    scheduled_at = milliseconds(record["scheduled_at"])
    assert scheduled_at <= deployment.now_ms + CLAIMED_AHEAD_MS, "before its time"
    assert job.chain_of(scheduled_at) is job.chain
    return job.begin(record["id"], scheduled_at)


def check_answer(deployment: Deployment, job: PromisedJob, answer: Answer) -> None:
    """A change is answered with the job as it now stands."""
    assert answer.status == 200, answer.text
    assert without_run(answer.json) == without_run(shown(deployment, job))
    assert answer.headers["ETag"] == f'"{answer.json["revision"]}"'


def without_run(job: dict[str, Any]) -> dict[str, Any]:
    """Only a GET looks for the last run of a recurring job."""
    return {name: value for name, value in job.items() if name != "last_run"}


def check_unchanged(deployment: Deployment, job: PromisedJob, before: View) -> None:
    """What is refused, or changes nothing, leaves no trace."""
    assert without_run(shown(deployment, job)) == without_run(before.shown)
    assert listed(deployment, job.tenant, job.history_path) == before.records

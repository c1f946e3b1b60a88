"""Start recurring jobs by events, and send each event again."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.deployment import Deployment
from tests.api_machine.executions import PromisedExecution
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.instants import milliseconds
from tests.api_machine.machine import ApiMachine, is_series, picks, some_job
from tests.api_machine.observing import check_unchanged, view
from tests.api_machine.sightings import SEEN

AMOUNTS = st.sampled_from([99, 100, 101.5, None])


class Eventing(ApiMachine):
    """PUT /v1/triggers/{name} and POST /v1/events. Each job has a trigger for events that name it."""

    @some_job
    @rule(pick=picks, amount=AMOUNTS)
    def send_event(self, pick: int, amount: float | None) -> None:
        """Whatever has become of the job; amounts of 100 and more match."""
        job = self.choose(pick, is_series, self.jobs)
        before = view(self.deployment, job)
        state = str(before.shown["state"])
        trigger = put_trigger(self.deployment, job)
        has_ended = not job.is_recurring or state in ("deleted", "completed")
        if trigger is None:
            assert has_ended
            SEEN[f"trigger refused: {state}, 422"] += 1
            return
        event = {
            "source": job.id,
            "type": "paid",
            "id": f"event-{len(SEEN)}-{self.deployment.now_ms}-{len(job.executions)}",
            "data": {"amount": amount},
        }
        answer = self.deployment.send(job.tenant, "POST", "/v1/events", event)
        assert answer.status == 200, answer.text
        if amount is None or amount < 100:
            assert answer.json["matches"] == []
            SEEN["event that matches nothing"] += 1
            check_unchanged(self.deployment, job, before)
            return
        (match,) = answer.json["matches"]
        if has_ended:
            # The same PUT as before the job's end changes nothing, and so it is not refused.
            assert match["outcome"] == "refused"
            SEEN[f"event while {state}"] += 1
            check_unchanged(self.deployment, job, before)
            return
        assert (match["trigger"], match["job_id"], match["outcome"]) == (trigger, job.id, "filed")
        _promise(self.deployment, job, event, match)
        again = self.deployment.send(job.tenant, "POST", "/v1/events", event).json["matches"]
        assert again == [match | {"outcome": "repeated"}]
        SEEN[f"event while {state}"] += 1


def put_trigger(deployment: Deployment, job: PromisedJob) -> str | None:
    """The name of the job's trigger; None where the API refuses it."""
    name = job.id.replace("_", "-")
    pattern = {"source": [job.id], "data": {"amount": [{"numeric": [">=", 100]}]}}
    answer = deployment.put(job.tenant, f"/v1/triggers/{name}", {"pattern": pattern, "job_id": job.id}, {})
    if answer.status == 422:
        assert answer.json["errors"][0]["pointer"] == "/job_id"
        return None
    assert answer.status == 200, answer.text
    return name


def _promise(deployment: Deployment, job: PromisedJob, event: dict[str, Any], match: dict[str, Any]) -> None:
    """Once more, now, beside the schedule, with the event in the body."""
    request = job.terms.request
    if request["method"] not in ("GET", "HEAD"):
        request["json"] = {"event": event, "body": request.get("json")}
    execution = PromisedExecution(
        id=match["execution_id"],
        scheduled_at=milliseconds(match["due_at"]),
        terms=replace(job.terms, document=job.terms.document | {"request": request}),
        chain=job.chain,
        is_beside=True,
        state="queued",
    )
    assert execution.scheduled_at == deployment.now_ms
    assert execution.id not in job.executions
    job.executions[execution.id] = execution

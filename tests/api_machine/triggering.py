"""Trigger recurring jobs, with and without an Idempotency-Key, and again."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.creating import KEYS, REPLAYED
from tests.api_machine.deployment import Deployment
from tests.api_machine.executions import PromisedExecution
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.history import as_recorded
from tests.api_machine.instants import milliseconds
from tests.api_machine.machine import ApiMachine, is_series, picks, some_job, some_job_goes_on, some_key
from tests.api_machine.model_state import Kept, PromisedTrigger
from tests.api_machine.observing import check_unchanged, view
from tests.api_machine.sightings import SEEN
from tests.api_machine.tags import REUSED, TOO_LATE, Refusal
from tests.support.api.api_world import Answer

Keys = dict[tuple[str, str], Kept]
keys = st.sampled_from(KEYS)


class Triggering(ApiMachine):
    """POST /v1/jobs/{id}/trigger."""

    @some_job
    @rule(pick=picks, key=keys)
    def trigger(self, pick: int, key: str | None) -> None:
        """While no attempt runs, and whatever has become of the job."""
        ask_to_trigger(self.deployment, self.keys, self.choose(pick, is_series, self.jobs), key)

    @some_job_goes_on
    @rule(pick=picks, key=keys)
    def trigger_while_it_runs(self, pick: int, key: str | None) -> None:
        """While the receiver works at the job's next attempt."""
        job = self.choose(pick, is_series, self.going_on)
        self.while_it_runs(job, lambda: ask_to_trigger(self.deployment, self.keys, job, key))

    @some_key(PromisedTrigger)
    @rule(pick=picks)
    def trigger_again(self, pick: int) -> None:
        """Under the same key, whatever has become of the job meanwhile."""
        promised = self.kept(PromisedTrigger)
        again = promised[pick % len(promised)]
        ask_to_trigger(self.deployment, self.keys, again.job, again.key)


def ask_to_trigger(deployment: Deployment, kept: Keys, job: PromisedJob, key: str | None) -> None:
    """Ask for it, and note what the answer promises."""
    before = view(deployment, job)
    headers = {} if key is None else {"idempotency_key": key}
    answer = deployment.send(job.tenant, "POST", f"{job.path}/trigger", **headers)
    known = kept.get((job.tenant, key)) if key is not None else None
    state = str(before.shown["state"])
    refusal = _refusal(job, state, known)
    if refusal is not None:
        assert (answer.status, answer.problem) == refusal, answer.text
        SEEN[f"trigger refused: {state}, {refusal[0]}"] += 1
    elif isinstance(known, PromisedTrigger):
        _check_triggered(deployment, job, answer, known.execution.id)
        assert answer.headers[REPLAYED] == "true"
        SEEN[f"triggered again while {state}"] += 1
    else:
        execution = _promise_run(deployment, job, answer)
        if key is not None:
            kept[job.tenant, key] = PromisedTrigger(job=job, key=key, execution=execution)
        SEEN[f"triggered while {state}"] += 1
        return
    check_unchanged(deployment, job, before)


def _refusal(job: PromisedJob, state: str, known: Kept | None) -> Refusal | None:
    """A job that runs once has none of that; then comes the key, then the state."""
    if not job.is_recurring:
        return TOO_LATE
    if known is not None:
        return None if isinstance(known, PromisedTrigger) and known.job is job else REUSED
    return TOO_LATE if state in ("deleted", "completed") else None


def _promise_run(deployment: Deployment, job: PromisedJob, answer: Answer) -> PromisedExecution:
    """Once more, now, beside the schedule."""
    assert answer.status == 201, answer.text
    assert REPLAYED not in answer.headers
    execution = PromisedExecution(
        id=answer.json["id"],
        scheduled_at=milliseconds(answer.json["scheduled_at"]),
        terms=job.terms,
        chain=job.chain,
        is_beside=True,
        state="queued",
    )
    assert execution.scheduled_at == deployment.now_ms
    assert execution.id not in job.executions
    job.executions[execution.id] = execution
    _check_triggered(deployment, job, answer, execution.id)
    return execution


def _check_triggered(deployment: Deployment, job: PromisedJob, answer: Answer, execution_id: str) -> None:
    """The execution as it stands, wherever the answer says that it is."""
    assert answer.status == 201, answer.text
    assert answer.json["id"] == execution_id
    assert answer.headers["Location"] == f"/v1/executions/{execution_id}"
    standing = deployment.ask(job.tenant, "GET", answer.headers["Location"]).json
    assert as_recorded(standing) == answer.json

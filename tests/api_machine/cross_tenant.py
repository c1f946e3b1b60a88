"""Each tenant tries everything with what belongs to the other."""

from typing import Any, NamedTuple

from hypothesis.stateful import rule

from tests.api_machine.creating import replay
from tests.api_machine.deployment import TENANTS, Deployment
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import ApiMachine, picks, some_job, some_job_goes_on
from tests.api_machine.observing import shown
from tests.api_machine.pages import listed
from tests.api_machine.sightings import SEEN
from tests.support.api.api_world import Answer


class Verb(NamedTuple):
    """An operation below /v1/jobs/{id}."""

    method: str
    rest: str = ""
    query: dict[str, str] = {}  # noqa: RUF012 - nobody writes it
    document: Any = None
    headers: dict[str, str] = {}  # noqa: RUF012


VERBS_OF_A_JOB = (
    Verb("GET"),
    Verb("GET", "/executions"),
    Verb("GET", "/executions", {"limit": "1"}),
    Verb("DELETE"),
    Verb("DELETE", query={"stop_retries": "true"}),
    Verb("PATCH", document={"name": "mine"}),
    Verb("PATCH", document={"name": "mine"}, headers={"if_match": "*"}),
    Verb("PATCH", document={"lane": "bulk"}, headers={"if_match": '"1"'}),
    Verb("POST", "/pause"),
    Verb("POST", "/pause", document={"reason": "mine"}),
    Verb("POST", "/resume"),
    Verb("POST", "/trigger"),
    Verb("POST", "/trigger", headers={"idempotency_key": "a"}),
)
"""Every operation below /v1/jobs/{id}."""


class CrossTenant(ApiMachine):
    """A foreign id is answered exactly as one that nobody has."""

    @some_job
    @rule(pick=picks)
    def reach_across(self, pick: int) -> None:
        """The other tenant acts on a job, and each on what is no job."""
        job = self.jobs[pick % len(self.jobs)]
        reach_across(self.deployment, job)
        for record in listed(self.deployment, job.tenant, job.history_path)[:1]:
            body = str(record["id"]).removeprefix("exe_")
            for made_up in (f"exe_{body}", f"job_{body}"):
                if made_up != job.id:
                    _check_unknown(self.deployment, job.tenant, made_up)

    @some_job_goes_on
    @rule(pick=picks)
    def look_on_while_it_runs(self, pick: int) -> None:
        """The other tenant tries it while the receiver works; its own one looks at it and asks again."""
        job = self.going_on[pick % len(self.going_on)]
        self.while_it_runs(job, lambda: self._look_on(job))

    def _look_on(self, job: PromisedJob) -> None:
        reach_across(self.deployment, job)
        found = shown(self.deployment, job)
        records = listed(self.deployment, job.tenant, job.history_path)
        running = {record["id"] for record in records if record["state"] == "running"}
        assert {one.id for one in job.executions.values() if one.state == "running"} <= running
        if job.key is not None:
            replay(self.deployment, job)
        SEEN[f"looked on, {found['state']}"] += 1


def reach_across(deployment: Deployment, job: PromisedJob) -> None:
    """Another tenant's attempts tell nothing."""
    (stranger,) = set(TENANTS) - {job.tenant}
    unknown = job.id[:-1] + ("0" if job.id[-1] != "0" else "1")
    foreign = _check_unknown(deployment, stranger, job.id)
    assert foreign == _check_unknown(deployment, stranger, unknown)
    SEEN["reached across"] += 1


def _check_unknown(deployment: Deployment, tenant: str, job_id: str) -> list[Answer]:
    answers = [_try(deployment, tenant, f"/v1/jobs/{job_id}{verb.rest}", verb) for verb in VERBS_OF_A_JOB]
    assert {(answer.status, answer.problem) for answer in answers} == {(404, "not-found")}
    return answers


def _try(deployment: Deployment, tenant: str, path: str, verb: Verb) -> Answer:
    if verb.query:
        return deployment.ask(tenant, verb.method, path, **verb.query)
    return deployment.send(tenant, verb.method, path, verb.document, **verb.headers)

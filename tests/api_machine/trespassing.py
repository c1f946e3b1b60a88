"""Each tenant tries everything with what belongs to the other."""

from hypothesis.stateful import rule

from tests.api_machine.creating import replay
from tests.api_machine.deployment import TENANTS, Deployment
from tests.api_machine.machine import ApiMachine, picks, some_job, some_job_goes_on
from tests.api_machine.pages import listed
from tests.api_machine.promised import PromisedJob
from tests.api_machine.sightings import SEEN
from tests.unit.functions.api_world import Answer

Verb = tuple[str, str, dict[str, str]]
VERBS_OF_A_JOB: tuple[Verb, ...] = (
    ("GET", "", {}),
    ("GET", "/executions", {}),
    ("GET", "/executions", {"limit": "1"}),
    ("DELETE", "", {}),
    ("DELETE", "", {"stop_retries": "true"}),
)
"""Every operation below /v1/jobs/{id}: method, rest of the path, query."""


class Trespassing(ApiMachine):
    """A foreign id is answered exactly as one that nobody has."""

    @some_job
    @rule(pick=picks)
    def trespass(self, pick: int) -> None:
        """The other tenant acts on a job, and each on what is no job."""
        job = self.jobs[pick % len(self.jobs)]
        trespass(self.deployment, job)
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
        trespass(self.deployment, job)
        shown = self.shown(job)
        records = listed(self.deployment, job.tenant, job.history_path)
        running = {record["id"] for record in records if record["state"] == "running"}
        assert {one.id for one in job.executions.values() if one.state == "running"} <= running
        if job.key is not None:
            replay(self.deployment, job)
        SEEN[f"looked on, {shown['state']}"] += 1


def trespass(deployment: Deployment, job: PromisedJob) -> None:
    """Another tenant's attempts tell nothing."""
    (stranger,) = set(TENANTS) - {job.tenant}
    unknown = job.id[:-1] + ("0" if job.id[-1] != "0" else "1")
    foreign = _check_unknown(deployment, stranger, job.id)
    assert foreign == _check_unknown(deployment, stranger, unknown)
    SEEN["trespassed"] += 1


def _check_unknown(deployment: Deployment, tenant: str, job_id: str) -> list[Answer]:
    answers = [
        deployment.ask(tenant, method, f"/v1/jobs/{job_id}{rest}", **query)
        for method, rest, query in VERBS_OF_A_JOB
    ]
    assert {(answer.status, answer.problem) for answer in answers} == {(404, "not-found")}
    return answers

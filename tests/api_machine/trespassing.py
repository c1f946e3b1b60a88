"""Each tenant tries everything with what belongs to the other."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.api_machine.deployment import TENANTS, Deployment
from tests.api_machine.machine import SEEN, ApiMachine, jobs
from tests.api_machine.pages import listed
from tests.api_machine.promised import PromisedJob
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
verbs = st.sampled_from(VERBS_OF_A_JOB)


class Trespassing(ApiMachine):
    """A foreign id is answered exactly as one that nobody has."""

    @rule(job=jobs, verb=verbs)
    def trespass(self, job: PromisedJob, verb: Verb) -> None:
        """The other tenant acts on a job."""
        trespass(self.deployment, job, verb)

    @rule(job=jobs, verb=verbs)
    def trespass_while_it_runs(self, job: PromisedJob, verb: Verb) -> None:
        """The same, while the receiver works at the job's next attempt."""
        self.while_it_runs(job, lambda: trespass(self.deployment, job, verb))

    @rule(job=jobs, verb=verbs)
    def take_an_execution_for_a_job(self, job: PromisedJob, verb: Verb) -> None:
        """An occurrence of a recurring job is no job, to its own tenant neither."""
        if not job.is_recurring:
            return
        for record in listed(self.deployment, job.tenant, job.history_path)[:1]:
            for made_up in (record["id"], record["id"].replace("exe_", "job_")):
                _check_unknown(_act(self.deployment, job.tenant, verb, made_up))


def trespass(deployment: Deployment, job: PromisedJob, verb: Verb) -> None:
    """The answer tells nothing."""
    (stranger,) = set(TENANTS) - {job.tenant}
    unknown = job.id[:-1] + ("0" if job.id[-1] != "0" else "1")
    foreign = _act(deployment, stranger, verb, job.id)
    _check_unknown(foreign)
    assert foreign == _act(deployment, stranger, verb, unknown)
    SEEN["trespassed"] += 1


def _act(deployment: Deployment, tenant: str, verb: Verb, job_id: str) -> Answer:
    method, rest, query = verb
    return deployment.ask(tenant, method, f"/v1/jobs/{job_id}{rest}", **query)


def _check_unknown(answer: Answer) -> None:
    assert (answer.status, answer.problem) == (404, "not-found")

"""Create jobs, with and without an Idempotency-Key, and ask again."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import MultipleResults, multiple, precondition, rule

from tests.api_machine import documents
from tests.api_machine.deployment import Deployment
from tests.api_machine.documents import Wish
from tests.api_machine.executions import Behaviour
from tests.api_machine.machine import SEEN, ApiMachine, jobs, tenants
from tests.api_machine.promised import PromisedJob
from tests.unit.functions.api_world import Answer

MOST_JOBS = 7
KEYS = (None, "a", "b!~")
"""Few, so that both tenants use the same ones, and again."""
REPLAYED = "Idempotency-Replayed"


class Creating(ApiMachine):
    """POST /v1/jobs."""

    @precondition(lambda self: len(self.jobs) < MOST_JOBS)
    @rule(
        target=jobs,
        tenant=tenants,
        wish=documents.wishes,
        options=documents.options,
        target_of_calls=documents.targets,
        behaviour=documents.behaviours,
        key=st.sampled_from(KEYS),
    )
    def create(
        self,
        tenant: str,
        wish: Wish,
        options: dict[str, Any],
        target_of_calls: dict[str, Any],
        behaviour: Behaviour,
        key: str | None,
    ) -> PromisedJob | MultipleResults[PromisedJob]:
        """A job that nobody has asked for before, though maybe under a key that was used before."""
        url = f"https://receiver.example/{tenant}/{len(self.jobs)}"
        document = options | {
            "schedule": documents.schedule(wish, self.now_ms),
            "request": documents.request(target_of_calls, url),
        }
        answer = post(self.deployment, tenant, document, key)
        if key is not None and (tenant, key) in self.keys:
            assert (answer.status, answer.problem) == (422, "idempotency-key-reused")
            SEEN["key reused"] += 1
            return multiple()
        return self._promised(answer, tenant, document, key, behaviour)

    def _promised(
        self, answer: Answer, tenant: str, document: dict[str, Any], key: str | None, behaviour: Behaviour
    ) -> PromisedJob:
        assert answer.status == 201, answer.text
        assert REPLAYED not in answer.headers
        job = PromisedJob(
            id=answer.json["id"],
            tenant=tenant,
            document=document,
            key=key,
            behaviour=behaviour,
            created_at=self.now_ms,
        )
        self.jobs.append(job)
        self.deployment.receiver.jobs[job.id] = job
        if key is not None:
            self.keys[tenant, key] = job
        _check_created(self.deployment, job, answer)
        SEEN["created " + min(job.document["schedule"])] += 1
        return job

    @rule(job=jobs)
    def replay(self, job: PromisedJob) -> None:
        """The same request again."""
        if job.key is not None:
            replay(self.deployment, job)

    @rule(job=jobs)
    def replay_while_it_runs(self, job: PromisedJob) -> None:
        """The same request again, while the receiver works."""
        if job.key is not None:
            self.while_it_runs(job, lambda: replay(self.deployment, job))

    @rule(job=jobs, change=st.sampled_from([{"name": "other"}, {"lane": "bulk"}, {"timeout_seconds": 7}]))
    def replay_with_another_body(self, job: PromisedJob, change: dict[str, Any]) -> None:
        """The same key for something else."""
        document = job.document | change
        if job.key is None or document == job.document:
            return
        answer = post(self.deployment, job.tenant, document, job.key)
        assert (answer.status, answer.problem) == (422, "idempotency-key-reused")


def post(deployment: Deployment, tenant: str, document: Any, key: str | None) -> Answer:
    """The request."""
    headers = {} if key is None else {"idempotency_key": key}
    return deployment.send(tenant, "POST", "/v1/jobs", document, **headers)


def replay(deployment: Deployment, job: PromisedJob) -> None:
    """The same job as it stands, said to be so."""
    answer = post(deployment, job.tenant, job.document, job.key)
    assert answer.status == 201, answer.text
    assert answer.headers[REPLAYED] == "true"
    _check_created(deployment, job, answer)
    SEEN[f"replayed {answer.json['state']}"] += 1


def _check_created(deployment: Deployment, job: PromisedJob, answer: Answer) -> None:
    shown = deployment.ask(job.tenant, "GET", job.path)
    assert answer.json == shown.json
    assert answer.json["id"] == job.id
    assert answer.headers["Location"] == job.path
    assert answer.headers["ETag"] == shown.headers["ETag"] == f'"{shown.json["revision"]}"'
